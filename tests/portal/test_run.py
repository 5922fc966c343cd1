"""`manage.py run` as people start it: its own folder and port, real children."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.leftovers import end_jobs_in
from tests.services.run import Portal

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.workers


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder after its first start and stop; each test goes on from what the one before left."""
    folder = tmp_path_factory.mktemp("run") / "var"
    portal = Portal(folder)
    try:
        portal.ready()
        assert portal.get("/accounts/login/") == 200
        code, said = portal.interrupt()
        assert code == 0, said
        yield folder
    finally:
        if portal.process.poll() is None:
            portal.process.kill()
        end_jobs_in(folder)


@pytest.fixture
def portal(seeded: Path) -> Iterator[Portal]:
    portal = Portal(seeded)
    try:
        yield portal.ready()
    finally:
        if portal.process.poll() is None:
            portal.interrupt()


def people(folder: Path) -> int:
    with sqlite3.connect(folder / "portal.sqlite3") as database:
        return int(database.execute("SELECT count(*) FROM accounting_user").fetchone()[0])


def test_start_says_where_it_is_and_who_may_sign_in(portal: Portal) -> None:
    assert f"http://127.0.0.1:{portal.port}/" in portal.said
    assert re.search(r"linyue +member of NLP", portal.said)
    assert "npu-portal-demo" in portal.said


def test_token_is_made_beside_a_running_demo_by_naming_its_folder(portal: Portal) -> None:
    made = subprocess.run(
        [sys.executable, "manage.py", "create_token", "linyue"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "VAR": str(portal.folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert portal.get("/api/v1/me") == 401
    assert portal.get("/api/v1/me", token=made.stdout.strip()) == 200


def test_second_start_keeps_the_data_and_the_secret(seeded: Path) -> None:
    before, secret = people(seeded), (seeded / "secret_key").read_text()
    again = Portal(seeded).ready()
    assert again.get("/accounts/login/") == 200
    assert again.interrupt()[0] == 0
    assert before > 5
    assert (people(seeded), (seeded / "secret_key").read_text()) == (before, secret)


def test_ctrl_c_ends_everything_within_seconds_and_says_so(portal: Portal) -> None:
    started = time.monotonic()
    code, said = portal.interrupt()
    assert code == 0
    assert time.monotonic() - started < 15
    assert re.search(r"Stopped\. (No job is running\.|Jobs? [\d, ]+ runs? on; the next start finds)", said)
    assert "Traceback" not in said
    assert portal.children() == {}


def test_nothing_outlives_a_portal_that_is_killed(portal: Portal) -> None:
    portal.process.kill()
    portal.process.wait()
    deadline = time.monotonic() + 20
    while portal.children():
        assert time.monotonic() < deadline, portal.children()
        time.sleep(0.1)


def test_child_that_is_killed_comes_back(portal: Portal) -> None:
    (beat,) = [pid for pid, command in portal.children().items() if " beat " in command]
    os.kill(beat, signal.SIGKILL)
    portal.wait_for(lambda: "beat ended (killed by SIGKILL)" in portal.said)
    portal.wait_for(lambda: any(" beat " in command for command in portal.children().values()))


def test_second_portal_on_the_same_data_is_refused(portal: Portal) -> None:
    code, said = Portal(portal.folder).ended()
    assert code == 1
    assert f"Another portal runs on the data folder {portal.folder}" in said
    assert "Traceback" not in said


def test_taken_port_is_refused(portal: Portal, tmp_path: Path) -> None:
    code, said = Portal(tmp_path / "var", port=portal.port).ended()
    assert code == 1
    assert f"Port {portal.port} on 127.0.0.1 is taken" in said
    assert f"PORT={portal.port + 1}" in said


def test_data_of_a_newer_version_are_refused_and_left_alone(seeded: Path) -> None:
    newer = ("scheduling", "9999_from_the_future")
    with sqlite3.connect(seeded / "portal.sqlite3") as database:
        database.execute("INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2030-01-01')", newer)
    try:
        code, said = Portal(seeded).ended()
    finally:
        with sqlite3.connect(seeded / "portal.sqlite3") as database:
            database.execute("DELETE FROM django_migrations WHERE name = ?", newer[1:])
    assert code == 1
    assert "from a newer version of the portal (scheduling 9999_from_the_future)" in said
    assert "Traceback" not in said


def test_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "portal.sqlite3").write_text("this is a letter to my aunt\n" * 100)
    code, said = Portal(tmp_path / "var").ended()
    assert code == 1
    assert "cannot be read or brought up to date (file is not a database)" in said
    assert "Traceback" not in said
