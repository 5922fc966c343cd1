"""Processes of this machine as /proc shows them, named so that a reused pid is never mistaken for an old one."""

from __future__ import annotations

import os
import signal
import time

RUN_MARK = "NPU_PORTAL_RUN"
"""Environment variable that names the run in each of its processes."""
SUPERVISOR = b"scheduling.backends.local.supervisor"
STEP_MARK = "SLURM_STEP_ID"


class Process:
    __slots__ = ("parent", "pid", "session", "started", "state")

    def __init__(self, *, pid: int, state: str, parent: int, session: int, started: int) -> None:
        self.pid = pid
        self.state = state
        self.parent = parent
        self.session = session
        self.started = started
        """Clock ticks since the boot; with the boot's id it names a process for ever."""

    @property
    def gone(self) -> bool:
        """A zombie has ended: only its parent has not looked yet."""
        return self.state in "ZX"


def read(pid: int) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            line = file.read().decode("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = line.rpartition(")")[2].split()  # the program's name before it may hold blanks and brackets
    return Process(pid=pid, state=fields[0], parent=int(fields[1]), session=int(fields[3]), started=int(fields[19]))


def table() -> list[Process]:
    """All processes but those that have ended."""
    found = (read(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return [process for process in found if process is not None and not process.gone]


def boot_id() -> str:
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


def boot_time() -> float:
    with open("/proc/stat") as file:
        return next(float(line.split()[1]) for line in file if line.startswith("btime"))


def find(*, pid: int, started: int, boot: str) -> Process | None:
    process = read(pid)
    if process is None or process.gone or process.started != started or boot != boot_id():
        return None
    return process


def send(process: Process, number: int) -> bool:
    """Signals this very process or nothing: the descriptor pins it, then its start time is compared."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    try:
        now = read(process.pid)
        if now is None or now.gone or now.started != process.started:
            return False
        signal.pidfd_send_signal(descriptor, number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(descriptor)
    return True


def environment(pid: int) -> frozenset[bytes]:
    """NAME=value as given at the program's start; empty for what is not ours to read."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return frozenset(file.read().split(b"\0"))
    except OSError:
        return frozenset()


def is_step(process: Process) -> bool:
    """Whether it belongs to a task that srun started, as against the batch script itself."""
    prefix = f"{STEP_MARK}=".encode()
    return any(entry.startswith(prefix) for entry in environment(process.pid))


def descendants(ancestor: int) -> list[Process]:
    everything = table()
    return _below(everything, {ancestor})


def remnants(run: str) -> list[Process]:
    """What still lives of a run whose supervisor is gone.

    Its children have another parent by now, so they are known by the mark in their environment; with them counts all
    that shares a session with a marked process or descends from one (a program may have emptied its environment). A
    supervisor that lives on, since nobody can read any more who it is, is known by its command line.
    """
    mark = f"{RUN_MARK}={run}".encode()
    everything = table()
    marked = [process for process in everything if mark in environment(process.pid)]
    sessions = {process.session for process in marked}
    roots = {process.pid for process in everything if process.session in sessions} | {process.pid for process in marked}
    roots |= {process.pid for process in everything if _supervises(process.pid, run)}
    return [process for process in everything if process.pid in roots] + _below(everything, roots)


def _supervises(pid: int, run: str) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    return any(word.endswith(f"/runs/{run}".encode()) for word in words) and any(SUPERVISOR in word for word in words)


def kill_remnants(run: str, *, patience: float) -> bool:
    """Kills again and again, since a process may fork between look and kill. True when nothing lives any more."""
    deadline = time.monotonic() + patience
    while left := remnants(run):
        if time.monotonic() > deadline:
            return False
        for process in left:
            send(process, signal.SIGKILL)
        time.sleep(0.01)
    return True


def _below(everything: list[Process], roots: set[int]) -> list[Process]:
    found: list[Process] = []
    known = set(roots)
    while fresh := [process for process in everything if process.parent in known and process.pid not in known]:
        found += fresh
        known |= {process.pid for process in fresh}
    return found
