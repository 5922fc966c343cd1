"""A log as lines to read: terminal colours and overwritten progress taken out, lines about errors marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
BAD = re.compile(
    r"\b(error|exception|fatal|traceback|segmentation fault|core dumped|killed|out of memory|oom)\b"
    r"|command not found|no such file or directory|permission denied|: not found$|\w+Error\b",
    re.IGNORECASE,
)
WARN = re.compile(r"\bwarn(ing)?\b", re.IGNORECASE)
CLUE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class LogLine:
    text: str
    tone: str


def lines_of(text: str) -> list[LogLine]:
    return [LogLine(line, tone_of(line)) for line in plain(text).split("\n")] if text else []


def plain(text: str) -> str:
    """What a terminal would show in the end: of "10 %\\r20 %\\r" the last."""
    lines = ESCAPES.sub("", text.removesuffix("\n")).replace("\r\n", "\n").split("\n")
    return "\n".join(UNPRINTABLE.sub("", line.rstrip("\r").rpartition("\r")[2]) for line in lines)


def tone_of(line: str) -> str:
    if BAD.search(line):
        return "bad"
    return "warn" if WARN.search(line) else ""


def clue_in(text: str) -> str:
    """The last line that speaks of an error; empty if none does."""
    found = next((line for line in reversed(plain(text).split("\n")) if BAD.search(line)), "").strip()
    return found if len(found) <= CLUE_LENGTH else f"{found[: CLUE_LENGTH - 1]}…"


def matches(lines: Iterable[tuple[int, str]], wanted: str) -> list[tuple[int, str]]:
    """Numbered lines that hold the words, however written."""
    folded = wanted.casefold()
    return [(number, line) for number, line in lines if folded in line.casefold()]
