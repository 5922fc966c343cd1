"""The ledger: (lender, borrower, job, NPUs), the elastic pool as None."""

from __future__ import annotations

import pytest

from scheduling.engine import ledger
from scheduling.engine.amounts import scaled
from scheduling.engine.decisions import Split
from scheduling.engine.situation import Situation
from tests.engine.build import node, npus, running, share, situation

Row = tuple[int | str | None, int, int, int]

CASES: dict[str, tuple[Situation, list[Row]]] = {
    "within the guarantee nothing is lent": (
        situation(nodes=[node(1)], shares=[share(1, 8)], running=[running(1, 1, {1: range(8)})]),
        [],
    ),
    "the elastic pool lends before other teams": (
        situation(nodes=[node(1)], shares=[share(1, 2), share(2, 4)], running=[running(1, 1, {1: range(5)})]),
        [(None, 1, 1, 2), (2, 1, 1, 1)],
    ),
    "of other teams the one with most idle, drained before the next": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 0), share(2, 2), share(3, 4), share(4, 2)],
            running=[running(1, 1, {1: range(5)})],
        ),
        [(3, 1, 1, 4), (2, 1, 1, 1)],
    ),
    "with equal idle the name decides": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 0), share(2, 4, name="z"), share(3, 4, name="y")],
            running=[running(1, 1, {1: range(2)})],
        ),
        [(3, 1, 1, 2)],
    ),
    "a lender lends no more than its limit": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 0), share(2, 5, may_lend=1), share(3, 3)],
            running=[running(1, 1, {1: range(4)})],
        ),
        [(3, 1, 1, 3), (2, 1, 1, 1)],
    ),
    "borrowers take in the order of their starts": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 0), share(2, 0), share(3, 4)],
            running=[running(1, 1, {1: range(4)}, started=-10), running(2, 2, {1: range(4, 8)}, started=-20)],
        ),
        [(None, 2, 2, 4), (3, 1, 1, 4)],
    ),
    "of a team's jobs the one that may not be recalled stands on the guarantee": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 4)],
            running=[
                running(1, 1, {1: range(4)}, started=-20, rank=9),
                running(2, 1, {1: range(4, 8)}, preemptible=False),
            ],
        ),
        [(None, 1, 1, 4)],
    ),
    "then the higher rank": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 4)],
            running=[running(1, 1, {1: range(4)}, started=-200), running(2, 1, {1: range(4, 8)}, rank=1)],
        ),
        [(None, 1, 1, 4)],
    ),
    "then the earlier start": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 4)],
            running=[running(1, 1, {1: range(4)}, started=-10), running(2, 1, {1: range(4, 8)}, started=-20)],
        ),
        [(None, 1, 1, 4)],
    ),
    "then the higher id, the reverse of the order of recall": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 4)],
            running=[running(1, 1, {1: range(4)}), running(2, 1, {1: range(4, 8)})],
        ),
        [(None, 1, 1, 4)],
    ),
    "only the part beyond the guarantee is borrowed": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 3)],
            running=[running(1, 1, {1: range(2)}, started=-200), running(2, 1, {1: range(2, 6)})],
        ),
        [(None, 1, 2, 3)],
    ),
    "the group lends first, then its other teams, then the elastic pool, then strangers": (
        situation(
            nodes=[node(1)],
            shares=[
                share(9, 1, name="lab", is_group=True),
                share(1, 1, group=9),
                share(2, 1, group=9),
                share(3, 4),
            ],
            running=[running(1, 1, {1: range(6)})],
        ),
        [("group 9", 1, 1, 1), (2, 1, 1, 1), (None, 1, 1, 1), (3, 1, 1, 2)],
    ),
    "what a team of another group keeps is taken last, after a lend limit was cut below its use": (
        situation(
            nodes=[node(1)],
            shares=[share(1, 3, group=9, may_lend=0), share(2, 2), share(3, 0)],
            running=[running(1, 3, {1: range(6)})],
        ),
        [(None, 3, 1, 3), (2, 3, 1, 2), (1, 3, 1, 1)],
    ),
    "what was taken of a kept part is not there for the next": (
        situation(
            nodes=[node(1, 2), node(2, 2, lost=True)],
            shares=[share(1, 0), share(2, 2, may_lend=0)],
            running=[running(1, 1, {1: range(2)}), running(2, 1, {2: range(2)})],
        ),
        [(2, 1, 1, 2), (None, 1, 2, 2)],
    ),
    "what is lost with a node is overdrawn from the elastic pool": (
        situation(
            nodes=[node(1, 4), node(2, 4, lost=True)],
            shares=[share(1, 4)],
            running=[running(1, 1, {1: range(4)}, started=-200), running(2, 1, {2: range(4)})],
        ),
        [(None, 1, 2, 4)],
    ),
}


@pytest.mark.parametrize(("have", "want"), CASES.values(), ids=CASES.keys())
def test_ledger(have: Situation, want: list[Row]) -> None:
    loans, _ = ledger(have)
    rows = [
        (f"group {loan.lender_group}" if loan.lender_group else loan.lender, loan.borrower, loan.job, loan.grains)
        for loan in loans
    ]
    assert rows == [(lender, borrower, job, npus(amount)) for lender, borrower, job, amount in want]


def test_a_split_tells_on_whose_quota_a_job_is() -> None:
    have = situation(nodes=[node(1)], shares=[share(1, 2), share(2, 4)], running=[running(1, 1, {1: range(5)})])
    assert ledger(have)[1] == {1: Split(guaranteed=npus(2), elastic=npus(2), borrowed=npus(1))}


def test_guarantees_are_scaled_when_capacity_is_short() -> None:
    have = situation(
        nodes=[node(1, 4), node(2, 4, lost=True)],
        shares=[share(1, 6), share(2, 2)],
        running=[running(1, 1, {1: range(4)})],
    )
    assert ledger(have)[1][1] == Split(guaranteed=npus(3), borrowed=npus(1))


@pytest.mark.parametrize(
    ("amounts", "total", "want"),
    [([3, 3, 3], 7, [3, 2, 2]), ([6, 2], 4, [3, 1]), ([5, 4, 3, 0], 6, [3, 2, 1, 0]), ([1, 1], 0, [0, 0])],
)
def test_shrinking_gives_what_is_left_to_the_largest_remainder(amounts: list[int], total: int, want: list[int]) -> None:
    assert scaled(amounts, total=total) == want
