"""A situation that contradicts itself is refused by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scheduling.engine import BadSituation, ledger, plan, what_if
from scheduling.engine.situation import Situation
from tests.engine.build import node, running, share, situation, waiting

GOOD = situation(nodes=[node(1)], shares=[share(1, 8)], running=[running(1, 1, {1: [0]})], waiting=[waiting(2, 1)])
CASES: dict[str, tuple[Situation, str]] = {
    "unknown pool of a node": (replace(GOOD, nodes=(replace(GOOD.nodes[0], pool=5),)), "no pool 5"),
    "unknown node in a partition": (
        replace(GOOD, partitions=(replace(GOOD.partitions[0], nodes=frozenset({9})),)),
        "no node 9",
    ),
    "unknown pool of a share": (replace(GOOD, shares=(replace(GOOD.shares[0], pool=5),)), "no pool 5"),
    "unknown node that is held": (replace(GOOD, running=(running(1, 1, {9: [0]}),)), "no node 9"),
    "unknown partition of a waiting job": (
        replace(GOOD, waiting=(replace(GOOD.waiting[0], partition=5),)),
        "no partition 5",
    ),
    "another pool than its partition's": (
        replace(GOOD, waiting=(replace(GOOD.waiting[0], pool=5),)),
        "partition 1 of another pool",
    ),
    "a job twice": (replace(GOOD, waiting=(waiting(1, 1),)), "job 1 is there twice"),
    "a share twice": (replace(GOOD, shares=GOOD.shares * 2), "is there twice"),
    "an NPU held twice": (
        replace(GOOD, running=(running(1, 1, {1: [0]}), running(3, 1, {1: [0]}))),
        "(node, NPU) held (1, 0) is there twice",
    ),
    "a negative guarantee": (replace(GOOD, shares=(share(1, -1),)), "negative amount"),
    "a negative borrow limit": (replace(GOOD, shares=(share(1, 1, may_borrow=-1),)), "negative amount"),
    "negative NPUs": (replace(GOOD, waiting=(waiting(2, 1, -1),)), "negative amount"),
    "no node at all": (replace(GOOD, waiting=(waiting(2, 1, nodes=0),)), "negative amount"),
    "a range of nodes upside down": (replace(GOOD, waiting=(waiting(2, 1, nodes=3, nodes_max=2),)), "3 to 2 nodes"),
    "a group in itself": (
        replace(GOOD, shares=(share(7, 0, is_group=True, group=8), share(8, 0, is_group=True, group=7))),
        "part of itself",
    ),
}


@pytest.mark.parametrize(("bad", "said"), CASES.values(), ids=CASES.keys())
def test_bad_situation_is_refused(bad: Situation, said: str) -> None:
    with pytest.raises(BadSituation) as refused:
        plan(bad)
    assert said in str(refused.value)


def test_the_ledger_and_what_if_refuse_it_too() -> None:
    bad = replace(GOOD, shares=(share(1, -1),))
    with pytest.raises(BadSituation):
        ledger(bad)
    with pytest.raises(BadSituation):
        what_if(bad, waiting(9, 1))


def test_what_if_refuses_a_job_that_is_in_the_queue_already() -> None:
    with pytest.raises(BadSituation):
        what_if(GOOD, waiting(2, 1))


def test_good_situation_is_planned() -> None:
    assert [start.job for start in plan(GOOD).starts] == [2]
