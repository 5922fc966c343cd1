from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from scheduling.backends.base import Phase
from scheduling.backends.local import LocalBackend, state
from tests.backends import make

LATER = timedelta(hours=1)


def test_sweep_takes_old_runs_and_keeps_the_others(local: LocalBackend) -> None:
    old, kept, running = make.order(job=1), make.order(job=2), make.order("sleep 1000", job=3)
    make.run(local, old)
    make.run(local, kept)
    local.submit(running)
    assert local.sweep(keep={kept.run}, ended_before=datetime.now(UTC) + LATER) == 1
    assert local.find(old.run) is None
    assert [make.look(local, order).phase for order in (kept, running)] == [Phase.ENDED, Phase.RUNNING]
    assert sorted(os.listdir(local.root / "jobs")) == ["2", "3"]


def test_sweep_leaves_what_ended_lately(local: LocalBackend) -> None:
    make.run(local, order := make.order())
    assert local.sweep(keep=(), ended_before=datetime.now(UTC) - LATER) == 0
    assert make.output(local, order) == ""
    assert make.look(local, order).phase == Phase.ENDED


def test_sweep_of_an_empty_place_does_nothing(local: LocalBackend) -> None:
    assert local.sweep(keep=(), ended_before=datetime.now(UTC)) == 0


def test_sweep_takes_what_a_worker_began_and_nobody_came_back_to(local: LocalBackend) -> None:
    begun = local.root / "runs" / str(make.order().run)
    state.RunFolder(str(begun)).make()
    assert local.sweep(keep=(), ended_before=datetime.now(UTC) - LATER) == 0
    assert local.sweep(keep=(), ended_before=datetime.now(UTC) + LATER) == 1
    assert os.listdir(local.root / "runs") == []


def test_half_removed_run_is_neither_listed_nor_left(local: LocalBackend) -> None:
    make.run(local, order := make.order())
    folder = local.root / "runs" / str(order.run)
    folder.rename(folder.with_name(f".gone-{order.run}"))
    assert local.live_runs() == []
    assert local.sweep(keep=(), ended_before=datetime.now(UTC)) == 0
    assert os.listdir(local.root / "runs") == []
