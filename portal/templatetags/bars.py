"""Amounts of NPUs as bars: the parts of the drawing and the same numbers in words.

A part's place and width are per cent with four decimals, made from whole grains. A team's bar is as long as its
guarantee and what it may borrow; a pool's as long as its capacity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from portal.kit.grains import as_text

WORDS: dict[str, str | Promise] = {
    "own": gettext_lazy("own"),
    "elastic": gettext_lazy("elastic pool"),
    "borrowed": gettext_lazy("borrowed"),
    "lent": gettext_lazy("lent"),
    "free": gettext_lazy("free"),
}


@dataclass(frozen=True, kw_only=True)
class Part:
    kind: str
    x: str
    width: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One swatch of the legend; `text` holds the number in bold."""

    kind: str
    text: SafeString
    url: str


@dataclass(kw_only=True)
class Bar:
    total: int
    parts: list[Part] = field(default_factory=list)
    drawn: int = 0

    def add(self, kind: str, grains: int) -> None:
        if grains > 0:
            self.parts.append(Part(kind=kind, x=percent(self.drawn, self.total), width=percent(grains, self.total)))
            self.drawn += grains


def percent(part: int, total: int) -> str:
    """ "33.3333%", rounded half up; nothing of nothing is "0%"."""
    if total <= 0:
        return "0%"
    scaled = (2 * part * 1_000_000 + total) // (2 * total)
    whole, rest = divmod(scaled, 10_000)
    return f"{whole}.{rest:04}".rstrip("0").rstrip(".") + "%"


def bold(grains: int) -> SafeString:
    return format_html("<b>{}</b>", as_text(grains))


def team_bar(
    *,
    own: int,
    borrowed: int,
    lent: int = 0,
    free: int = 0,
    guaranteed: int,
    may_borrow: int | None = None,
    capacity: int = 0,
    name: str = "",
    job: int = 0,
    label: str = "",
    own_url: str = "",
    borrowed_url: str = "",
    lent_url: str = "",
    free_url: str = "",
) -> dict[str, Any]:
    """All amounts in grains. `may_borrow=None` is no limit: then the bar is as long as `capacity`. `job` draws the
    bracket under the last that much of what is used."""
    first = max(guaranteed, own + lent + free)
    beyond = max(borrowed, capacity - first if may_borrow is None else may_borrow)
    bar = Bar(total=first + beyond)
    bar.add("own", own)
    bar.add("lent", lent)
    bar.add("free", first - own - lent)
    bar.add("borrowed", borrowed)
    bar.add("rest", beyond - borrowed)
    entries = []
    if guaranteed:
        own_text = format_html(gettext("own {own} of {guaranteed}"), own=bold(own), guaranteed=as_text(guaranteed))
        entries.append(Entry(kind="own", text=own_text, url=own_url))
    if may_borrow is None:
        text = format_html(gettext("borrowed {borrowed}"), borrowed=bold(borrowed))
    else:
        text = format_html(
            gettext("borrowed {borrowed} of at most {limit}"), borrowed=bold(borrowed), limit=as_text(may_borrow)
        )
    entries.append(Entry(kind="borrowed", text=text, url=borrowed_url))
    if guaranteed:
        entries.append(Entry(kind="lent", text=format_html(gettext("lent {lent}"), lent=bold(lent)), url=lent_url))
        entries.append(Entry(kind="free", text=format_html(gettext("free {free}"), free=bold(free)), url=free_url))
    used = own + borrowed
    end = used if not borrowed else first + borrowed
    head = format_html(
        gettext("{used} used · {guaranteed} guaranteed"), used=bold(used), guaranteed=as_text(guaranteed)
    )
    return {
        "name": name,
        "head": head,
        "parts": bar.parts,
        "mark": percent(first, bar.total) if guaranteed else "",
        "bracket": {"from": percent(max(end - job, 0), bar.total), "to": percent(end, bar.total)} if job else None,
        "entries": entries,
        "label": spoken(label or name, entries),
    }


def pool_bar(
    *,
    own: int,
    borrowed: int,
    free: int,
    capacity: int = 0,
    name: str = "",
    label: str = "",
    own_url: str = "",
    borrowed_url: str = "",
    free_url: str = "",
) -> dict[str, Any]:
    """All amounts in grains. What is lent is never drawn: it is somebody's borrowed already."""
    capacity = capacity or own + borrowed + free
    bar = Bar(total=max(capacity, own + borrowed + free))
    bar.add("own", own)
    bar.add("borrowed", borrowed)
    bar.add("free", free)
    free_text = format_html(gettext("free {free} of {capacity}"), free=bold(free), capacity=as_text(capacity))
    entries = [
        Entry(kind="own", text=format_html(gettext("own {own}"), own=bold(own)), url=own_url),
        Entry(
            kind="borrowed", text=format_html(gettext("borrowed {borrowed}"), borrowed=bold(borrowed)), url=borrowed_url
        ),
        Entry(kind="free", text=free_text, url=free_url),
    ]
    head = format_html(gettext("{used} of {capacity} used"), used=bold(own + borrowed), capacity=as_text(capacity))
    return {
        "name": name,
        "head": head,
        "parts": bar.parts,
        "mark": "",
        "entries": entries,
        "label": spoken(label or name, entries),
    }


def spoken(name: str, entries: list[Entry]) -> str:
    numbers = ", ".join(strip_tags(entry.text) for entry in entries)
    return f"{name}: {numbers}" if name else numbers


def source(kind: str, grains: int | None = None) -> dict[str, Any]:
    """Swatch, word and amount of one source; "guaranteed" usage is a team's own, "elastic" is borrowed from the pool."""
    face = {"guaranteed": "own", "elastic": "borrowed", "agreement": "borrowed"}.get(kind, kind)
    return {"kind": face, "word": WORDS.get(kind, WORDS[face]), "amount": "" if grains is None else as_text(grains)}
