"""The data folder of `manage.py run`: whether it can be had, its secret, and what the children are told of it."""

from __future__ import annotations

import fcntl
import os
import secrets
import socket
from pathlib import Path

from django.core.management.base import CommandError

LOCK_NAME = "run.lock"


def claim(folder: Path) -> int:
    """Makes the folder ours until this process ends. The descriptor that holds it must stay open."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CommandError(
            f"The data folder {folder} cannot be written ({error.strerror}).\n"
            "Choose another with VAR=/some/folder, or make this one writable for you."
        ) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        other = os.pread(descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
        os.close(descriptor)
        raise CommandError(
            f"Another portal runs on the data folder {folder} (process {other}).\n"
            "Use that one, stop it with Ctrl-C there, or start this one with its own data: VAR=/another/folder PORT=8001."
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return descriptor


def secret_key_file(folder: Path) -> Path:
    """Made once, so that people stay signed in over a restart; readable for its owner only."""
    path = folder / "secret_key"
    if not path.exists():
        draft = path.with_suffix(".new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
        draft.rename(path)
    return path


def check_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            raise CommandError(f"Port {port} may not be used by you. Choose one above 1023, e.g. PORT=8000.") from None
        except socket.gaierror:
            raise CommandError(f"{host} is no address of this machine. Leave HOST out to use 127.0.0.1.") from None
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} is taken or cannot be used ({error.strerror}).\n"
                f"Choose another, e.g. PORT={port + 1 if port < 65535 else 8000}, or stop what uses it."
            ) from None


def environment(folder: Path, *, broker_url: str, host: str) -> dict[str, str]:
    """What the children's settings read. The demo is this folder and nothing else, whatever the shell has set."""
    ours = {
        "PORTAL_DEMO": "1",
        "VAR": str(folder),
        "REDIS_URL": broker_url,
        "SECRET_KEY_FILE": str(secret_key_file(folder)),
        "PYTHONUNBUFFERED": "1",
    }
    if host not in ("127.0.0.1", "localhost", "::1"):
        ours["ALLOWED_HOSTS"] = os.environ.get("ALLOWED_HOSTS", "*")
    inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SECRET_KEY")}
    return inherited | ours
