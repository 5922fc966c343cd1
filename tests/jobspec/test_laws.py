"""What holds for any text and any specification."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.jobspec import BadField, JobSpec, Site, from_fields, read, to_script
from scheduling.jobspec.options import LONG, SHORT
from tests.jobspec.corpus_runner import OWN, cases
from tests.jobspec.reference import SITE

CORPUS = [case["input"] for case in cases(OWN) if case["kind"] == "sbatch"]
SITES = st.sampled_from([SITE, Site()])

ODD = st.text(alphabet="#SBATCHhetjob-=:,%@[]'\"\\ \t\r\n\0\ufeff0123456789kGnpu：４“<>EOF$", max_size=120)
VALUES = st.one_of(
    st.sampled_from(
        ["", "1", "8", "0", "-1", "2-4", "4G", "npu:8", "gpu", "1-0", "a,b", "node[1-3]", "1-5%2", "B:USR1@9"]
    ),
    ODD,
)
OPTIONS = st.one_of(
    st.builds(lambda name, value: f"--{name}={value}", st.sampled_from(sorted(LONG)), VALUES),
    st.builds(lambda name, value: f"-{name}{value}", st.sampled_from(sorted(SHORT)), VALUES),
)
LINES = st.one_of(
    st.builds(lambda magic, options: f"{magic} {' '.join(options)}", st.sampled_from(["#SBATCH", "#PBS", "#BSUB", "# SBATCH"]),
              st.lists(OPTIONS, max_size=4)),
    st.sampled_from(["", "# note", "#SBATCH hetjob", "#PBS -l nodes=2:ppn=3,walltime=1:0:0", "cat <<EOF", "EOF"]),
    ODD,
)  # fmt: skip
SCRIPTS = st.builds(lambda lines: "\n".join(["#!/bin/bash", *lines, ""]), st.lists(LINES, max_size=8))


@given(st.one_of(st.text(), ODD, SCRIPTS), SITES)
@settings(max_examples=300, deadline=None)
def test_reading_never_raises_and_names_real_lines(text: str, site: Site) -> None:
    reading = read(text, site)
    lines = text.split("\n")
    for finding in reading.findings:
        assert 0 <= finding.line <= len(lines)
        if finding.line and finding.column:
            assert finding.column + finding.length <= len(lines[finding.line - 1].removeprefix("\ufeff")) + 2
    assert all(1 <= number <= len(lines) for number in reading.ignored_lines)


@given(SCRIPTS, SITES)
@settings(max_examples=200, deadline=None)
def test_script_made_from_a_specification_gives_it_back(text: str, site: Site) -> None:
    reading = read(text, site)
    if not reading.accepted or reading.spec is None:
        return
    again = read(to_script(reading.spec), site)
    assert again.errors == ()
    assert again.spec is not None
    assert replace(again.spec, script="") == replace(reading.spec, script="")
    assert to_script(again.spec) == to_script(reading.spec)


@pytest.mark.parametrize("text", CORPUS)
def test_corpus_scripts_survive_being_written_anew(text: str) -> None:
    reading = read(text, SITE)
    if reading.accepted and reading.spec is not None:
        again = read(to_script(reading.spec), SITE)
        assert again.spec is not None
        assert replace(again.spec, script="") == replace(reading.spec, script="")


@pytest.mark.parametrize("text", CORPUS)
def test_json_gives_the_specification_back(text: str) -> None:
    spec = read(text, SITE).spec
    if spec is not None:
        assert JobSpec.from_dict(spec.to_dict()) == spec


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"nodes": 2}, "nodes"),
        ({"name": 5}, "name"),
        ({"components": []}, "components"),
        ({"components": [{"tasks": "8"}]}, "components[0].tasks"),
        ({"components": [{"tasks": -8}]}, "components[0].tasks"),
        ({"components": [{"tasks": True}]}, "components[0].tasks"),
        ({"components": {"tasks": 8}}, "components"),
        ({"array": {"text": "1"}}, "array.indices"),
        ({"extra": [["a"]]}, "extra[0]"),
        ({"signal": 5}, "signal"),
    ],
)
def test_json_that_is_none_names_the_field(data: dict[str, object], field: str) -> None:
    with pytest.raises(BadField) as caught:
        JobSpec.from_dict(data)
    assert caught.value.field == field


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.dictionaries(
        st.sampled_from(["nodes", "script", "gres", "mail_type", "npus_per_node", "npu_type", "requeue", "x"]), JSON
    )
)
@settings(max_examples=200, deadline=None)
def test_fields_never_raise(data: dict[str, object]) -> None:
    for finding in from_fields(data, SITE).errors:
        assert finding.message
