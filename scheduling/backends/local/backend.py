"""The local backend's face to the portal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGUSR1
from uuid import UUID

from npu_inventory.reports import NodeReport
from scheduling.backends.base import Abilities, BackendError, Ending, LogPart, Observation, Order, Phase, RunRef
from scheduling.backends.local import launch, logs, orders, process, retention, signals
from scheduling.backends.local.instructions import Instructions
from scheduling.backends.local.state import OF_THE_MACHINE, End, RunFolder, Started, Unreadable

START_PATIENCE = 10.0
"""Seconds that a supervisor has to take its run before another is sent after it."""
KILL_PATIENCE = 2.0
ENDINGS = {"timeout": Ending.TIMED_OUT, "cancelled": Ending.CANCELLED, "refused": Ending.FAILED}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    run: UUID
    job: int
    name: str
    started_at: datetime
    pid: int
    """Of the supervisor."""


class LocalBackend:
    abilities = Abilities(own_nodes=True)

    def __init__(self, root: Path, *, cluster: str = "local", python: str = sys.executable) -> None:
        self.root = Path(os.path.abspath(root))
        self.cluster = cluster
        self.python = python

    def submit(self, order: Order) -> str:
        run = self._folder(order.run)
        if not run.has_order() and not run.begun():  # begun without an order: cancelled before it came
            folder = str(self.root / "jobs" / str(order.job))
            try:
                orders.prepare(order, run=run, job_folder=folder, cluster=self.cluster, python=self.python)
            except OSError as exc:  # a full disk, say
                raise BackendError("away", str(exc), retryable=True) from exc
        self._ensure_begun(run)
        return str(order.run)

    def find(self, run: UUID) -> str | None:
        """Also starts what a worker prepared and died before starting: the answer "submitted" is true then."""
        folder = self._folder(run)
        if folder.has_order():
            self._ensure_begun(folder)
        return str(run) if folder.begun() else None

    def cancel(self, ref: RunRef, *, grace_seconds: int) -> None:
        """A run that nobody submitted yet is cancelled for good: a submission that comes late starts nothing."""
        run = self._folder(ref.run)
        try:
            if run.end() is not None:
                return
        except Unreadable:
            if self._give_up(run) is None:
                raise BackendError("away", "its processes cannot be killed", retryable=True) from None
            return
        run.make()
        run.ask_cancel(grace=grace_seconds)
        if not run.begun():
            self._end_before_begin(run)
        self._wake(run)

    def signal(self, ref: RunRef, name: str) -> None:
        """To the tasks of srun, as scancel does; to the batch script if the name or the order's --signal says B:."""
        run = self._folder(ref.run)
        if _is_over(run):
            return
        if not run.has_order():
            raise BackendError("unknown_run", str(ref.run), retryable=False)
        try:
            target, number, _ = signals.request(name)
        except signals.UnknownSignal as exc:
            raise BackendError("refused", f"unknown signal {name}", retryable=False) from exc
        with suppress(Unreadable):
            target = "batch" if retention.wants_batch_signal(run) else target
        run.ask_signal(target=target, number=number)
        self._wake(run)

    def observe(self, refs: Sequence[RunRef]) -> list[Observation]:
        return [self._look(ref.run) for ref in refs]

    def log(self, ref: RunRef, stream: str, *, offset: int, limit: int) -> LogPart:
        """The run's own file, which no later attempt overwrites. Where both streams go into one it is "output"."""
        if stream not in ("output", "error"):
            raise BackendError("refused", f"no stream {stream}", retryable=False)
        run = self._folder(ref.run)
        limit = min(limit, self.abilities.max_log_bytes)
        return logs.read(run.log(stream), offset=offset, limit=limit, final=_is_over(run))

    def nodes(self) -> list[NodeReport]:
        return []

    def live_runs(self) -> list[LiveRun]:
        """What runs on this machine now, from the files alone."""
        found = []
        for run in retention.folders(self.root):
            try:
                started = run.started()
                if started is None or run.end() is not None or not _is_alive(started):
                    continue
                uuid = UUID(os.path.basename(run.path))
                job, name = retention.describe(run)
            except (Unreadable, ValueError, OSError):  # told by `observe`
                continue
            found.append(LiveRun(run=uuid, job=job, name=name, started_at=_moment(started.at), pid=started.pid))
        return sorted(found, key=lambda each: each.started_at)

    def sweep(self, *, keep: Collection[UUID], ended_before: datetime) -> int:
        """Removes runs that ended long ago, and job folders without runs; says how many runs.

        Keep all that may still be submitted: the folder is the memory that a run has been, without it a late
        submission would start it again.
        """
        return retention.sweep(self.root, keep=keep, ended_before=ended_before.timestamp())

    def _folder(self, run: UUID) -> RunFolder:
        return RunFolder(str(self.root / "runs" / str(run)))

    def _ensure_begun(self, run: RunFolder, *, patience: float = START_PATIENCE) -> None:
        if run.begun():
            return
        try:
            launch.supervisor(run, python=self.python, patience=patience)
        except OSError as exc:
            raise BackendError("away", f"no supervisor: {exc}", retryable=True) from exc
        if patience and not run.begun():
            raise BackendError("away", retention.last_words(run), retryable=True)

    def _end_before_begin(self, run: RunFolder) -> None:
        """Without the claim there is a supervisor about to begin; it looks for the request itself, before and after."""
        claim = run.try_lock()
        if claim is None:
            return
        try:
            if not run.begun():
                run.finish(End(how="cancelled", at=time.time()))
        finally:
            os.close(claim)

    def _wake(self, run: RunFolder) -> None:
        try:
            started = run.started()
        except Unreadable:  # the next look gives it up
            return
        if started is None:
            return
        supervisor = process.find(pid=started.pid, started=started.ticks, boot=started.boot)
        if supervisor is not None:
            process.send(supervisor, SIGUSR1)

    def _look(self, uuid: UUID) -> Observation:
        """What is wrong with one run is said of that run: the others go on. Only what ails the machine ends the round."""
        try:
            return self._observe(uuid)
        except Unreadable:
            end = self._give_up(self._folder(uuid))
            if end is None:
                return _observation(uuid, Phase.RUNNING, detail="its processes cannot be killed")
            return _ended(uuid, end)
        except OSError as exc:
            if exc.errno in OF_THE_MACHINE:
                raise BackendError("away", str(exc), retryable=True) from exc
            return _observation(uuid, Phase.RUNNING, detail=str(exc))

    def _give_up(self, run: RunFolder) -> End | None:
        """Its files say nothing that can be believed: what lives of it is killed, then it is lost. None while some live."""
        if not process.kill_remnants(os.path.basename(run.path), patience=KILL_PATIENCE):
            return None
        end = End(how="lost", at=time.time(), reason="unreadable_state")
        with suppress(OSError):  # the folder itself may be out of reach: then it is said again at each look
            run.give_up(end)
        return end

    def _observe(self, uuid: UUID) -> Observation:
        run = self._folder(uuid)
        end = run.end()
        started = None if end is not None else run.started()
        if end is None and started is not None:
            if _is_alive(started):
                return _observation(uuid, Phase.RUNNING, started_at=_moment(started.at))
            end = run.end()  # it may have been written between the two looks
            if end is None:
                end = self._bury(run, started)
            if end is None:
                return _observation(
                    uuid, Phase.RUNNING, started_at=_moment(started.at), detail="its processes cannot be killed"
                )
        if end is not None:
            return _ended(uuid, end)
        if not run.has_order():
            return _observation(uuid, Phase.LOST, reason="unknown_run")
        if time.time() - os.stat(run.order).st_mtime > START_PATIENCE:
            Instructions.load(run)  # no supervisor would ever begin what cannot be read
            with suppress(BackendError):  # tried again at the next look; the other runs want their answer now
                self._ensure_begun(run, patience=0)
        return _observation(uuid, Phase.PENDING)

    def _bury(self, run: RunFolder, started: Started) -> End | None:
        """The supervisor was killed and nobody watches its job: what lives of it is killed, then the run is lost.

        The script died with it (parent-death signal); tasks and daemons are found by their mark. Not found is only
        what emptied its environment, left its session and lost its parents. None while some still live.
        """
        at = time.time()
        if started.boot != process.boot_id():
            at = max(started.at, min(at, process.boot_time()))  # it held nothing after the machine went down
        elif not process.kill_remnants(os.path.basename(run.path), patience=KILL_PATIENCE):
            return None
        run.finish(End(how="lost", at=at, started_at=started.at, reason="process_gone"))
        return run.end()


