"""Why a job waits: the first gate that it fails, with the numbers of the moment after the pass."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from scheduling.engine import plan
from scheduling.engine.decisions import Reason
from scheduling.engine.explain import KEYS
from scheduling.engine.situation import Situation
from tests.engine.build import NOW, filler, node, npus, running, share, situation, wait_of, waiting

Facts = Mapping[str, int | str | list[int]]

CASES: dict[str, tuple[Situation, Reason, Facts]] = {
    "its cluster does not answer": (
        situation(nodes=[node(1)], shares=[share(1, 8)], waiting=[waiting(1, 1)], away_since=-60),
        Reason.CLUSTER_AWAY,
        {"cluster": 1, "since": NOW - 60},
    ),
    "its partition is closed": (
        situation(nodes=[node(1)], shares=[share(1, 8)], waiting=[waiting(1, 1)], partition_open=False),
        Reason.PARTITION_CLOSED,
        {"partition": "training"},
    ),
    "its time has not come": (
        situation(nodes=[node(1)], shares=[share(1, 8)], waiting=[waiting(1, 1, not_before=30)]),
        Reason.NOT_YET,
        {"until": NOW + 30},
    ),
    "it asks for longer than the partition allows": (
        situation(nodes=[node(1)], shares=[share(1, 8)], waiting=[waiting(1, 1, seconds=601)], max_seconds=600),
        Reason.TIME_LIMIT,
        {"seconds": 601, "max_seconds": 600, "partition": "training"},
    ),
    "no node is that large": (
        situation(nodes=[node(1), node(2, 4)], shares=[share(1, 12)], waiting=[waiting(1, 1, 8, nodes=2, cpus=2)]),
        Reason.IMPOSSIBLE,
        {
            "partition": "training",
            "nodes": 2,
            "per_node": npus(8),
            "cpus": 2,
            "memory_mb": 0,
            "nodes_fit": 1,
            "largest_node": npus(8),
        },
    ),
    "more than the team could ever have": (
        situation(nodes=[node(1)], shares=[share(1, 4, may_borrow=2)], waiting=[waiting(1, 1, 7)]),
        Reason.BEYOND_POTENTIAL,
        {
            "asked": npus(7),
            "guaranteed": npus(4),
            "may_borrow": npus(2),
            "potential": npus(6),
            "capacity": npus(8),
        },
    ),
    "own_only asks for more than the guarantee": (
        situation(nodes=[node(1)], shares=[share(1, 4)], waiting=[waiting(1, 1, 5, own_only=True)]),
        Reason.BEYOND_POTENTIAL,
        {"asked": npus(5), "guaranteed": npus(4), "may_borrow": 0, "potential": npus(4), "capacity": npus(8)},
    ),
    "its team runs as many jobs as it may": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 8, max_running=2)],
            running=[running(8, 1, {1: [0]}, ends=70), running(9, 1, {1: [1]}, ends=60)],
            waiting=[waiting(1, 1)],
        ),
        Reason.RUNNING_LIMIT,
        {"running": 2, "may_run": 2, "next_job": 9, "next_at": NOW + 60},
    ),
    "it takes only its own and that is in use": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 4)],
            running=[running(8, 1, {1: [0]}, ends=60), running(9, 1, {1: [1, 2]}, ends=70)],
            waiting=[waiting(1, 1, 3, own_only=True)],
        ),
        Reason.OWN_FULL,
        {
            "asked": npus(3),
            "used": npus(3),
            "guaranteed": npus(4),
            "borrowed": 0,
            "may_borrow": 0,
            "idle": npus(5),
            "next_job": 9,
            "next_at": NOW + 70,
        },
    ),
    "it has borrowed as much as it may": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 2, name="nlp", may_borrow=2)],
            running=[running(9, 1, {1: range(3)}, ends=70)],
            waiting=[waiting(1, 1, 2)],
        ),
        Reason.BORROW_LIMIT,
        {
            "limit_of": "nlp",
            "asked": npus(2),
            "used": npus(3),
            "guaranteed": npus(2),
            "borrowed": npus(1),
            "may_borrow": npus(2),
            "idle": npus(5),
            "next_job": 9,
            "next_at": NOW + 70,
        },
    ),
    "its group has borrowed as much as it may": (
        situation(
            nodes=[node(1)],
            shares=[
                share(7, 0, name="lab", is_group=True, may_borrow=3),
                share(1, 1, group=7),
                share(2, 1, group=7),
            ],
            running=[running(9, 2, {1: range(4)}, ends=70)],
            waiting=[waiting(1, 1, 2)],
        ),
        Reason.BORROW_LIMIT,
        {
            "limit_of": "lab",
            "asked": npus(2),
            "used": npus(4),
            "guaranteed": npus(2),
            "borrowed": npus(2),
            "may_borrow": npus(3),
            "idle": npus(4),
            "next_job": 9,
            "next_at": NOW + 70,
        },
    ),
    "what is idle is kept by its owners": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 0), share(2, 6, may_lend=2)],
            running=[running(9, 1, {1: range(2)}, ends=70)],
            waiting=[waiting(1, 1, 4)],
        ),
        Reason.NOTHING_TO_LEND,
        {
            "asked": npus(4),
            "used": npus(2),
            "guaranteed": 0,
            "borrowed": npus(2),
            "may_borrow": "unlimited",
            "idle": npus(6),
            "kept": npus(4),
            "next_job": 9,
            "next_at": NOW + 70,
        },
    ),
    "the pool is full": (
        situation(
            nodes=[node(1), node(2, open=False)],
            shares=[share(1, 5), share(2, 1)],
            running=[
                running(7, 2, {1: [0]}, ends=60),
                running(8, 2, {1: [1, 2]}, ends=80),
                running(9, 2, {1: [3, 4, 5]}, ends=70),
            ],
            waiting=[waiting(1, 1, 5)],
        ),
        Reason.POOL_FULL,
        {
            "asked": npus(5),
            "used": 0,
            "guaranteed": npus(5),
            "borrowed": 0,
            "may_borrow": "unlimited",
            "lent": npus(3),
            "idle": npus(2),
            "capacity": npus(8),
            "closed": 1,
            "next_job": 9,
            "next_at": NOW + 70,
            "next_idle": npus(6),
        },
    ),
    "enough is idle, but in pieces": (
        situation(
            nodes=[node(1), node(2), node(3, open=False)],
            shares=[share(1, 16)],
            running=[running(8, 1, {1: range(3)}, ends=60), running(9, 1, {2: range(4)}, ends=70)],
            waiting=[waiting(1, 1, 6)],
        ),
        Reason.FRAGMENTED,
        {
            "asked": npus(6),
            "used": npus(7),
            "guaranteed": npus(16),
            "borrowed": 0,
            "may_borrow": "unlimited",
            "idle": npus(9),
            "nodes": 1,
            "per_node": npus(6),
            "whole_node": 0,
            "pieces": [npus(5), npus(4)],
            "largest_piece": npus(5),
            "closed": 1,
            "next_job": 8,
            "next_at": NOW + 60,
        },
    ),
    "cores are short where NPUs are not": (
        situation(
            nodes=[node(1, cpus=16, memory_mb=100), node(2, 4, cpus=64, memory_mb=900)],
            shares=[share(1, 12)],
            running=[running(9, 1, {1: [0]}, cpus=10, memory_mb=20, ends=70)],
            waiting=[waiting(1, 1, 7, cpus=8, memory_mb=50)],
        ),
        Reason.NODE_RESOURCES,
        {
            "nodes": 1,
            "per_node": npus(7),
            "cpus": 8,
            "memory_mb": 50,
            "nodes_fit": 0,
            "cpus_free": 6,
            "memory_mb_free": 80,
            "closed": 0,
            "next_job": 9,
            "next_at": NOW + 70,
        },
    ),
}


@pytest.mark.parametrize(("have", "reason", "facts"), CASES.values(), ids=CASES.keys())
def test_reason(have: Situation, reason: Reason, facts: Facts) -> None:
    wait = wait_of(plan(have), 1)
    assert (wait.reason, dict(wait.facts)) == (reason, dict(facts))


def test_every_reason_that_has_keys_is_given_in_a_case() -> None:
    assert {reason for _, reason, _ in CASES.values()} == set(KEYS)


def test_the_reasons_without_keys_are_those_of_claims_and_reservations() -> None:
    assert set(Reason) - set(KEYS) == {Reason.OWNER_WAITS, Reason.RESERVED}


def test_the_numbers_are_those_after_the_starts_of_the_pass() -> None:
    have = situation(
        nodes=[node(1)], shares=[share(1, 0), share(2, 4)], waiting=[waiting(1, 1, 5), waiting(2, 2, 4, submitted=9)]
    )
    facts = wait_of(plan(have), 1).facts
    assert (facts["idle"], facts["next_job"]) == (npus(4), 2)


def test_nobody_knows_when_the_pool_has_enough() -> None:
    have = situation(
        nodes=[node(1)],
        shares=[share(1, 8)],
        running=[running(9, 1, {1: range(8)}, ends=None)],
        waiting=[waiting(1, 1)],
    )
    facts = wait_of(plan(have), 1).facts
    assert (facts["next_job"], facts["next_at"], facts["next_idle"]) == (0, 0, 0)


def test_the_end_of_a_job_on_a_closed_node_frees_nothing() -> None:
    have = situation(
        nodes=[node(1), node(2, open=False)],
        shares=[share(1, 8)],
        running=[*filler(1, nodes=[1], first_id=8), running(9, 1, {2: range(8)}, ends=10)],
        waiting=[waiting(1, 1, 8)],
    )
    assert wait_of(plan(have), 1).facts["next_job"] == 8


def test_jobs_that_cannot_start_as_they_are_have_no_place() -> None:
    have = situation(nodes=[node(1)], shares=[share(1, 4, may_borrow=0)], waiting=[waiting(1, 1, 9), waiting(2, 1, 5)])
    assert [wait.place for wait in plan(have).waits] == [None, None]
