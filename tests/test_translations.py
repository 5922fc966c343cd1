"""Every text of the portal has a Chinese one, with the same places for values and the punctuation of Chinese."""

from __future__ import annotations

import io
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.translation.template import templatize

from portal.templatetags.kit import prose
from scheduling.models import Job, State
from tests import make

ROOT = Path(settings.BASE_DIR)
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
APPS = ("portal", "scheduling", "accounting", "npu_inventory")

CONTEXT_FIRST = ((1, "c"), 2)
CALLS: dict[str, Any] = {"_": None, "gettext": None, "gettext_lazy": None, "gettext_noop": None}
CALLS |= {"ngettext": (1, 2), "ngettext_lazy": (1, 2)}
CALLS |= {"pgettext": CONTEXT_FIRST, "pgettext_lazy": CONTEXT_FIRST}
CALLS |= {"npgettext": (*CONTEXT_FIRST, 3), "npgettext_lazy": (*CONTEXT_FIRST, 3)}

HAN = r"[\u4e00-\u9fff]"
# Half-width marks beside Chinese; a colon in HH:MM, a dot in 1.5 and a slash stand beside digits or Latin letters.
HALF_WIDTH = re.compile(rf"{HAN}[,;:!?()]|[,;!?()]{HAN}|{HAN}\.(?!\w)|\.\.\.")
BLANK = re.compile(rf"{HAN} +{HAN}|[，。；：！？、（）“”] | [，。；：！？、（）”]")

Key = tuple[str | None, str]


@cache
def catalogue() -> Catalog:
    return read_po(io.BytesIO(CATALOGUE.read_bytes()), locale="zh_Hans")


def sources() -> Iterator[tuple[Path, str]]:
    """Code, and templates as the code that Django makes of them for translators."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path, path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "templates").rglob("*.html")):
        lines = templatize(path.read_text(encoding="utf-8"), origin=str(path)).splitlines()
        yield path, "\n".join(line.strip() for line in lines)  # indentation means nothing there


@cache
def wanted() -> dict[Key, Path]:
    found: dict[Key, Path] = {}
    for path, text in sources():
        for _line, message, _comments, context in extract("python", io.BytesIO(text.encode()), CALLS):
            singular = message if isinstance(message, str) else message[0]
            found.setdefault((context, singular), path.relative_to(ROOT))
    return found


def key_of(message: Message) -> Key:
    return message.context, message.id if isinstance(message.id, str) else message.id[0]


def pairs() -> list[tuple[str, str]]:
    """Each text beside its translation: of a text with a plural that, since what is said of one may leave its number out."""
    found = []
    for message in catalogue():
        if message.id:
            forms = [message.id] if isinstance(message.id, str) else list(message.id)
            made = [message.string] if isinstance(message.string, str) else list(message.string or [""])
            found += [(forms[-1], text) for text in made]
    return found


def places(text: str) -> set[str]:
    named = set(re.findall(r"%\((\w+)\)", text))
    return named or {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_of_code_and_templates_is_in_the_catalogue() -> None:
    known = {key_of(message) for message in catalogue()}
    assert {key: path for key, path in wanted().items() if key not in known} == {}, "run `make messages`"


def test_the_catalogue_holds_nothing_that_is_gone() -> None:
    assert {key_of(message) for message in catalogue() if message.id} - set(wanted()) == set()
    assert catalogue().obsolete == {}


def test_every_text_has_its_translation() -> None:
    assert [text for text, made in pairs() if not made.strip()] == []


def test_no_translation_is_a_guess() -> None:
    assert [message.id for message in catalogue() if message.id and message.fuzzy] == []


def test_chinese_has_one_form_for_every_number() -> None:
    assert catalogue().num_plurals == 1


def test_translations_have_the_same_places_for_values() -> None:
    assert [(text, made) for text, made in pairs() if places(text) != places(made)] == []


@pytest.mark.parametrize("mark", ["<", "&", "</"])
def test_translations_have_the_same_markup(mark: str) -> None:
    assert [(text, made) for text, made in pairs() if text.count(mark) != made.count(mark)] == []


def test_chinese_has_full_width_punctuation() -> None:
    assert [made for _, made in pairs() if HALF_WIDTH.search(made)] == []


def test_chinese_has_no_blanks_but_beside_latin_letters_and_digits() -> None:
    assert [made for _, made in pairs() if BLANK.search(made.strip())] == []


def test_translations_end_like_a_sentence_where_the_text_is_one() -> None:
    ends = {".": "。", "?": "？", ":": "："}
    wrong = [(text, made) for text, made in pairs() if text[-1] in ends and made[-1] != ends[text[-1]]]
    assert wrong == []


def test_the_catalogue_tells_neither_places_nor_days() -> None:
    text = CATALOGUE.read_text(encoding="utf-8")
    assert "POT-Creation-Date" not in text
    assert not re.search(r"^#: ", text, re.MULTILINE)


def test_sentences_in_a_row_have_a_space_in_english_and_none_in_chinese() -> None:
    with translation.override("zh-hans"):
        assert prose("目前没有借出。 \n <b>1</b> 个作业运行中。") == "目前没有借出。<b>1</b> 个作业运行中。"
    with translation.override("en"):
        assert prose("It lends nothing. One runs.") == "It lends nothing. One runs."


PAGES = "/ /submit/ /queue/ /queue/?scope=all&state=all /teams/nlp/ /teams/vision/ /teams/ /clusters/ /clusters/here/"
PAGES += " /clusters/here/npu-01/ /profile/ /search/ /search/?q=npu /search/?q=xyz /nowhere/"
# What is left of a page when scripts, code and what tags hold are gone. Two small words of Latin letters are English.
UNSEEN = re.compile(r"<(script|style|code|pre|textarea|option|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)
ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b")


NEEDED: dict[State, dict[str, Any]] = {
    State.HELD: {"held_by": Job.HeldBy.USER},
    State.STOPPING: {"intent": Job.Intent.CANCEL},
}


@pytest.mark.django_db
@pytest.mark.parametrize("person", ["alice", "lena", "olga", "fay", "nobody"])
def test_no_page_speaks_english_to_who_reads_chinese(client: Client, person: str) -> None:
    world = make.world()
    jobs = [
        make.job(world.people["alice"], world.nlp, name="train", state=each, **NEEDED.get(each, {})) for each in State
    ]
    client.force_login(world.people[person])
    said: dict[str, list[str]] = {}
    for page in [*PAGES.split(), *(f"/jobs/{job.pk}/" for job in jobs)]:
        answer = client.get(page, headers={"Accept-Language": "zh-CN"})
        seen = UNSEEN.sub("|", answer.content.decode())
        assert re.search(HAN, seen), page
        said[page] = ENGLISH.findall(seen)
    assert {page: words for page, words in said.items() if words} == {}
