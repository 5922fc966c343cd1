"""Expected starts: with no new arrivals, each that was shown comes true."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from scheduling.engine import plan
from scheduling.engine.decisions import Assumption
from scheduling.engine.situation import Situation
from tests.engine.build import NOW, filler, node, running, share, situation, wait_of, waiting
from tests.engine.replay import after_starts, at_limit, next_moment, without
from tests.engine.strategies import situations

ONE = (node(1),)


def starts_come_true(have: Situation) -> None:
    """Lives on until nothing happens any more; each plan's expectations must be met by the later ones."""
    shown: dict[int, int] = {}
    for _ in range(60):
        answers = plan(have)
        for start in answers.starts:
            assert shown.get(start.job, have.now) == have.now
        for wait in answers.waits:
            at = wait.expected.at
            assert shown.setdefault(wait.job, at) == at if at is not None else wait.job not in shown
        have = after_starts(have, answers)
        at = next_moment(have)
        if at is None or at > NOW + 100_000:
            return
        have = without(have, at_limit(have, at=at), at=at)


@given(situations())
@settings(max_examples=150)
def test_each_shown_start_comes_true(have: Situation) -> None:
    starts_come_true(replace(have, clusters_away={}))


@given(situations(all_open=True, all_end=True))
@settings(max_examples=150)
def test_each_shown_start_comes_true_where_all_jobs_have_limits(have: Situation) -> None:
    have = replace(
        have, clusters_away={}, waiting=tuple(replace(job, seconds=job.seconds or 9) for job in have.waiting)
    )
    starts_come_true(have)


def test_the_job_that_it_waits_for_is_named_last() -> None:
    have = situation(
        nodes=ONE,
        shares=[share(1, 8)],
        running=[running(10, 1, {1: range(4)}, ends=50), running(11, 1, {1: range(4, 8)}, ends=80)],
        waiting=[waiting(20, 1, 8)],
    )
    expected = wait_of(plan(have), 20).expected
    assert (expected.at, expected.assumption, expected.after) == (NOW + 80, Assumption.RUNNING_LIMITS, (10, 11))


def test_a_job_ahead_in_the_queue_is_waited_for_too() -> None:
    have = situation(
        nodes=ONE,
        shares=[share(1, 8)],
        running=filler(1, nodes=[1], first_id=10),
        waiting=[waiting(20, 1, 8, seconds=300), waiting(21, 1, 8)],
    )
    expected = wait_of(plan(have), 21).expected
    assert (expected.at, expected.after) == (NOW + 1_300, (20,))


def test_a_job_past_its_limit_ends_any_moment_now() -> None:
    have = situation(
        nodes=ONE,
        shares=[share(1, 8)],
        running=[running(10, 1, {1: range(8)}, ends=-30)],
        waiting=[waiting(20, 1, 8)],
    )
    assert wait_of(plan(have), 20).expected.at == NOW


def test_nobody_knows_when_a_job_without_limit_ends() -> None:
    have = situation(
        nodes=ONE,
        shares=[share(1, 8)],
        running=[running(10, 1, {1: range(8)}, ends=None)],
        waiting=[waiting(20, 1, 8)],
    )
    wait = wait_of(plan(have), 20)
    assert (wait.place, wait.expected.at, wait.expected.assumption) == (1, None, Assumption.UNKNOWN)


def test_a_job_without_a_limit_of_its_own_has_its_partitions() -> None:
    have = situation(
        nodes=ONE,
        shares=[share(1, 8)],
        waiting=[waiting(20, 1, 8, seconds=None), waiting(21, 1, 8)],
        max_seconds=700,
    )
    assert wait_of(plan(have), 21).expected.at == NOW + 700


def test_a_job_that_may_not_begin_yet_has_no_place_but_an_expected_start() -> None:
    have = situation(nodes=ONE, shares=[share(1, 8)], waiting=[waiting(20, 1, 8, not_before=40)])
    wait = wait_of(plan(have), 20)
    assert (wait.place, wait.expected.at) == (None, NOW + 40)


def test_a_small_job_overtakes_and_its_place_says_so() -> None:
    have = situation(
        nodes=ONE,
        shares=[share(1, 8)],
        running=[running(10, 1, {1: range(4)}, ends=50), running(11, 1, {1: range(4, 8)}, ends=80)],
        waiting=[waiting(20, 1, 8), waiting(21, 1, 4, seconds=10)],
    )
    answers = plan(have)
    assert (wait_of(answers, 21).place, wait_of(answers, 20).place) == (1, 2)


def test_far_beyond_the_horizon_nothing_is_said() -> None:
    have = situation(
        nodes=ONE,
        shares=[share(1, 8)],
        running=[running(10, 1, {1: range(8)}, ends=61 * 86_400)],
        waiting=[waiting(20, 1, 8)],
    )
    assert wait_of(plan(have), 20).expected.at is None
