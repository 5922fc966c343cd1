from __future__ import annotations

import os
from pathlib import Path

import pytest

from scheduling.backends.base import LogPart
from scheduling.backends.local import logs

TEXT = "训练 step 1 ✓ 🚀\nпотеря 0,25\n" * 20


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "output.log"


def _read(log: Path, *, offset: int = 0, limit: int = 1000, final: bool = False) -> LogPart:
    return logs.read(str(log), offset=offset, limit=limit, final=final)


@pytest.mark.parametrize("limit", [1, 4, 5, 7, 64, 10_000])
def test_parts_make_up_the_whole(log: Path, limit: int) -> None:
    log.write_text(TEXT)
    text, offset = "", 0
    while offset < log.stat().st_size:
        part = _read(log, offset=offset, limit=limit)
        assert part.offset == offset
        assert len(part.text.encode()) <= max(limit, logs.LONGEST_CHARACTER)
        text, offset = text + part.text, part.next_offset
    assert text == TEXT


@pytest.mark.parametrize("back", range(1, 40))
def test_tail_begins_with_a_whole_character(log: Path, back: int) -> None:
    log.write_text(TEXT)
    part = _read(log, offset=-back)
    assert TEXT.endswith(part.text)
    assert part.offset + len(part.text.encode()) == part.next_offset == part.size
    assert 0 <= back - len(part.text.encode()) < logs.LONGEST_CHARACTER


def test_tail_of_a_short_log_is_all_of_it(log: Path) -> None:
    log.write_text("short")
    assert _read(log, offset=-1000).text == "short"


def test_half_a_character_at_the_end_waits_for_its_rest(log: Path) -> None:
    whole = "a好".encode()
    log.write_bytes(whole[:-1])
    part = _read(log)
    assert (part.text, part.next_offset, part.size) == ("a", 1, 3)
    log.write_bytes(whole)
    assert _read(log, offset=part.next_offset).text == "好"


def test_half_a_character_at_the_end_of_an_ended_run_is_shown_as_broken(log: Path) -> None:
    log.write_bytes("a好".encode()[:-1])
    part = _read(log, final=True)
    assert (part.text, part.next_offset) == ("a�", 3)


def test_binary_rubbish_is_passed_through_to_the_end(log: Path) -> None:
    log.write_bytes(os.urandom(5000))
    offset = 0
    for _ in range(5000):
        part = _read(log, offset=offset, limit=16, final=True)
        if part.next_offset == part.size:
            break
        assert part.next_offset > offset
        offset = part.next_offset
    assert part.next_offset == 5000


def test_log_made_anew_is_read_from_its_beginning(log: Path) -> None:
    log.write_text("new")
    part = _read(log, offset=1000)
    assert (part.text, part.offset, part.next_offset) == ("new", 0, 3)


def test_at_the_end_there_is_nothing_more(log: Path) -> None:
    log.write_text("all")
    part = _read(log, offset=3)
    assert (part.text, part.offset, part.next_offset, part.exists) == ("", 3, 3, True)


@pytest.mark.parametrize("kind", ["missing", "link", "folder", "pipe"])
def test_what_is_no_plain_file_is_no_log(log: Path, kind: str) -> None:
    match kind:
        case "link":
            log.symlink_to("/etc/passwd")
        case "folder":
            log.mkdir()
        case "pipe":
            os.mkfifo(log)
    assert not _read(log).exists
