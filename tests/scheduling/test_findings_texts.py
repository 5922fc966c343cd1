"""Each kind of finding is a sentence made of facts that it carries, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.utils import translation

from scheduling import jobspec
from scheduling.jobspec.findings import Kind
from scheduling.texts.findings import SENTENCES, repair_label, say

SOURCE = Path(jobspec.__file__).with_name("findings.py").read_text(encoding="utf-8")
PLACE = re.compile(r"%\((\w+)\)s")


def facts_of(kind: Kind) -> tuple[set[str], set[str]]:
    """As the list of kinds states them behind each: always there, and in brackets sometimes there."""
    line = re.search(rf'^ +{kind.name} = "[^"]+"(?:  # (.*))?$', SOURCE, re.MULTILINE)
    assert line
    stated = re.sub(r"\([^)]*\)", "", line[1] or "")
    sometimes = set(re.findall(r"\[(\w+)", stated))
    always = set(re.findall(r"\w+", re.sub(r"\[[^\]]*\]|:.*", "", stated)))
    return always, sometimes


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_has_a_sentence(kind: Kind) -> None:
    always, sometimes = facts_of(kind)
    short = dict.fromkeys(always, "x1")
    for facts in (short, short | dict.fromkeys(sometimes, "y2")):
        sentence = say(kind, facts)
        assert sentence.endswith((".", "?", "#!/bin/bash"))
        assert not PLACE.search(sentence)


def test_no_sentence_is_left_without_its_kind() -> None:
    assert set(SENTENCES) == set(Kind)


def test_a_time_limit_is_written_as_in_a_script() -> None:
    facts = {"partition": "training", "wanted_seconds": 864_000, "max_seconds": 86_400 * 7}
    assert say(Kind.EXCEEDS_PARTITION_TIME, facts).endswith("at most 7-00:00:00, you ask for 10-00:00:00.")


def test_a_list_has_commas() -> None:
    assert "There is: inference, training." in say(
        Kind.INVALID_PARTITION, {"value": "x", "known": "inference training"}
    )


def test_a_long_option_with_one_dash_is_explained() -> None:
    reading = jobspec.read("#!/bin/bash\n#SBATCH -nodes=2\ntrue\n", jobspec.Site())
    assert any("--nodes=2" in say(each.kind, each.facts) for each in reading.findings)


def test_an_unknown_kind_of_a_newer_portal_is_named() -> None:
    assert say("something-new", {}) == "something-new"


def test_a_repair_without_text_takes_something_out() -> None:
    assert repair_label("") == "Take it out"
    assert repair_label("--time=5") == "Change to --time=5"
    assert repair_label("--exclusive") == "Change to --exclusive"


def test_sentences_survive_percent_signs_in_values() -> None:
    assert "100%(x)s" in say(Kind.STRAY_WORD, {"word": "100%(x)s"})


@pytest.mark.parametrize("kind", list(Kind))
def test_every_sentence_is_there_in_chinese(kind: Kind) -> None:
    always, sometimes = facts_of(kind)
    with translation.override("zh-hans"):
        assert re.search("[\u4e00-\u9fff]", say(kind, dict.fromkeys(always | sometimes, "x1")))
