"""Tables of the forms that single values take."""

from __future__ import annotations

import pytest

from scheduling.jobspec import Kind, Reading, Site, read
from tests.jobspec.reference import SITE

UNKNOWN = Site(version=(22, 5, 8))


def one(directive: str, site: Site = UNKNOWN) -> Reading:
    return read(f"#!/bin/bash\n#SBATCH {directive}\nsrun x\n", site)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 5400),
        ("90:30", 5460),
        ("0:01", 60),
        ("1:30:00", 5400),
        ("24:00:00", 86400),
        ("1-12", 129600),
        ("1-", 86400),
        ("1-12:30", 131400),
        ("1-12:30:01", 131460),
        ("0-1", 3600),
        ("100:00:00", 360000),
    ],
)
def test_time_forms(text: str, seconds: int) -> None:
    spec = one(f"--time={text}").spec
    assert spec is not None
    assert (spec.time_limit_seconds, spec.time_unlimited) == (seconds, False)


@pytest.mark.parametrize("text", ["UNLIMITED", "unlimited", "Infinite", "-1", "0", "0:00"])
def test_time_without_limit(text: str) -> None:
    spec = one(f"--time={text}").spec
    assert spec is not None
    assert (spec.time_limit_seconds, spec.time_unlimited) == (None, True)


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("24h", "24:00:00"),
        ("90m", "01:30:00"),
        ("2d", "2-00:00:00"),
        ("01：00：00", "01:00:00"),
        ("1:2:3:4", None),
        ("1-2-3", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("soon", None),
    ],
)
def test_time_refused(text: str, repair: str | None) -> None:
    (error,) = one(f"--time={text}").errors
    assert (error.kind, error.message) == (Kind.INVALID_TIME, "Invalid --time specification")
    assert error.repair == (None if repair is None else f"--time={repair}")


@pytest.mark.parametrize(
    ("text", "mb"),
    [("64000", 64000), ("64gb", 65536), ("4g", 4096), ("1T", 1048576), ("1025K", 2), ("1k", 1), ("7MB", 7), ("0", 0)],
)
def test_memory_forms(text: str, mb: int) -> None:
    spec = one(f"--mem={text}").spec
    assert spec is not None
    assert spec.main.mem_mb_per_node == mb
    assert spec.main.mem_all_of_node == (mb == 0)


@pytest.mark.parametrize(
    ("text", "repair"), [("1.5G", "1536M"), ("64GiB", "64GB"), ("lots", None), ("", None), ("-1", None)]
)
def test_memory_refused(text: str, repair: str | None) -> None:
    (error,) = one(f"--mem={text}").errors
    assert error.kind == Kind.INVALID_MEMORY
    assert error.repair == (None if repair is None else f"--mem={repair}")


def test_memory_per_node_and_per_cpu_exclude_each_other() -> None:
    (error,) = one("--mem=4G --mem-per-cpu=1G").errors
    assert error.kind == Kind.CONFLICTING_OPTIONS


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("3", 3, 3), ("2-4", 2, 4), ("1-1", 1, 1), ("2k", 2048, 2048), ("+2", 2, 2), ("0-3", 1, 3)],
)
def test_node_counts(text: str, least: int, most: int | None) -> None:
    spec = one(f"-N {text}").spec
    assert spec is not None
    assert (spec.nodes_min, spec.nodes_max) == (least, most)


@pytest.mark.parametrize("text", ["0", "x", "1.5", "2;", "4-2", "2-", "1-2-3", "=2", "$N"])
def test_node_counts_refused(text: str) -> None:
    assert [each.kind for each in one(f"-N{text}").errors] == [Kind.INVALID_NODES]


@pytest.mark.parametrize("text", ["1e3", "2.5", "4k", "0", "-2", "=3", "４", "3,", "99999999999"])
def test_task_counts_refused(text: str) -> None:
    assert [each.kind for each in one(f"-n{text}").errors] == [Kind.INVALID_NUMBER]


@pytest.mark.parametrize(
    ("text", "indices", "throttle"),
    [
        ("5", (5,), None),
        ("0-3", (0, 1, 2, 3), None),
        ("0-6:2", (0, 2, 4, 6), None),
        ("1,3,3-4%2", (1, 3, 4), 2),
        ("1-2%0", (1, 2), None),
        ("1-2%", (1, 2), None),
        ("1-2%x", (1, 2), None),
        ("1,,3,", (1, 3), None),
        ("[1-2]%1", (1, 2), 1),
        ("1, 2", (1, 2), None),
    ],
)
def test_arrays(text: str, indices: tuple[int, ...], throttle: int | None) -> None:
    spec = one(f"-a '{text}'").spec
    assert spec is not None
    assert spec.array is not None
    assert (spec.array.indices, spec.array.throttle) == (indices, throttle)
    assert spec.output == "slurm-%A_%a.out"


