"""A broker and cache of one's own: Debian's Redis, or the Valkey server that the demo runs on."""

from __future__ import annotations

import shutil
import signal
import socket
from pathlib import Path
from types import TracebackType

from portal.management.broker import valkey_program
from tests.services.process import Process, ServiceFailed, free_port, wait_until


class Valkey:
    """`with Valkey(folder) as broker: broker.url`; it can be killed and started again on the same port."""

    def __init__(self, folder: Path, *, program: str | None = None) -> None:
        self.folder = folder
        self.port = free_port()
        self.program = program or shutil.which("redis-server") or str(valkey_program())
        self.process: Process | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        options = {"port": str(self.port), "bind": "127.0.0.1", "save": "", "appendonly": "no", "dir": str(self.folder)}
        arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
        self.process = Process([self.program, *arguments], log=self.folder / "valkey.log")
        try:
            wait_until(self.answers, seconds=15, what=self.program)
        except ServiceFailed as error:
            self.stop()
            raise ServiceFailed(f"{error}\n{(self.folder / 'valkey.log').read_text()}") from None

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def stop(self) -> None:
        if self.process:
            self.process.end()

    def kill(self) -> None:
        if self.process:
            self.process.end(signal.SIGKILL)

    def __enter__(self) -> Valkey:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
