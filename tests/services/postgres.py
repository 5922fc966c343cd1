"""A PostgreSQL of one's own. It refuses to run as root, so there it runs as Debian's user `postgres`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from types import TracebackType

from tests.services.process import Process, ServiceFailed, free_port, wait_until

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}


class Postgres:
    """`with Postgres(folder) as database: database.url`. The folder must be one that other users can reach."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.user = "postgres" if os.geteuid() == 0 else None
        self.process: Process | None = None

    @property
    def url(self) -> str:
        return f"postgres://portal@127.0.0.1:{self.port}/portal"

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.user:
            shutil.chown(self.folder, self.user, self.user)
        data = self.folder / "data"
        self._run("initdb", "-D", str(data), "-U", "portal", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = [f"-c{name}={value}" for name, value in FAST.items()]
        self.process = Process(
            [_program("postgres"), "-D", str(data), "-p", str(self.port), "-h", "127.0.0.1", "-k", str(data), *options],
            log=self.folder / "postgres.log",
            user=self.user,
            cwd=self.folder,
        )
        try:
            wait_until(self.answers, seconds=60, what="postgres")
        except ServiceFailed as error:
            self.stop()
            raise ServiceFailed(f"{error}\n{self.process.last_words()}") from None
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "portal", "portal")

    def answers(self) -> bool:
        ready = [_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "portal"]
        return subprocess.run(ready, check=False).returncode == 0

    def stop(self) -> None:
        if self.process:
            self.process.end(signal.SIGINT)  # "fast": connections are cut, no waiting for them

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [_program(program), *arguments],
            cwd=self.folder,
            user=self.user,
            group=self.user,
            extra_groups=[] if self.user else None,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServiceFailed(f"{program} failed: {done.stderr.strip()}")

    def __enter__(self) -> Postgres:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def installed() -> bool:
    try:
        return bool(_program("postgres"))
    except ServiceFailed:
        return False


def _program(name: str) -> str:
    """Debian keeps the server's programs out of PATH, one folder a version; the newest is ours."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name), reverse=True
    )
    for folder in folders:
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise ServiceFailed(f"the program {name} of PostgreSQL is not installed")
    return found
