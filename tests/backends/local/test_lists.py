from __future__ import annotations

import pytest

from scheduling.backends.local import hostlist, layout

FOLDED = {
    "npu-01": ["npu-01"],
    "npu-[01-02]": ["npu-01", "npu-02"],
    "n[1-3,5,9-10]": ["n1", "n2", "n3", "n5", "n9", "n10"],
    "a[1-2],b7,login": ["a1", "a2", "b7", "login"],
}


@pytest.mark.parametrize(("text", "names"), FOLDED.items())
def test_expand(text: str, names: list[str]) -> None:
    assert hostlist.expand(text) == names


@pytest.mark.parametrize("names", FOLDED.values())
def test_fold_loses_nothing(names: list[str]) -> None:
    assert sorted(hostlist.expand(hostlist.fold(names))) == sorted(names)


def test_fold_as_slurm_writes_it() -> None:
    assert hostlist.fold(["npu-01", "npu-02", "npu-04", "x"]) == "npu-[01-02,04],x"
    assert hostlist.fold(["npu-09", "npu-10"]) == "npu-[09-10]"


@pytest.mark.parametrize(
    ("tasks", "nodes", "counts", "text"),
    [(16, 2, [8, 8], "8(x2)"), (3, 2, [2, 1], "2,1"), (5, 3, [2, 2, 1], "2(x2),1"), (1, 1, [1], "1")],
)
def test_tasks_lie_in_even_blocks(tasks: int, nodes: int, counts: list[int], text: str) -> None:
    assert layout.distribute(tasks, nodes) == counts
    assert layout.fold_counts(counts) == text
