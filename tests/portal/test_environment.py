from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from portal.kit.environment import Values

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("secret", "secret"),
        ("secret\n", "secret"),
        ("secret\r\n", "secret"),
        ("secret\n\n", "secret\n"),
        (" se cret \n", " se cret "),
        ("", ""),
    ],
)
def test_one_line_end_after_the_value_of_a_file_does_not_count(tmp_path: Path, written: str, read: str) -> None:
    (tmp_path / "key").write_bytes(written.encode())
    assert Values({"KEY_FILE": str(tmp_path / "key")})["KEY"] == read


def test_value_of_the_environment_is_taken_as_it_is() -> None:
    assert Values({"KEY": "secret\n"})["KEY"] == "secret\n"


def test_settings_read_files_this_way(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("redis://:word@127.0.0.1:6379/0\n")
    done = subprocess.run(
        [sys.executable, "-c", "from portal import settings; print(repr(settings.REDIS_URL))"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "REDIS_URL_FILE": str(tmp_path / "url")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "'redis://:word@127.0.0.1:6379/0'\n"
