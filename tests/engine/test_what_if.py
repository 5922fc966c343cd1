"""What the submit page shows of a job that is not submitted yet."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from scheduling.engine import plan, what_if
from scheduling.engine.decisions import Assumption, Loan, Reason, Split
from scheduling.engine.situation import Situation
from tests.engine.build import NOW, POOL, node, npus, running, share, situation, wait_of, waiting
from tests.engine.strategies import NUMBERS, situations, waiting_jobs

SHARES = [share(1, 4, name="nlp"), share(2, 8, name="vision")]


def test_a_job_that_fits_starts_now_on_the_guarantee() -> None:
    preview = what_if(situation(nodes=[node(1), node(2)], shares=SHARES), waiting(1, 1, 3))
    assert (preview.starts_now, preview.reason, preview.expected.assumption) == (True, None, Assumption.NEXT_PASS)
    assert preview.split == Split(guaranteed=npus(3))
    assert (preview.guaranteed, preview.used_before, preview.used_after) == (npus(4), 0, npus(3))


def test_the_lenders_are_named() -> None:
    preview = what_if(situation(nodes=[node(1), node(2)], shares=SHARES), waiting(1, 1, 5, nodes=2))
    assert preview.split == Split(guaranteed=npus(4), elastic=npus(4), borrowed=npus(2))
    assert preview.loans == (
        Loan(pool=POOL, lender=None, borrower=1, job=1, grains=npus(4)),
        Loan(pool=POOL, lender=2, borrower=1, job=1, grains=npus(2)),
    )


def test_the_split_is_the_one_at_the_start_that_lies_ahead() -> None:
    have = situation(
        nodes=[node(1)],
        shares=[share(1, 4), share(2, 4)],
        running=[running(8, 1, {1: range(4)}, ends=50), running(9, 2, {1: range(4, 8)}, ends=80)],
    )
    borrowing, own_only = what_if(have, waiting(1, 1, 5)), what_if(have, waiting(1, 1, 4, own_only=True))
    assert (borrowing.expected.at, borrowing.split) == (NOW + 80, Split(guaranteed=npus(4), borrowed=npus(1)))
    assert (own_only.expected.at, own_only.split) == (NOW + 50, Split(guaranteed=npus(4)))
    assert (borrowing.used_before, borrowing.used_after) == (npus(4), npus(9))


def test_an_unknown_start_has_no_split() -> None:
    have = situation(nodes=[node(1)], shares=SHARES, running=[running(9, 2, {1: range(8)}, ends=None)])
    preview = what_if(have, waiting(1, 1, 2))
    assert (preview.reason, preview.split, preview.loans, preview.grains) == (Reason.POOL_FULL, None, (), npus(2))


def test_its_place_counts_those_before_it() -> None:
    have = situation(
        nodes=[node(1)],
        shares=[share(1, 8)],
        running=[running(9, 1, {1: range(8)})],
        waiting=[waiting(10, 1, 8), waiting(11, 1, 8)],
    )
    assert what_if(have, waiting(99, 1, 8)).place == 3


@given(situations(), st.tuples(NUMBERS))
def test_it_says_what_the_plan_would_say(have: Situation, number: tuple[int]) -> None:
    job = replace(waiting_jobs(number, on=have.nodes)[0], id=999)
    preview, real = what_if(have, job), plan(replace(have, waiting=(*have.waiting, job)))
    if preview.starts_now:
        start = next(start for start in real.starts if start.job == 999)
        assert (preview.split, preview.grains) == (start.split, start.grains)
    else:
        wait = wait_of(real, 999)
        assert (preview.reason, preview.facts.keys(), preview.expected) == (
            wait.reason,
            wait.facts.keys(),
            wait.expected,
        )
        assert preview.place == wait.place
        if preview.split is not None:
            assert preview.split.guaranteed + preview.split.elastic + preview.split.borrowed == preview.grains
            assert sum(loan.grains for loan in preview.loans) == preview.grains - preview.split.guaranteed
