"""What all services share: a free port, a process in a group of its own, waiting until it answers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from portal.management.leash import end_with_parent


class ServiceFailed(Exception):
    """A service did not come up; the message ends with what it wrote last."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(answers: Callable[[], bool], *, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not answers():
        if time.monotonic() > deadline:
            raise ServiceFailed(f"{what}: no answer within {seconds:.0f} s")
        time.sleep(0.02)


class Process:
    """A child whose output goes to a file. Ended by its own group only."""

    def __init__(
        self, arguments: Sequence[str], *, log: Path, user: str | None = None, cwd: Path | None = None
    ) -> None:
        with log.open("ab") as output:
            self.child = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                user=user,
                group=user,
                extra_groups=[] if user else None,
                cwd=cwd,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        self.log = log

    @property
    def alive(self) -> bool:
        return self.child.poll() is None

    def send(self, number: signal.Signals) -> None:
        if self.alive:
            os.killpg(self.child.pid, number)

    def end(self, number: signal.Signals = signal.SIGTERM, *, seconds: float = 10) -> None:
        self.send(number)
        try:
            self.child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)
            self.child.wait(timeout=10)

    def last_words(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]
