"""Jobs run as the portal's user: whatever one does to the files of its run, it harms no other."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scheduling.backends.base import Ending, Order, Phase
from scheduling.backends.local import LocalBackend, process
from tests.backends import make

GARBLED = {
    "no JSON": b"\xff{",
    "a list": b"[]",
    "too deep": b"[" * 100_000,
    "a number of many digits": b'{"at": ' + b"9" * 5000 + b"}",
    "nothing known": b'{"x": 1}',
    "other types": b'{"how": ["exit"], "at": "now", "pid": "1", "ticks": null, "boot": 3}',
    "no number": b'{"how": "exit", "at": NaN, "pid": 1, "ticks": 1, "boot": "x"}',
    "an exit code of words": b'{"how": "exit", "at": 5, "exit_code": "0"}',
    "a signal of words": b'{"how": "exit", "at": 5, "signal": true}',
}


def _folder(local: LocalBackend, order: Order) -> Path:
    return local.root / "runs" / str(order.run)


def _alive(path: Path) -> list[int]:
    found = [process.read(int(pid)) for pid in path.read_text().split()]
    return [each.pid for each in found if each is not None and not each.gone]


def _two(local: LocalBackend, tmp_path: Path) -> tuple[Order, Order]:
    """One that will be damaged, and its neighbour."""
    damaged = make.order(f"(setsid sleep 1000 &); echo $$ > {tmp_path}/pids; sleep 1000")
    neighbour = make.order("sleep 1000", job=8)
    local.submit(damaged)
    local.submit(neighbour)
    make.until(lambda: (tmp_path / "pids").exists() and (tmp_path / "pids").read_text() != "")
    return damaged, neighbour


@pytest.mark.parametrize("name", ["end.json", "started.json"])
@pytest.mark.parametrize("content", GARBLED.values(), ids=GARBLED.keys())
def test_a_run_that_cannot_be_read_is_lost_and_its_neighbour_goes_on(
    local: LocalBackend, tmp_path: Path, name: str, content: bytes
) -> None:
    damaged, neighbour = _two(local, tmp_path)
    (_folder(local, damaged) / name).write_bytes(content)
    assert [each.run for each in local.live_runs()] == [neighbour.run]
    assert local.sweep(keep=(damaged.run,), ended_before=datetime.now(UTC) - timedelta(days=1)) == 0
    assert local.log(make.ref(damaged), "output", offset=0, limit=100).exists
    lost, other = local.observe([make.ref(damaged), make.ref(neighbour)])
    assert (lost.phase, lost.reason, other.phase) == (Phase.LOST, "unreadable_state", Phase.RUNNING)
    assert process.remnants(str(damaged.run)) == []
    assert _alive(tmp_path / "pids") == []
    assert make.look(local, damaged) == lost


def test_a_folder_without_rights_is_lost_and_swept(local: LocalBackend, tmp_path: Path) -> None:
    if os.getuid() == 0:  # nothing is out of reach of root: a loop of links is
        damaged, neighbour = _two(local, tmp_path)
        (_folder(local, damaged) / "end.json").symlink_to("end.json")
    else:
        damaged, neighbour = _two(local, tmp_path)
        _folder(local, damaged).chmod(0)
    lost, other = local.observe([make.ref(damaged), make.ref(neighbour)])
    assert (lost.phase, lost.reason, other.phase) == (Phase.LOST, "unreadable_state", Phase.RUNNING)
    assert local.sweep(keep=(), ended_before=datetime.now(UTC) + timedelta(hours=1)) == 1
    assert not _folder(local, damaged).exists()


def test_a_pipe_in_the_place_of_an_end_holds_nobody_up(local: LocalBackend, tmp_path: Path) -> None:
    damaged, _ = _two(local, tmp_path)
    os.mkfifo(_folder(local, damaged) / "end.json")
    assert make.look(local, damaged).reason == "unreadable_state"


def test_cancelling_a_damaged_run_stops_it(local: LocalBackend, tmp_path: Path) -> None:
    damaged, _ = _two(local, tmp_path)
    (_folder(local, damaged) / "end.json").write_text("{")
    local.cancel(make.ref(damaged), grace_seconds=0)
    assert _alive(tmp_path / "pids") == []
    assert make.look(local, damaged).reason == "unreadable_state"


def test_an_order_that_cannot_be_read_never_begins(local: LocalBackend) -> None:
    order = make.order()
    folder = _folder(local, order)
    folder.mkdir(parents=True)
    (folder / "order.json").write_text('{"job": 7}')
    os.utime(folder / "order.json", (1, 1))
    assert make.look(local, order).reason == "unreadable_state"


def test_garbled_requests_do_not_end_the_supervisor(local: LocalBackend, tmp_path: Path) -> None:
    order, _ = _two(local, tmp_path)
    (_folder(local, order) / "cancel.json").write_text('{"grace": "soon"}')
    (_folder(local, order) / "requests" / "rubbish").touch()
    (_folder(local, order) / "requests" / "folder").mkdir()
    local.signal(make.ref(order), "USR2")
    local.cancel(make.ref(order), grace_seconds=0)
    assert make.ended(local, order).ending == Ending.CANCELLED


@pytest.mark.parametrize(("at", "began"), [(1e10, None), (5, 6e9), (5, 100)])
def test_times_are_put_in_order(local: LocalBackend, at: float, began: float | None) -> None:
    order = make.order()
    make.run(local, order)
    end = {"how": "exit", "at": at, "started_at": began, "exit_code": 0, "detail": "a\0b\ud800"}
    (_folder(local, order) / "end.json").write_text(json.dumps(end))
    seen = make.look(local, order)
    assert seen.ended_at is not None
    assert seen.ended_at.timestamp() <= time.time()
    assert seen.started_at is None or seen.started_at <= seen.ended_at
    assert (seen.ending, seen.detail) == (Ending.SUCCEEDED, "a?b?")
