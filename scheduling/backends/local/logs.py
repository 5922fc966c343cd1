"""Reading a part of a growing log: offsets in bytes, text in whole characters."""

from __future__ import annotations

import os
import stat

from scheduling.backends.base import LogPart

LONGEST_CHARACTER = 4
NOTHING = LogPart(text="", offset=0, next_offset=0, size=0, exists=False)


def read(path: str, *, offset: int, limit: int, final: bool) -> LogPart:
    """`final`: nothing will be added, so half a character at the end is broken for ever and shown as such."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # not there yet, or put there by the job to lead elsewhere
        return NOTHING
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return NOTHING
        size = status.st_size
        start = max(0, size + offset) if offset < 0 else offset if offset <= size else 0
        before = min(start, LONGEST_CHARACTER - 1)
        data = os.pread(descriptor, before + max(limit, LONGEST_CHARACTER), start - before)
    finally:
        os.close(descriptor)
    skipped = _rest_of_character(data, before)
    begin = before + skipped
    at_end = start - before + len(data) >= size
    cut = len(data) if final and at_end else len(data) - _begun_character(data[begin:])
    text = data[begin:cut].decode("utf-8", "replace")
    return LogPart(text=text, offset=start + skipped, next_offset=start + cut - before, size=size)


def _rest_of_character(data: bytes, position: int) -> int:
    """How many bytes at the position belong to a character that began before it."""
    for back in range(1, position + 1):
        length = _length(data[position - back])
        if length:
            ahead = data[position : position - back + length]
            return len(ahead) if length > back and all(_continues(byte) for byte in ahead) else 0
        if not _continues(data[position - back]):
            return 0
    return 0


def _begun_character(data: bytes) -> int:
    """How many bytes at the end begin a character that is not whole yet."""
    for back in range(1, min(len(data), LONGEST_CHARACTER - 1) + 1):
        byte = data[-back]
        length = _length(byte)
        if length:
            return back if length > back else 0
        if not _continues(byte):
            return 0
    return 0


def _length(first: int) -> int:
    """Bytes of the character that this byte begins; 0 if it begins none of several bytes."""
    return 2 if 0xC2 <= first < 0xE0 else 3 if 0xE0 <= first < 0xF0 else 4 if 0xF0 <= first < 0xF5 else 0


def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80
