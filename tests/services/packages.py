"""What the tests need from the machine. Root on Debian gets it installed; anybody else is told what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.services import postgres


@dataclass(frozen=True)
class Need:
    package: str  # Debian's name
    why: str
    there: Callable[[], bool]


def _program(*names: str) -> Callable[[], bool]:
    return lambda: any(shutil.which(name) for name in names)


def _chinese_font() -> bool:
    return any(Path("/usr/share/fonts").rglob("NotoSansCJK*")) or any(Path("/usr/share/fonts").rglob("NotoSerifCJK*"))


NEEDS = (
    Need("postgresql", "the database of production", postgres.installed),
    Need("redis-server", "the broker of production", _program("redis-server")),
    Need("chromium", "the browser tests", _program("chromium")),
    Need("fonts-noto-cjk", "pages in Chinese", _chinese_font),
)


def provide() -> None:
    """Ends the program with code 2 when something is missing that we may not or cannot install."""
    missing = [need for need in NEEDS if not need.there()]
    if not missing:
        return
    names = [need.package for need in missing]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {', '.join(names)} ...", flush=True)
        if _apt("install", *names) or (_apt("update") and _apt("install", *names)):
            missing = [need for need in missing if not need.there()]
    if missing:
        for need in missing:
            print(f"missing: {need.package} ({need.why})", file=sys.stderr)
        print(f"Install them, e.g. sudo apt-get install {' '.join(names)}, and try again.", file=sys.stderr)
        raise SystemExit(2)


def _apt(action: str, *names: str) -> bool:
    options = ["-qq", "--no-install-recommends"] if action == "install" else ["-qq"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        ["apt-get", action, "-y", *options, *names],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stderr.strip()[-1000:], file=sys.stderr)
    return done.returncode == 0
