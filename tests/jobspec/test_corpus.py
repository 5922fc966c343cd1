"""Every case of the corpus, and the runner that judges other folders of such cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from scheduling.jobspec import Kind
from tests.jobspec.corpus_runner import OWN, cases, differences, main, reasons

MARKED = reasons("marked.yaml")
CASES = {case["id"]: case for case in cases(OWN) if case["kind"] == "sbatch" and case["id"] not in MARKED}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_case_is_read_as_sbatch_reads_it(case: dict[str, Any]) -> None:
    assert [str(each) for each in differences(case)] == []


def test_corpus_is_complete() -> None:
    assert len(CASES) + len(MARKED) == 100
    assert len(MARKED) <= 25


def test_marks_and_extra_errors_belong_to_cases_and_give_reasons() -> None:
    extra = reasons("extra_errors.yaml")
    known = {case["id"] for case in cases(OWN)}
    assert set(MARKED) | set(extra) <= known
    assert all(MARKED.values())
    assert sum(len(each) for each in extra.values()) <= 10


def test_every_kind_that_the_corpus_names_is_in_the_closed_list() -> None:
    named = {
        each["kind"]
        for case in CASES.values()
        for key in ("errors", "warnings")
        for each in case["expected"].get(key, ())
    }
    assert named <= {str(kind) for kind in Kind}


def _folder(tmp_path: Path, *found: dict[str, Any]) -> str:
    (tmp_path / "more.yaml").write_text(yaml.safe_dump(list(found), allow_unicode=True), encoding="utf-8")
    return str(tmp_path)


def _case(name: str, text: str, **expected: Any) -> dict[str, Any]:
    return {"id": name, "kind": "sbatch", "input": text, "expected": expected}


def test_runner_counts_another_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = _case("x-1", "#!/bin/sh\n#SBATCH -N2\n", accepted=True, job={"nodes_min": 2})
    other = {"id": "x-2", "kind": "k8s", "input": "", "expected": {}}
    assert main(_folder(tmp_path, good, other)) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed, 1 skipped\n"


def test_runner_names_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = _case("x-1", "#!/bin/sh\n#SBATCH -N2\n", accepted=True, job={"nodes_min": 3, "tasks": 2})
    assert main(_folder(tmp_path, bad)) == 1
    assert capsys.readouterr().out == "x-1 nodes_min wanted 3 got 2\n0 passed, 1 failed, 0 skipped\n"


@pytest.mark.parametrize(
    "expected",
    [
        {"accepted": True},
        {"accepted": False, "errors": [{"line": 3, "kind": "invalid-time"}]},
        {"accepted": False, "errors": [{"line": 2, "kind": "invalid-time", "message": "Other words"}]},
        {"accepted": False},
        {"accepted": False, "errors": [{"line": 2, "kind": "invalid-time"}], "ignored_lines": [1]},
        {"accepted": False, "errors": [{"line": 2, "kind": "invalid-time"}], "warnings": [{"line": 2, "kind": "x"}]},
    ],
)
def test_runner_fails_a_case_that_wants_something_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], expected: dict[str, Any]
) -> None:
    assert main(_folder(tmp_path, _case("x-1", "#!/bin/sh\n#SBATCH -t 24h\n", **expected))) == 1
    assert capsys.readouterr().out.endswith("0 passed, 1 failed, 0 skipped\n")
