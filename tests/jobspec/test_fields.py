"""A specification given as fields, as the API takes it."""

from __future__ import annotations

import pytest

from scheduling.jobspec import Kind, Reading, from_fields, read
from tests.jobspec.reference import SITE

SCRIPT = "#!/bin/bash\n#SBATCH -J from-script -N 1\nsrun x\n"


def given(**fields: object) -> Reading:
    return from_fields({"script": SCRIPT, **fields}, SITE)


def test_fields_say_what_a_header_would() -> None:
    reading = given(
        name="train",
        partition="npu",
        account="team-b",
        nodes=2,
        npus_per_node=8,
        npu_type="ascend910b",
        tasks_per_node=8,
        cpus_per_task=12,
        mem_mb_per_node=0,
        time_limit_seconds=3601,
        mail_type=["END", "FAIL"],
        exclusive=True,
        requeue=False,
    )
    header = (
        "#!/bin/bash\n#SBATCH -J train -p npu -A team-b -N2 --gres=npu:ascend910b:8 --ntasks-per-node=8 -c12 --mem=0"
        " -t 61 --mail-type=END,FAIL --exclusive --no-requeue\n"
    )
    same = read(header, SITE)
    assert reading.accepted
    assert reading.spec is not None
    assert same.spec is not None
    assert reading.spec.to_dict() | {"script": ""} == same.spec.to_dict() | {"script": ""}


def test_fields_win_over_the_script_without_a_warning() -> None:
    reading = given(name="from-field", nodes="2-4")
    assert reading.findings == ()
    assert reading.spec is not None
    assert (reading.spec.name, reading.spec.nodes_min, reading.spec.nodes_max) == ("from-field", 2, 4)


def test_null_is_not_given() -> None:
    reading = given(name=None, npu_type=None)
    assert reading.accepted
    assert reading.spec is not None
    assert reading.spec.name == "from-script"


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("nodes", "4-2", Kind.INVALID_NODES),
        ("nodes", 0, Kind.INVALID_VALUE),
        ("nodes", True, Kind.INVALID_VALUE),
        ("nodes", 1.5, Kind.INVALID_VALUE),
        ("tasks", "8", Kind.INVALID_VALUE),
        ("npus_per_node", 16, Kind.EXCEEDS_NODE),
        ("npus_per_node", -1, Kind.INVALID_VALUE),
        ("npu_type", "ascend910b", Kind.INVALID_VALUE),
        ("time_limit", "24h", Kind.INVALID_TIME),
        ("time_limit_seconds", -5, Kind.INVALID_VALUE),
        ("partition", "nosuch", Kind.INVALID_PARTITION),
        ("name", "two\nlines", Kind.INVALID_VALUE),
        ("comment", ["no", "list"], Kind.INVALID_VALUE),
        ("mail_type", ["END", 1], Kind.INVALID_VALUE),
        ("requeue", "yes", Kind.INVALID_VALUE),
        ("exclusive", "foo", Kind.INVALID_VALUE),
        ("array", "10-1", Kind.INVALID_ARRAY),
        ("colour", "red", Kind.UNKNOWN_FIELD),
    ],
)
def test_error_names_the_field(field: str, value: object, kind: Kind) -> None:
    (error,) = given(**{field: value}).errors
    assert (error.field, error.kind, error.line) == (field, kind, 0)


@pytest.mark.parametrize(
    ("field", "value", "repair"), [("npus_per_node", 16, "8"), ("mem_mb_per_node", 9_000_000, "1500000")]
)
def test_repair_of_a_number_is_a_number(field: str, value: int, repair: str) -> None:
    (error,) = given(**{field: value}).errors
    assert error.repair == repair


def test_error_in_the_script_has_its_line() -> None:
    reading = from_fields({"script": "#!/bin/sh\n#SBATCH -t 24h\n", "name": "a"}, SITE)
    (error,) = reading.errors
    assert (error.field, error.line) == ("", 2)


@pytest.mark.parametrize(("fields", "kind"), [({}, Kind.MISSING_FIELD), ({"script": 5}, Kind.INVALID_VALUE)])
def test_script_is_needed(fields: dict[str, object], kind: Kind) -> None:
    (error,) = from_fields(fields, SITE).errors
    assert (error.field, error.kind) == ("script", kind)


def test_empty_script_is_refused() -> None:
    reading = from_fields({"script": " \n", "nodes": 2}, SITE)
    assert [each.kind for each in reading.errors] == [Kind.EMPTY_SCRIPT]
