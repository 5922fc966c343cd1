"""`manage.py run` as people start it: its own folder and port, real children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from tests.services.process import free_port

ROOT = Path(__file__).resolve().parent.parent.parent


class Portal:
    """One `manage.py run`, and what it has printed so far."""

    def __init__(self, folder: Path, *, port: int | None = None) -> None:
        self.port = port or free_port()
        self.folder = folder
        self.output = folder.parent / f"{folder.name}-output-{time.monotonic_ns()}"
        # What a shell has, and nothing of what the tests were told.
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "run", "--port", str(self.port)],
                cwd=ROOT,
                env=environment | {"VAR": str(folder)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self.output.read_text()

    def wait_for(self, done: Callable[[], object], *, seconds: float = 90) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.05)

    def ready(self) -> Portal:
        self.wait_for(lambda: "Ctrl-C stops the portal" in self.said)
        return self

    def ended(self, *, seconds: float = 30) -> tuple[int, str]:
        return self.process.wait(seconds), self.said

    def interrupt(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        return self.ended()

    def get(self, path: str, *, token: str = "") -> int:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def children(self) -> dict[int, str]:
        """Every process whose environment names this data folder, jobs apart: they have an environment of their own."""
        mark = f"VAR={self.folder}\0".encode()
        found = {}
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (path / "environ").read_bytes() and int(path.name) != self.process.pid:
                    found[int(path.name)] = (path / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
        return found
