"""The folder of one run: which files it has and how they come to be, whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import time

TYPE_CHECKING = False  # typing itself would cost each supervisor some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


class Started:
    """Who supervises the run. Written before the script starts: from then on the run is never started again."""

    def __init__(self, *, pid: int, ticks: int, boot: str, at: float) -> None:
        self.pid = pid
        self.ticks = ticks
        self.boot = boot
        self.at = at
        """Seconds since the epoch."""


class End:
    """How a run ended. `how`: exit, timeout, cancelled, refused (never began for a reason) or lost."""

    def __init__(
        self,
        *,
        how: str,
        at: float,
        started_at: float | None = None,
        exit_code: int | None = None,
        signal: int | None = None,
        reason: str = "",
        detail: str = "",
    ) -> None:
        self.how = how
        self.at = at
        self.started_at = started_at
        self.exit_code = exit_code
        self.signal = signal
        self.reason = reason
        self.detail = detail


class RunFolder:
    def __init__(self, path: str) -> None:
        self.path = path
        self.order = os.path.join(path, "order.json")
        self.script = os.path.join(path, "slurm_script")
        self.lock = os.path.join(path, "lock")
        self.requests = os.path.join(path, "requests")
        self.programs = os.path.join(path, "bin")
        self.temporary = os.path.join(path, "tmp")
        self.steps = os.path.join(path, "steps")
        self.supervisor_log = os.path.join(path, "supervisor.log")
        self._started = os.path.join(path, "started.json")
        self._end = os.path.join(path, "end.json")
        self._cancel = os.path.join(path, "cancel.json")

    def make(self) -> None:
        runs = os.path.dirname(self.path)
        for folder in (
            os.path.dirname(runs),
            runs,
            self.path,
            self.requests,
            self.programs,
            self.temporary,
            self.steps,
        ):
            os.makedirs(folder, mode=0o700, exist_ok=True)

    def log(self, stream: str) -> str:
        return os.path.join(self.path, f"{stream}.log")

    def has_order(self) -> bool:
        return os.path.exists(self.order)

    def begun(self) -> bool:
        return os.path.exists(self._started) or os.path.exists(self._end)

    def started(self) -> Started | None:
        found = read_json(self._started)
        return None if found is None else Started(**found)

    def begin(self, started: Started) -> None:
        write_once(self._started, vars(started))

    def end(self) -> End | None:
        found = read_json(self._end)
        return None if found is None else End(**found)

    def finish(self, end: End) -> None:
        """The first word is the last one: a second end is dropped."""
        write_once(self._end, vars(end))

    def cancel_grace(self) -> float | None:
        found = read_json(self._cancel)
        return None if found is None else float(found["grace"])

    def ask_cancel(self, *, grace: float) -> None:
        """A later request can shorten the grace of an earlier one, never lengthen it."""
        asked = self.cancel_grace()
        if asked is None or grace < asked:
            replace(self._cancel, json.dumps({"grace": grace}).encode())

    def ask_signal(self, *, target: str, number: int) -> None:
        replace(os.path.join(self.requests, f"{time.time_ns()}-{os.getpid()}-{target}-{number}"), b"")

    def take_signals(self) -> Iterator[tuple[str, int]]:
        """Each request once: it is removed before it is acted upon."""
        for name in sorted(os.listdir(self.requests)):
            if name.startswith("."):  # still being written
                continue
            os.unlink(os.path.join(self.requests, name))
            _, _, target, number = name.split("-")
            yield target, int(number)

    def try_lock(self) -> int | None:
        """The descriptor that holds the claim on this run until it is closed; None if somebody else has it."""
        descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor


def read_json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read())
    except FileNotFoundError:
        return None
    if not isinstance(found, dict):
        raise ValueError(f"{path} holds no object")
    return found


def write_once(path: str, content: Mapping[str, object]) -> bool:
    """Durable when it returns. False if the file was there already: then it stays as it is."""
    draft = _draft(path, json.dumps(content).encode(), mode=0o600)
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(draft)
    _sync_folder(path)
    return True


def replace(path: str, content: bytes, *, mode: int = 0o600) -> None:
    os.rename(_draft(path, content, mode=mode), path)
    _sync_folder(path)


def _draft(path: str, content: bytes, *, mode: int) -> str:
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name}.{os.getpid()}.{time.monotonic_ns()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        os.unlink(draft)
        raise
    return draft


def _sync_folder(path: str) -> None:
    descriptor = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
