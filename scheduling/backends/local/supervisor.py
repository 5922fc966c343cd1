"""The supervisor of one run: claims it, runs its script, watches the clock, and writes how it ended.

It is a program of its own that outlives whoever started it (`launch.supervisor`), and alone starts the script:

1. claim: the lock on the run's folder, held for life. Who does not get it goes. What has begun is never begun again.
2. begin: pid, start time and boot go to disk before the script starts. Killed in between, the run is lost, not doubled.
3. watch: children, requests (cancel, signals), --signal's warning, the time limit. SIGTERM, after the grace SIGKILL.
4. clear: whatever the script left behind is stopped; as a subreaper this process is the parent of every orphan.
5. end: exit and time go to disk. Only then are the run's NPUs free.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import sys
import time

from scheduling.backends.local import paths, process
from scheduling.backends.local.execute import execute
from scheduling.backends.local.instructions import Instructions
from scheduling.backends.local.state import End, RunFolder, Started

CLAIM_PATIENCE = 5.0
REMNANT_GRACE = 2.0
"""Seconds that processes left behind by a script which ended by itself have between SIGTERM and SIGKILL."""
UNKILLABLE_PATIENCE = 30.0
LOOK = 0.2
HEEDED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_prctl = ctypes.CDLL(None, use_errno=True).prctl


def main(arguments: list[str]) -> None:
    if os.fork():
        os._exit(0)
    run = RunFolder(arguments[0])
    claim = _claim(run)
    if claim is None:
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, HEEDED)  # before anybody can learn of this process and signal it
    if run.cancel_grace() is not None:
        run.finish(End(how="cancelled", at=time.time()))
        return
    order = Instructions.load(run)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    started = _begin(run)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)  # who waited for the claim may go on
    supervision = Supervision(run=run, order=order, started=started)
    _finish(run, supervision.carry_out())
    _empty(run.temporary)


def _claim(run: RunFolder) -> int | None:
    """None when the run has begun or somebody else is about to begin it."""
    deadline = time.monotonic() + CLAIM_PATIENCE
    while (claim := run.try_lock()) is None:
        if run.begun() or time.monotonic() > deadline:
            return None
        time.sleep(0.005)
    return None if run.begun() else claim


def _begin(run: RunFolder) -> Started:
    me = process.read(os.getpid())
    assert me is not None
    started = Started(pid=me.pid, ticks=me.started, boot=process.boot_id(), at=time.time())
    run.begin(started)
    return started


def _finish(run: RunFolder, end: End) -> None:
    """A full disk must not lose how the run ended: its job may have filled it, and somebody will make room."""
    while True:
        try:
            run.finish(end)
            return
        except OSError as exc:
            if exc.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EIO):
                raise
            time.sleep(1)


def _empty(folder: str) -> None:
    for path, folders, files in os.walk(folder, topdown=False):
        for name in files + folders:
            entry = os.path.join(path, name)
            try:
                os.rmdir(entry) if os.path.isdir(entry) and not os.path.islink(entry) else os.unlink(entry)
            except OSError as exc:
                sys.stderr.write(f"{entry}: {exc}\n")


class Supervision:
    def __init__(self, *, run: RunFolder, order: Instructions, started: Started) -> None:
        self.run = run
        self.order = order
        self.started = started
        self.began = time.monotonic()
        self.batch = 0
        self.status: int | None = None
        self.stopped: str | None = None
        """"timeout" or "cancelled" once the job was asked to stop."""
        self.asked_at = self.began
        self.kill_at: float | None = None
        self.kill_again = self.began
        self.limit_at = None if order.time_limit is None else self.began + order.time_limit
        self.warn_at: float | None = None
        if order.warning is not None and self.limit_at is not None:
            self.warn_at = max(self.began, self.limit_at - order.warning[2])

    def carry_out(self) -> End:
        if self.run.cancel_grace() is not None:  # asked for between claim and begin
            return self._end(how="cancelled")
        try:
            output, error = self._open_logs()
        except OSError as exc:
            return self._end(how="refused", reason="output_path", detail=str(exc))
        self.error = error
        self.batch = self._spawn(output, error)
        while not self._batch_ended():
            self._heed_requests()
            self._heed_clock()
            self._sleep(self._until_next())
        cause = self.stopped
        clean = self._clear()
        return self._end(
            how="exit" if cause is None else cause, detail="" if clean else "processes of the job could not be killed"
        )

    def _end(self, *, how: str, reason: str = "", detail: str = "") -> End:
        code = None if self.status is None else os.waitstatus_to_exitcode(self.status)
        return End(
            how=how,
            at=self.started.at + (time.monotonic() - self.began),  # a clock set back must not make a run end first
            started_at=self.started.at,
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            reason=reason,
            detail=detail,
        )

    def _open_logs(self) -> tuple[int, int]:
        output = self._open_log("output", self.order.output)
        return output, output if self.order.error is None else self._open_log("error", self.order.error)

    def _open_log(self, stream: str, relative: str) -> int:
        """The file lies in the run's own folder, safe from the next attempt; the job's folder shows it."""
        if not relative:
            return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        path = self.run.log(stream)
        log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        paths.link_into(path, relative, folder=self.order.folder)
        return log

    def _spawn(self, output: int, error: int) -> int:
        parent = os.getpid()
        child = os.fork()
        if child:
            return child
        try:
            os.setsid()
            _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)  # no script goes on without its supervisor
            if os.getppid() != parent:
                os._exit(1)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(output, 1)
            os.dup2(error, 2)
            os.chdir(self.order.folder)
            os.umask(0o022)
            _offer_to_oom_killer()
            execute(self.run.script, [self.run.script], self.order.environment)
        except OSError as exc:
            message = f"slurmstepd: error: execve(): {self.run.script}: {os.strerror(exc.errno or 0)}\n"
            os.write(2, message.encode())
            os._exit(exc.errno or 1)
        finally:
            os._exit(1)

    def _batch_ended(self) -> bool:
        self._reap()
        return self.status is not None

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.batch:
                self.status = status

    def _heed_requests(self) -> None:
        grace = self.run.cancel_grace()
        if grace is not None:
            self._stop("cancelled", grace=grace)
        for target, number in self.run.take_signals():
            self._signal(target, number)

    def _heed_clock(self) -> None:
        now = time.monotonic()
        if self.warn_at is not None and now >= self.warn_at and self.order.warning is not None:
            self.warn_at = None
            self._signal(self.order.warning[0], self.order.warning[1])
        if self.limit_at is not None and now >= self.limit_at:
            self.limit_at = None
            self._stop("timeout", grace=self.order.grace)
        if self.kill_at is not None and now >= max(self.kill_at, self.kill_again):
            self.kill_again = now + LOOK  # for those born meanwhile
            for each in process.descendants(os.getpid()):
                process.send(each, signal.SIGKILL)

    def _stop(self, how: str, *, grace: float) -> None:
        """The first cause counts, and none once the script has ended; a later request can only shorten the grace."""
        self._reap()
        if self.stopped is None and self.status is None:
            self.stopped = how
            self._note(how)
            self._terminate(grace=grace)
        elif self.kill_at is not None:
            self.kill_at = min(self.kill_at, self.asked_at + grace)

    def _terminate(self, *, grace: float) -> None:
        self.asked_at = time.monotonic()
        self.kill_at = self.asked_at + grace
        for each in process.descendants(os.getpid()):
            process.send(each, signal.SIGCONT)
            process.send(each, signal.SIGTERM)

    def _note(self, how: str) -> None:
        """Slurm's own line at the end of the log, which people look for."""
        when = time.strftime("%Y-%m-%dT%H:%M:%S")
        cause = " DUE TO TIME LIMIT" if how == "timeout" else ""
        line = (
            f"slurmstepd: error: *** JOB {self.order.job} ON {self.order.nodes[0][0]} CANCELLED AT {when}{cause} ***\n"
        )
        try:
            os.write(self.error, line.encode())
        except OSError as exc:
            sys.stderr.write(f"log: {exc}\n")

    def _signal(self, target: str, number: int) -> None:
        for each in process.descendants(os.getpid()):
            if target == "batch" and each.pid != self.batch:
                continue
            if target == "steps" and not process.is_step(each):
                continue
            process.send(each, number)

    def _until_next(self) -> float:
        times = [each for each in (self.warn_at, self.limit_at) if each is not None]
        if self.kill_at is not None:
            times.append(max(self.kill_at, self.kill_again))
        return max(0.0, min(times) - time.monotonic()) if times else 3600.0

    def _sleep(self, seconds: float) -> None:
        got = signal.sigtimedwait(HEEDED, seconds)
        if got is not None and got.si_signo in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self._stop("cancelled", grace=self.order.grace)  # the machine goes down, or somebody wants this job gone

    def _clear(self) -> bool:
        """A script asked to stop may die at once while its tasks still save: they keep the rest of the grace."""
        if self.kill_at is None:
            self._terminate(grace=REMNANT_GRACE)
        give_up: float | None = None
        while process.descendants(os.getpid()):
            self._heed_requests()
            if self.kill_at is not None and time.monotonic() >= self.kill_at:
                give_up = give_up or time.monotonic() + UNKILLABLE_PATIENCE
                if time.monotonic() > give_up:
                    return False
            self._heed_clock()
            self._sleep(min(LOOK, self._until_next()))
            self._reap()
        return True


def _offer_to_oom_killer() -> None:
    """When memory runs out the job goes first, not its supervisor or the portal."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("500")
