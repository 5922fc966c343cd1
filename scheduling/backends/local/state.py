"""The folder of one run: which files it has and how they come to be, whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time

TYPE_CHECKING = False  # typing itself would cost each supervisor some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


LARGEST_FILE = 8 << 20
HOWS = ("exit", "timeout", "cancelled", "refused", "lost")
OF_THE_MACHINE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors that say nothing of the file at hand: no run may be given up for them."""


class Unreadable(Exception):
    """What stands there is not what we wrote. Jobs run as our user, so each file may have been changed by one."""


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
        return None if found is None else _started(found)

    def begin(self, started: Started) -> None:
        write_once(self._started, vars(started))

    def end(self) -> End | None:
        found = read_json(self._end)
        return None if found is None else _end(found)

    def finish(self, end: End) -> None:
        """The first word is the last one: a second end is dropped."""
        write_once(self._end, vars(end))

    def give_up(self, end: End) -> None:
        """In the place of an end that nobody can read."""
        replace(self._end, json.dumps(vars(end)).encode())

    def cancel_grace(self) -> float | None:
        try:
            found = read_json(self._cancel)
            return None if found is None else _seconds(found, "grace")
        except Unreadable:
            return None

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
            try:
                os.unlink(os.path.join(self.requests, name))
                _, _, target, number = name.split("-")
                request = target, int(number)
            except (OSError, ValueError):  # not put there by us
                continue
            yield request

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
    """None if there is no such file. Never waits, whatever was put in its place."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_FILE:
                raise Unreadable(path)
            found = json.loads(file.read(LARGEST_FILE))
    except FileNotFoundError:
        return None
    except OSError as exc:
        if exc.errno in OF_THE_MACHINE:
            raise
        raise Unreadable(f"{path}: {exc}") from exc
    except (ValueError, RecursionError) as exc:
        raise Unreadable(f"{path}: {exc}") from exc
    if not isinstance(found, dict):
        raise Unreadable(f"{path} holds no object")
    return found


def _started(found: dict[str, Any]) -> Started:
    boot = found.get("boot")
    if not isinstance(boot, str):
        raise Unreadable("boot")
    pid, ticks = _count(found, "pid", most=1 << 31), _count(found, "ticks", most=1 << 63)
    return Started(pid=pid, ticks=ticks, boot=boot, at=min(_seconds(found, "at"), time.time()))


def _end(found: dict[str, Any]) -> End:
    """Its times are put in order: started, ended, now."""
    how, now = found.get("how"), time.time()
    if how not in HOWS:
        raise Unreadable("how")
    began = None if found.get("started_at") is None else min(_seconds(found, "started_at"), now)
    return End(
        how=how,
        at=max(min(_seconds(found, "at"), now), began or 0.0),
        started_at=began,
        exit_code=None if found.get("exit_code") is None else _count(found, "exit_code", most=255),
        signal=None if found.get("signal") is None else _count(found, "signal", most=64),
        reason=_text(found, "reason"),
        detail=_text(found, "detail"),
    )


def _count(found: dict[str, Any], name: str, *, most: int) -> int:
    value = found.get(name)
    if type(value) is not int or not 0 <= value <= most:
        raise Unreadable(name)
    return value


def _seconds(found: dict[str, Any], name: str) -> float:
    """Neither negative nor beyond all clocks."""
    value = found.get(name)
    if (type(value) is not int and type(value) is not float) or not 0 <= value < 1 << 37:  # a NaN is in no order
        raise Unreadable(name)
    return value


def _text(found: dict[str, Any], name: str) -> str:
    """What a database takes: no half of a character, no NUL."""
    value = found.get(name, "")
    if not isinstance(value, str):
        raise Unreadable(name)
    return value.encode("utf-8", "replace").decode().replace("\0", "?")


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
