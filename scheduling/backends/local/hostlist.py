"""Node lists as Slurm writes them: npu-[01-02,05]."""

from __future__ import annotations

import re

_NUMBERED = re.compile(r"^(.*?)(\d+)$")
_BRACKETS = re.compile(r"^(.*?)\[([\d,-]+)\](.*)$")
_COMMA_OUTSIDE = re.compile(r",(?![^\[]*\])")


def fold(names: list[str]) -> str:
    groups: dict[tuple[str, int], set[int]] = {}
    for name in names:
        match = _NUMBERED.match(name)
        if match is None:
            groups.setdefault((name, 0), set())
        else:
            groups.setdefault((match[1], len(match[2])), set()).add(int(match[2]))
    return ",".join(_fold_group(prefix, width, sorted(numbers)) for (prefix, width), numbers in groups.items())


def expand(text: str) -> list[str]:
    return [name for part in _COMMA_OUTSIDE.split(text) if part for name in _expand_part(part)]


def _fold_group(prefix: str, width: int, numbers: list[int]) -> str:
    if not numbers:
        return prefix
    if len(numbers) == 1:
        return f"{prefix}{numbers[0]:0{width}d}"
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    inside = (f"{a:0{width}d}" if a == b else f"{a:0{width}d}-{b:0{width}d}" for a, b in ranges)
    return f"{prefix}[{','.join(inside)}]"


def _expand_part(part: str) -> list[str]:
    match = _BRACKETS.match(part)
    if match is None:
        return [part]
    names = []
    for piece in match[2].split(","):
        first, _, last = piece.partition("-")
        for number in range(int(first), int(last or first) + 1):
            names += [f"{match[1]}{number:0{len(first)}d}{rest}" for rest in _expand_part(match[3])]
    return names
