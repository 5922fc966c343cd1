"""A sentence with its values still apart, so that a page makes links of the jobs in it and the API plain text."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, pgettext

from portal.kit.times import is_chinese


@dataclass(frozen=True, slots=True)
class Numbers:
    """Jobs by number. Beyond four the rest is counted."""

    jobs: tuple[int, ...]
    most = 4

    @property
    def shown(self) -> tuple[int, ...]:
        return self.jobs if len(self.jobs) <= self.most else self.jobs[: self.most - 1]

    @property
    def rest(self) -> str:
        left = len(self.jobs) - len(self.shown)
        return gettext(" and {n} more").format(n=left) if left else ""

    def text(self) -> str:
        return comma().join(map(str, self.shown)) + self.rest

    def html(self, linked: Container[int] | None) -> SafeString:
        links = format_html_join(comma(), "{}", ((job_link(job, linked),) for job in self.shown))
        return format_html("{}{}", links, self.rest)


def comma() -> str:
    return pgettext("between names in a list", ", ")


def job_link(number: int, linked: Container[int] | None) -> SafeString:
    """To its page, or for a job that the reader may not open to its row in the queue."""
    if linked is None or number in linked:
        return format_html('<a href="{}">{}</a>', reverse("job", args=[number]), number)
    return format_html('<a href="{}?text={}">{}</a>', reverse("queue"), number, number)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`template` is in the reader's language already; `{name}` stands for a value."""

    template: str
    values: Mapping[str, str | Numbers] = field(default_factory=dict)

    def __str__(self) -> str:
        plain = {name: value.text() if isinstance(value, Numbers) else value for name, value in self.values.items()}
        return self.template.format(**plain)

    def html(self, linked: Container[int] | None = None) -> SafeString:
        """`linked`: the jobs whose page the reader may open; None = all."""
        marked = {
            name: value.html(linked) if isinstance(value, Numbers) else value for name, value in self.values.items()
        }
        return format_html(self.template, **marked) if marked else format_html("{}", self.template.format())

    @property
    def jobs(self) -> set[int]:
        return {job for value in self.values.values() if isinstance(value, Numbers) for job in value.jobs}


@dataclass(frozen=True, slots=True)
class Told:
    """Why a job waits, what it does or how it ended.

    `short` and `then` (what takes the obstacle away) are for a row, `more` besides for its page, `next_step` is what its
    owner can do.
    """

    short: Sentence
    then: Sentence | None = None
    more: tuple[Sentence, ...] = ()
    next_step: Sentence | None = None

    @property
    def row(self) -> tuple[Sentence, ...]:
        return (self.short, self.then) if self.then else (self.short,)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        return (*self.row, *self.more)

    @property
    def jobs(self) -> set[int]:
        return {job for sentence in self.sentences for job in sentence.jobs}

    def __str__(self) -> str:
        return joined(map(str, self.sentences))

    def html(self, linked: Container[int] | None = None) -> SafeString:
        return _html(self.sentences, linked)

    def row_html(self, linked: Container[int] | None = None) -> SafeString:
        return _html(self.row, linked)


def _html(sentences: Iterable[Sentence], linked: Container[int] | None) -> SafeString:
    return mark_safe(joined(sentence.html(linked) for sentence in sentences))  # each part is escaped already


def joined(sentences: Iterable[str]) -> str:
    """Between sentences English has a space, Chinese nothing (which no translation could say)."""
    return ("" if is_chinese() else " ").join(filter(None, sentences))