@pytest.mark.parametrize("text", ["10-1", "1-10:0", "a", "1-", "", ",", "0-100000"])
def test_arrays_refused(text: str) -> None:
    assert [each.kind for each in one(f"--array={text}").errors] == [Kind.INVALID_ARRAY]


@pytest.mark.parametrize(
    ("text", "number", "batch_only", "seconds_before"),
    [("USR1@120", 10, False, 120), ("B:SIGTERM@30", 15, True, 30), ("2", 2, False, 60), ("RB:usr2", 12, True, 60)],
)
def test_signals(text: str, number: int, batch_only: bool, seconds_before: int) -> None:
    spec = one(f"--signal={text}").spec
    assert spec is not None
    assert spec.signal is not None
    found = (spec.signal.number, spec.signal.batch_only, spec.signal.seconds_before)
    assert found == (number, batch_only, seconds_before)


@pytest.mark.parametrize("text", ["", "NOPE", "X:USR1", "USR1@soon", "0", ":USR1"])
def test_signals_refused(text: str) -> None:
    assert [each.kind for each in one(f"--signal={text}").errors] == [Kind.INVALID_SIGNAL]


def test_dependency_with_delay_and_any() -> None:
    spec = one("-d after:1:2+5?afterany:3_4").spec
    assert spec is not None
    assert [(each.type, each.jobs, each.delay_minutes) for each in spec.dependency] == [
        ("after", ("1",), 0),
        ("after", ("2",), 5),
        ("afterany", ("3_4",), 0),
    ]
    assert spec.dependency_any


@pytest.mark.parametrize("text", ["afterok", "afterok:", "afterok:$ID", "later:1", "1:2", "expand:5"])
def test_dependency_refused(text: str) -> None:
    assert [each.kind for each in one(f"--dependency={text}").errors] == [Kind.INVALID_DEPENDENCY]


@pytest.mark.parametrize(
    ("text", "kind", "repair"),
    [
        ("npu:16", Kind.EXCEEDS_NODE, "npu:8"),
        ("gpu:8", Kind.GRES_NOT_AVAILABLE, "npu:8"),
        ("NPU:4", Kind.INVALID_GRES, "npu:4"),
        ("npu=4", Kind.INVALID_GRES, "npu:4"),
        ("npu:910x:4", Kind.GRES_NOT_AVAILABLE, "npu:4"),
        ("npu:", Kind.INVALID_GRES, None),
        ("npu:4,", Kind.INVALID_GRES, "npu:4"),
        ("", Kind.INVALID_GRES, None),
        ("npu:2.5", Kind.INVALID_GRES, None),
        ("npu:ascend910b:4,npu:4", Kind.INVALID_GRES, None),
    ],
)
def test_devices_refused_with_what_would_do(text: str, kind: Kind, repair: str | None) -> None:
    (error,) = one(f"--gres={text}", SITE).errors
    assert (error.kind, error.repair) == (kind, None if repair is None else f"--gres={repair}")


@pytest.mark.parametrize(
    ("directive", "per_node", "total"),
    [
        ("--gres=gpu:a100:2 -N2", 2, 4),
        ("--gpus=3 -N2", None, 3),
        ("-G a100:4", None, 4),
        ("--gpus-per-node=2 -N2", 2, 4),
        ("--gpus-per-task=1 -n3", None, 3),
    ],
)
def test_gpu_forms(directive: str, per_node: int | None, total: int) -> None:
    reading = one(f"-p gpu {directive}", SITE)
    assert reading.accepted
    assert reading.spec is not None
    assert (reading.spec.main.gpus_per_node, reading.spec.main.total_gpus) == (per_node, total)


def test_node_list_is_unfolded() -> None:
    spec = one('--exclude="node[01-02,09], login1,rack[1-2]n[1-2]"').spec
    assert spec is not None
    wanted = ("node01", "node02", "node09", "login1", "rack1n1", "rack1n2", "rack2n1", "rack2n2")
    assert spec.main.exclude == wanted


@pytest.mark.parametrize("text", ["node[1", "node[2-1]", "node[1-99999999]", "n[1-999]m[1-999]", "node[x]"])
def test_node_lists_refused(text: str) -> None:
    assert [each.kind for each in one(f"-w {text}").errors] == [Kind.INVALID_NODELIST]