def _is_over(run: RunFolder) -> bool:
    """What cannot be read will not go on either: the next look gives it up."""
    try:
        return run.end() is not None
    except Unreadable:
        return True


def _is_alive(started: Started) -> bool:
    return process.find(pid=started.pid, started=started.ticks, boot=started.boot) is not None


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)


def _observation(
    run: UUID, phase: Phase, *, started_at: datetime | None = None, reason: str = "", detail: str = ""
) -> Observation:
    return Observation(run=run, backend_id=str(run), phase=phase, started_at=started_at, reason=reason, detail=detail)


def _ended(run: UUID, end: End) -> Observation:
    lost = end.how == "lost"
    ending, reason = ENDINGS.get(end.how), end.reason
    if end.how == "exit":
        ending = Ending.SUCCEEDED if end.exit_code == 0 else Ending.FAILED
        reason = "" if end.exit_code == 0 else "signal" if end.signal else "exit"
    return Observation(
        run=run,
        backend_id=str(run),
        phase=Phase.LOST if lost else Phase.ENDED,
        started_at=None if end.started_at is None else _moment(end.started_at),
        ended_at=_moment(end.at),
        ending=ending,
        exit_code=end.exit_code,
        signal=end.signal,
        reason=reason,
        detail=end.detail,
    )
