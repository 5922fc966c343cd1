"""Real Celery workers and beat on the test's own database, broker and folder; they can be killed like anything else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.db import connection

from tests.services.process import Process

ROOT = Path(__file__).resolve().parent.parent.parent


class Workers:
    """`with Workers(folder, broker_url=...) as workers: workers.kill(); workers.start()`"""

    def __init__(self, folder: Path, *, broker_url: str, count: int = 1) -> None:
        self.folder, self.broker_url, self.count = folder, broker_url, count
        self.processes: list[Process] = []

    @property
    def environment(self) -> dict[str, str]:
        """That of the tests, pointed at the database that this test really uses."""
        return os.environ | {
            "DATABASE_URL": database_url(),
            "REDIS_URL": self.broker_url,
            "LOCAL_BACKEND_ROOT": str(settings.LOCAL_BACKEND_ROOT),
            "VAR": str(settings.VAR_DIR),
            "PASS_EVERY_SECONDS": "2",
            "DJANGO_SETTINGS_MODULE": "portal.settings",
        }

    def start(self) -> None:
        celery = [sys.executable, "-m", "celery", "-A", "portal"]
        schedule = str(self.folder / "beat")
        self._start([*celery, "beat", "--loglevel", "WARNING", "--schedule", schedule], "beat")
        for number in range(self.count):
            name = f"worker-{number}"
            self._start(
                [
                    *celery,
                    "worker",
                    "--loglevel",
                    "INFO",
                    "-c",
                    "2",
                    "-n",
                    name,
                    "--without-gossip",
                    "--without-mingle",
                ],
                name,
            )

    def _start(self, arguments: list[str], name: str) -> None:
        program = ["env", *(f"{key}={value}" for key, value in self.environment.items()), *arguments]
        self.processes.append(Process(program, log=self.folder / f"{name}.log", cwd=ROOT))

    def kill(self) -> None:
        """As a machine that loses power would: nobody gets to say goodbye."""
        for process in self.processes:
            process.end(signal.SIGKILL)
        self.processes.clear()

    def stop(self) -> None:
        for process in self.processes:
            process.end()
        self.processes.clear()

    def run_python(self, code: str) -> int:
        """A program in the workers' environment; returns how it ended."""
        return subprocess.run(
            [sys.executable, "-c", code], env=self.environment, cwd=ROOT, timeout=60, check=False
        ).returncode

    def words(self) -> str:
        alive = [process.alive for process in self.processes]
        logs = (f"--- {path.name}\n{path.read_text()[-3000:]}" for path in self.folder.glob("*.log"))
        return "\n".join([f"beat and workers alive: {alive}", *logs])

    def __enter__(self) -> Workers:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def database_url() -> str:
    database = connection.settings_dict
    if connection.vendor != "postgresql":
        return f"sqlite:///{database['NAME']}"
    user = f"{database['USER']}:{database['PASSWORD']}" if database["PASSWORD"] else database["USER"]
    return f"postgres://{user}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
