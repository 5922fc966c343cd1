"""Slurm's node lists: node[03-04,06],login1. Our own twenty lines, since this package keeps to the standard library."""

from __future__ import annotations

import re
from itertools import product

from scheduling.jobspec.findings import BadValue, Kind

_MOST = 65_536
_NAME = re.compile(r"[A-Za-z0-9_.-]*(?:\[[^\[\]]+\][A-Za-z0-9_.-]*)*")
_PIECE = re.compile(r"\[([^\[\]]+)\]|([^\[\]]+)")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")


def expand(text: str, option: str) -> tuple[str, ...]:
    """In the order given, each node once. Blanks part names as commas do (the list was quoted)."""
    found: dict[str, None] = {}
    for name in _split(text, option):
        pieces = [_choices(brackets, letters, text, option) for brackets, letters in _PIECE.findall(name)]
        size = 1
        for piece in pieces:
            size *= len(piece)
        if size + len(found) > _MOST:
            raise _bad(text, option)
        found |= dict.fromkeys("".join(each) for each in product(*pieces))
    return tuple(found)


def _split(text: str, option: str) -> list[str]:
    names = [name.strip() for name in re.split(r"[,\s](?![^\[]*\])", text)]
    for name in names:
        if not _NAME.fullmatch(name):
            raise _bad(text, option)
    return [name for name in names if name]


def _choices(brackets: str, letters: str, text: str, option: str) -> list[str]:
    if letters:
        return [letters]
    found: list[str] = []
    for part in brackets.split(","):
        match = _RANGE.fullmatch(part)
        if not match or len(part) > 20:
            raise _bad(text, option)
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= _MOST:
            raise _bad(text, option)
        found += [str(each).zfill(len(match[1])) for each in range(first, last + 1)]
    return found


def _bad(text: str, option: str) -> BadValue:
    return BadValue(Kind.INVALID_NODELIST, "Invalid node name specified", facts={"option": option, "value": text})
