"""`manage.py create_token` in a shell that knows where the data are and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from tests import make
from tests.services.workers import database_url

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.rows]


def create_token(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "create_token", *words],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_needs_the_database_alone_and_prints_the_key_alone() -> None:
    make.user("linyue")
    done = create_token("linyue", DATABASE_URL=database_url())
    assert (done.returncode, done.stderr) == (0, "")
    answer = Client().get("/api/v1/me", headers={"authorization": f"Bearer {done.stdout.strip()}"})
    assert answer.json()["username"] == "linyue"


def test_unknown_person_is_said() -> None:
    done = create_token("nobody", DATABASE_URL=database_url())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "CommandError: There is no active user 'nobody'.\n"


def test_folder_without_a_portal_is_said(tmp_path: Path) -> None:
    done = create_token("linyue", VAR=str(tmp_path / "nothing"))
    assert done.returncode == 1
    assert f"There is no portal in the database {tmp_path}/nothing/portal.sqlite3" in done.stderr
    assert "Traceback" not in done.stderr
