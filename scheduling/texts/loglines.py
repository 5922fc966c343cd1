"""A log as lines to read: terminal colours and overwritten progress taken out, lines about errors marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
BAD = re.compile(
    r"\b(error|exception|fatal|traceback|segmentation fault|core dumped|killed|out of memory|oom)\b"
    r"|command not found|no such file or directory|permission denied|: not found$|\w+Error\b",
    re.IGNORECASE,
)
WARN = re.compile(r"\bwarn(ing)?\b", re.IGNORECASE)
TRACEBACK = re.compile(r"Traceback \(most recent call last\)")
CAUSE = re.compile(
    r"command not found|no such file or directory|permission denied|: not found$|out of memory|\boom\b"
    r"|segmentation fault|core dumped|\bfatal\b|\b(error|exception)\b\s*:|\b\w+(Error|Exception)\b",
    re.IGNORECASE,
)
# What Slurm says after a task has failed: that, not why.
AFTERMATH = re.compile(
    r"^\s*(?:srun: (?:error: \S+: tasks? |Job step aborted|Terminating|Force Terminated)"
    r"|slurmstepd: (?!.*(?:oom|out of memory)))",
    re.IGNORECASE,
)
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
    """The first line that names a cause (of a traceback its last line), since what follows is mostly its consequence; if
    none does the last line that speaks of an error. Empty if there is none."""
    lines = [line for line in plain(text).split("\n") if not AFTERMATH.search(line)]
    bad = [line for line in lines if BAD.search(line) and not TRACEBACK.search(line)]
    found = next(_causes(lines), bad[-1] if bad else "").strip()
    return found if len(found) <= CLUE_LENGTH else f"{found[: CLUE_LENGTH - 1]}…"


def _causes(lines: Iterable[str]) -> Iterator[str]:
    """Within a traceback only its end counts: the first line that is not indented."""
    in_traceback = False
    for line in lines:
        if TRACEBACK.search(line):
            in_traceback = True
        elif in_traceback and line.strip() and not line[0].isspace():
            in_traceback = False
            yield line
        elif not in_traceback and CAUSE.search(line) and not WARN.search(line):
            yield line


def matches(lines: Iterable[tuple[int, str]], wanted: str) -> list[tuple[int, str]]:
    """Numbered lines that hold the words, however written."""
    folded = wanted.casefold()
    return [(number, line) for number, line in lines if folded in line.casefold()]
