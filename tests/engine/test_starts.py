"""Who starts: situations, and the jobs that start in them, in order."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from scheduling.engine import plan
from scheduling.engine.situation import Situation
from tests.engine.build import filler, node, npus, running, share, situation, start_of, started, waiting

TWO = (node(1), node(2))
NLP, VISION = share(1, 5, name="nlp"), share(2, 4, name="vision")

CASES: dict[str, tuple[Situation, list[int]]] = {
    "own goes before loan, whatever the priority": (
        situation(
            nodes=[node(1, 4)],
            shares=[share(1, 0), share(2, 4)],
            waiting=[waiting(1, 1, 4, priority=9), waiting(2, 2, 4)],
        ),
        [2],
    ),
    "within a class priority goes before submit time": (
        situation(nodes=[node(1, 4)], shares=[share(1, 4)], waiting=[waiting(1, 1, 4), waiting(2, 1, 4, priority=1)]),
        [2],
    ),
    "with equal priority the earlier submitted goes first": (
        situation(nodes=[node(1, 1)], shares=[share(1, 1)], waiting=[waiting(1, 1, submitted=9), waiting(2, 1, submitted=5)]),
        [2],
    ),
    "with equal submit time the lower id goes first": (
        situation(nodes=[node(1, 1)], shares=[share(1, 1)], waiting=[waiting(2, 1, submitted=5), waiting(1, 1, submitted=5)]),
        [1],
    ),
    "a job that does not fit holds up nobody": (
        situation(nodes=[node(1, 4)], shares=[share(1, 4)], waiting=[waiting(1, 1, 3), waiting(2, 1, 2), waiting(3, 1, 1)]),
        [1, 3],
    ),
    "a job that is no longer own waits for the loan round": (
        situation(
            nodes=[node(1, 4)],
            shares=[share(1, 1), share(2, 1)],
            waiting=[waiting(1, 1), waiting(2, 1), waiting(3, 2), waiting(4, 2)],
        ),
        [1, 3, 2, 4],
    ),
    "idle guarantees of others are lent": (
        situation(nodes=TWO, shares=[NLP, VISION], waiting=[waiting(1, 2, 8, nodes=2)]),
        [1],
    ),
    "a borrow limit holds though the pool is idle": (
        situation(nodes=TWO, shares=[share(1, 4, may_borrow=2)], waiting=[waiting(1, 1, 7), waiting(2, 1, 6)]),
        [2],
    ),
    "a lend limit keeps the owner's part for the owner": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 8, may_lend=3), share(2, 0)],
            waiting=[waiting(1, 2, 4), waiting(2, 2, 3), waiting(3, 1, 5)],
        ),
        [3, 2],
    ),
    "an owner that uses what it keeps gets nothing of what others keep": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 4, may_lend=0), share(2, 4, may_lend=0)],
            running=[running(90, 1, {1: range(4)})],
            waiting=[waiting(1, 1, 1), waiting(2, 2, 4)],
        ),
        [2],
    ),
    "own_only never borrows": (
        situation(nodes=TWO, shares=[NLP], waiting=[waiting(1, 1, 4, own_only=True), waiting(2, 1, 2, own_only=True)]),
        [1],
    ),
    "a job that may not be recalled never stands on a loan": (
        situation(nodes=TWO, shares=[NLP], waiting=[waiting(1, 1, 6, preemptible=False), waiting(2, 1, 5, preemptible=False)]),
        [2],
    ),
    "a group owns what its teams do not: own at the group goes before loan": (
        situation(
            nodes=[node(1, 4)],
            shares=[share(9, 4, name="lab", is_group=True), share(1, 0, group=9), share(2, 0)],
            waiting=[waiting(1, 2, 4, priority=5), waiting(2, 1, 4)],
        ),
        [2],
    ),
    "a group's borrow limit binds its teams together": (
        situation(
            nodes=TWO,
            shares=[
                share(9, 0, name="lab", is_group=True, may_borrow=4),
                share(1, 2, group=9),
                share(2, 2, group=9),
                share(3, 0),
            ],
            waiting=[waiting(1, 1, 5), waiting(2, 2, 4), waiting(3, 2, 3), waiting(4, 3, 8)],
        ),
        [2, 3, 4],
    ),
    "teams of a group that has no share of its own count as if they stood alone": (
        situation(nodes=TWO, shares=[share(1, 5, group=9), share(2, 4, group=9)], waiting=[waiting(1, 1, 8, nodes=2)]),
        [1],
    ),
    "the limit on running jobs counts those that start": (
        situation(nodes=TWO, shares=[share(1, 8, max_running=2)], waiting=[waiting(1, 1), waiting(2, 1), waiting(3, 1)]),
        [1, 2],
    ),
    "a multi-node job gets all its nodes or none": (
        situation(
            nodes=TWO,
            shares=[share(1, 16)],
            running=[running(90, 1, {2: [0]})],
            waiting=[waiting(1, 1, 8, nodes=2), waiting(2, 1, 7, nodes=2)],
        ),
        [2],
    ),
    "a range of nodes is served with its minimum": (
        situation(nodes=TWO, shares=[share(1, 16)], waiting=[waiting(1, 1, 8, nodes=1, nodes_max=2)]),
        [1],
    ),
    "cores and memory count on every node": (
        situation(
            nodes=[node(1, cpus=8, memory_mb=1000)],
            shares=[share(1, 8)],
            running=[running(90, 1, {1: [0]}, cpus=4, memory_mb=100)],
            waiting=[waiting(1, 1, 1, cpus=5), waiting(2, 1, 1, memory_mb=901), waiting(3, 1, 1, cpus=4, memory_mb=900)],
        ),
        [3],
    ),
    "a job without NPUs asks no quota": (
        situation(nodes=[node(1)], shares=[share(1, 0, may_borrow=0)], waiting=[waiting(1, 1, 0, cpus=64)]),
        [1],
    ),
    "a team without a share may not even take cores": (
        situation(nodes=[node(1)], waiting=[waiting(1, 1, 0, cpus=1), waiting(2, 1, 1)]),
        [],
    ),
    "an exclusive job wants an empty node": (
        situation(
            nodes=TWO,
            shares=[share(1, 16)],
            running=[running(90, 1, {1: []}, cpus=1)],
            waiting=[waiting(1, 1, 1, whole_node=True), waiting(2, 1, 1, whole_node=True)],
        ),
        [1],
    ),
    "nothing else starts on the node of an exclusive job": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 8)],
            running=[running(90, 1, {1: [0]}, whole_node=True)],
            waiting=[waiting(1, 1, 1), waiting(2, 1, 0, cpus=1)],
        ),
        [],
    ),
    "an exclusive job is charged the whole node": (
        situation(nodes=[node(1)], shares=[share(1, 7, may_borrow=0)], waiting=[waiting(1, 1, 1, whole_node=True)]),
        [],
    ),
    "named nodes have to be among its nodes": (
        situation(nodes=TWO, shares=[share(1, 16)], running=filler(1, nodes=[2]), waiting=[waiting(1, 1, nodes_only=[2])]),
        [],
    ),
    "excluded nodes are not used": (
        situation(nodes=TWO, shares=[share(1, 16)], running=filler(1, nodes=[2]), waiting=[waiting(1, 1, nodes_not=[1])]),
        [],
    ),
    "a draining node takes nothing new": (
        situation(nodes=[node(1, open=False)], shares=[share(1, 8)], waiting=[waiting(1, 1)]),
        [],
    ),
    "while more is used than there is, nothing that asks NPUs starts": (
        situation(
            nodes=[node(1), node(2, lost=True)],
            shares=[share(1, 8)],
            running=filler(1, nodes=[2]),
            waiting=[waiting(1, 1), waiting(2, 1, 0, cpus=1)],
        ),
        [2],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("have", "want"), CASES.values(), ids=CASES.keys())
def test_starts(have: Situation, want: list[int]) -> None:
    assert started(plan(have)) == want


PLACES: dict[str, tuple[Situation, dict[int, Iterable[int]]]] = {
    "a node in use is filled before an empty one": (
        situation(nodes=TWO, shares=[share(1, 16)], running=[running(90, 1, {2: [0]})], waiting=[waiting(1, 1, 2)]),
        {2: [1, 2]},
    ),
    "of nodes in use the tightest": (
        situation(
            nodes=[node(1), node(2)],
            shares=[share(1, 16)],
            running=[running(90, 1, {1: range(4)}), running(91, 1, {2: range(6)})],
            waiting=[waiting(1, 1, 2)],
        ),
        {2: [6, 7]},
    ),
    "a small empty node stays whole while a large one in use has room": (
        situation(
            nodes=[node(1, 2), node(2)],
            shares=[share(1, 10)],
            running=[running(90, 1, {2: [0]})],
            waiting=[waiting(1, 1, 2)],
        ),
        {2: [1, 2]},
    ),
    "an exclusive job takes the smallest node that is big enough, and all of it": (
        situation(nodes=[node(1, 8), node(2, 4), node(3, 2)], shares=[share(1, 14)], waiting=[waiting(1, 1, 3, whole_node=True)]),
        {2: [0, 1, 2, 3]},
    ),
    "a job without NPUs goes where no NPUs are free": (
        situation(nodes=TWO, shares=[share(1, 16)], running=filler(1, nodes=[2]), waiting=[waiting(1, 1, 0, cpus=4)]),
        {2: []},
    ),
    "named nodes and one more": (
        situation(nodes=[node(1), node(2), node(3)], shares=[share(1, 24)], waiting=[waiting(1, 1, 1, nodes=2, nodes_only=[3])]),
        {3: [0], 1: [0]},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("have", "want"), PLACES.values(), ids=PLACES.keys())
def test_places(have: Situation, want: dict[int, Iterable[int]]) -> None:
    placement = start_of(plan(have), 1).placement
    assert {held.node: list(held.npus) for held in placement} == {at: list(ids) for at, ids in want.items()}


def test_a_start_carries_all_that_it_takes() -> None:
    start = start_of(
        plan(situation(nodes=TWO, shares=[NLP], waiting=[waiting(1, 1, 2, nodes=2, cpus=3, memory_mb=5)])), 1
    )
    assert start.grains == npus(4)
    assert [(held.grains, held.cpus, held.memory_mb) for held in start.placement] == [(npus(2), 3, 5)] * 2


def test_a_plan_names_the_versions_that_it_was_made_on() -> None:
    assert plan(situation()).versions == {1: 7}
