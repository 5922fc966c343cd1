"""What every backend promises. A new one joins by a line in KINDS."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from scheduling.backends.base import Backend, BackendError, Ending, Phase, RunRef
from tests.backends import make

KINDS = ["local"]


@pytest.fixture(params=KINDS)
def backend(request: pytest.FixtureRequest) -> Backend:
    found: Backend = request.getfixturevalue(request.param)
    return found


def test_script_that_returns_zero_succeeds(backend: Backend) -> None:
    seen = make.run(backend, make.order("echo hello"))
    assert (seen.phase, seen.ending, seen.exit_code, seen.reason) == (Phase.ENDED, Ending.SUCCEEDED, 0, "")


def test_script_that_returns_another_number_fails_with_it(backend: Backend) -> None:
    seen = make.run(backend, make.order("exit 3"))
    assert (seen.ending, seen.exit_code, seen.reason) == (Ending.FAILED, 3, "exit")


def test_times_are_those_of_the_run(backend: Backend) -> None:
    before = datetime.now(UTC)
    seen = make.run(backend, make.order("sleep 0.3"))
    assert seen.started_at is not None
    assert seen.ended_at is not None
    assert before <= seen.started_at <= seen.ended_at <= datetime.now(UTC)
    assert seen.ended_at - seen.started_at >= timedelta(seconds=0.3)


def test_running_until_it_ends(backend: Backend) -> None:
    order = make.order("echo up; sleep 60")
    backend.submit(order)
    make.says(backend, order, "up")
    seen = make.look(backend, order)
    assert (seen.phase, seen.ended_at, seen.ending) == (Phase.RUNNING, None, None)


def test_second_submission_gives_the_same_id_and_starts_nothing(backend: Backend) -> None:
    order = make.order("echo once")
    first = backend.submit(order)
    make.ended(backend, order)
    assert backend.submit(order) == first
    assert make.output(backend, order) == "once\n"


def test_submitted_run_is_found_by_its_uuid(backend: Backend) -> None:
    order = make.order()
    assert backend.find(order.run) is None
    assert backend.submit(order) == backend.find(order.run)


def test_each_asked_run_gets_its_answer_in_order(backend: Backend) -> None:
    good, bad = make.order("exit 0"), make.order("exit 1", job=8)
    make.run(backend, good)
    make.run(backend, bad)
    seen = backend.observe([make.ref(bad), make.ref(good)])
    assert [(each.run, each.exit_code) for each in seen] == [(bad.run, 1), (good.run, 0)]


def test_run_that_nobody_submitted_is_lost(backend: Backend) -> None:
    [seen] = backend.observe([RunRef(run=uuid4(), backend_id=None)])
    assert (seen.phase, seen.reason) == (Phase.LOST, "unknown_run")


def test_cancelled_run_ends_as_cancelled_however_often_it_is_asked(backend: Backend) -> None:
    order = make.order("echo up; sleep 60")
    backend.submit(order)
    make.says(backend, order, "up")
    for _ in range(3):
        backend.cancel(make.ref(order), grace_seconds=5)
    assert make.ended(backend, order).ending == Ending.CANCELLED


def test_cancel_after_the_end_changes_nothing(backend: Backend) -> None:
    order = make.order("exit 4")
    before = make.run(backend, order)
    backend.cancel(make.ref(order), grace_seconds=0)
    assert make.look(backend, order) == before


def test_time_limit_ends_a_run(backend: Backend) -> None:
    assert make.run(backend, make.order("sleep 60", time_limit_seconds=1)).ending == Ending.TIMED_OUT


def test_order_without_a_node_is_refused_for_ever(backend: Backend) -> None:
    with pytest.raises(BackendError) as refusal:
        backend.submit(make.order(places=()))
    assert (refusal.value.code, refusal.value.retryable) == ("refused", False)


def test_signal_to_an_unknown_run_is_refused(backend: Backend) -> None:
    with pytest.raises(BackendError) as refusal:
        backend.signal(RunRef(run=uuid4(), backend_id=None), "USR1")
    assert (refusal.value.code, refusal.value.retryable) == ("unknown_run", False)


def test_signal_after_the_end_is_silent(backend: Backend) -> None:
    order = make.order()
    before = make.run(backend, order)
    backend.signal(make.ref(order), "USR1")
    assert make.look(backend, order) == before


def test_log_is_read_on_from_where_it_was_left(backend: Backend) -> None:
    order = make.order("echo one; echo two")
    make.run(backend, order)
    first = backend.log(make.ref(order), "output", offset=0, limit=4)
    second = backend.log(make.ref(order), "output", offset=first.next_offset, limit=100)
    assert (first.text, second.text, second.next_offset) == ("one\n", "two\n", second.size)


def test_negative_offset_counts_from_the_end_of_the_log(backend: Backend) -> None:
    order = make.order("echo one; echo two")
    make.run(backend, order)
    assert backend.log(make.ref(order), "output", offset=-4, limit=100).text == "two\n"


def test_log_of_a_run_that_wrote_none_does_not_exist(backend: Backend) -> None:
    part = backend.log(RunRef(run=uuid4(), backend_id=None), "output", offset=0, limit=100)
    assert (part.exists, part.text, part.size) == (False, "", 0)
