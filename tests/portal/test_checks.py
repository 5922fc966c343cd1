from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

SET = {
    "SECRET_KEY": "a key for tests only, long enough for the system check",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
}


def start(arguments: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """As in production: nothing of the tests' own environment."""
    bare = {
        "PATH": os.environ["PATH"],
        "VAR": str(folder),
        **{name: value for name, value in environment.items() if value},
    }
    return subprocess.run(
        [sys.executable, *arguments], env=bare, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "missing, code", [("SECRET_KEY", "portal.E001"), ("REDIS_URL", "portal.E002"), (None, None)], ids=str
)
def test_a_missing_secret_stops_the_start(missing: str | None, code: str | None, tmp_path: Path) -> None:
    environment = {name: value for name, value in SET.items() if name != missing}
    for arguments in (["manage.py", "check"], ["-c", "import portal.wsgi"]):
        ended = start(arguments, tmp_path, **environment)
        assert (ended.returncode == 0) == (code is None), ended.stderr
        if code:
            assert code in ended.stderr
            assert "hint" in ended.stderr.lower()


def test_the_demo_is_not_mistaken_for_the_real_thing(tmp_path: Path) -> None:
    ended = start(["manage.py", "check"], tmp_path, PORTAL_DEMO="1", **SET)
    assert "portal.E003" in ended.stderr


def test_the_secret_is_not_told(tmp_path: Path) -> None:
    ended = start(["manage.py", "check"], tmp_path, **{**SET, "SECRET_KEY": "short-secret"})
    assert ended.returncode != 0
    assert "short-secret" not in ended.stderr + ended.stdout
