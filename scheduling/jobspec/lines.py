"""Which lines of a script are directives, and which only look like some."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from scheduling.jobspec.findings import Finding, Kind, Severity
from scheduling.jobspec.tokens import BLANKS, Directive, cut

MAGIC = "#SBATCH"
MOST_LOOK_ALIKES = 1_000
"""Looked for until so much is found: what comes then is more of the same."""
OLD_MAGIC = "#SLURM"  # read as well, with a complaint
_BLANKS = "".join(BLANKS)
_LOOK_ALIKE = re.compile(r"#+([ \t]*)([A-Za-z]{4,7})[:=]?[ \t]+-{1,2}[A-Za-z]")
_OTHER_SCHEDULER = re.compile(
    r"#(?P<sge>\$)\s*-|#(?P<name>COBALT|PJM|MSUB|OAR|FLUX|QSUB|DSUB)\b:?|#\s?(?P<loadleveler>@)\s*\w+\s*=", re.ASCII
)
_HEREDOC = re.compile(r"<<(-?)\s*(?:\\?([A-Za-z_]\w*)|'([^'\n]+)'|\"([^\"\n]+)\")")


@dataclass(slots=True, kw_only=True)
class Header:
    directives: list[Directive] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    ignored: list[int] = field(default_factory=list)


def header(lines: list[str]) -> Header:
    found = Header()
    end = _first_command(lines)
    for number, line in enumerate(lines[:end], start=1):
        if line.startswith(MAGIC):
            directive = cut(line, line=number, start=len(MAGIC))
            found.directives.append(directive)
            found.findings += directive.findings
        elif line.startswith(OLD_MAGIC):
            directive = cut(line, line=number, start=len(OLD_MAGIC))
            found.directives.append(directive)
            found.findings += (_old_magic(line, number), *directive.findings)
        elif len(found.findings) < MOST_LOOK_ALIKES and (number > 1 or not line.startswith("#!")):
            finding, ignored = _look_alike(line, number)
            if ignored:
                found.ignored.append(number)
            if finding is not None:
                found.findings.append(finding)
    _after_command(lines, end, found)
    return found


def _old_magic(line: str, number: int) -> Finding:
    message = "Change from #SLURM to #SBATCH in your script and verify the options are valid in sbatch"
    return _warn(Kind.OLD_MAGIC_WORD, message, number, line=line, repair=MAGIC + line.removeprefix(OLD_MAGIC))


def _first_command(lines: list[str]) -> int:
    """How many lines come before the first that is neither blank nor a comment."""
    for number, line in enumerate(lines):
        if line[:1] != "#" and line.split("\0", 1)[0].lstrip(_BLANKS)[:1] not in ("", "#"):
            return number
    return len(lines)


def _look_alike(line: str, number: int) -> tuple[Finding | None, bool]:
    """What to say of it, and whether it looks like a directive at all."""
    if line.lstrip().startswith(MAGIC) and line[:1] in BLANKS:
        message = "Blanks before #SBATCH make it a comment"
        return _warn(Kind.INDENTED_DIRECTIVE, message, number, line=line, repair=line.lstrip()), True
    other = _OTHER_SCHEDULER.match(line)
    if other:
        scheduler = "SGE" if other["sge"] else str(other["name"] or "LoadLeveler")
        message = "A directive of another scheduler is a comment here"
        return _warn(Kind.OTHER_SCHEDULER, message, number, line=line, facts={"scheduler": scheduler}), True
    found = _LOOK_ALIKE.match(line)
    if not found or not _nearly_magic(found[2]):
        return None, False
    if line.startswith("##") and not found[1] and found[2] == "SBATCH":
        return None, True  # the usual way to switch a directive off
    rest = line[found.end(2) :].lstrip(":=")
    facts: dict[str, str | int] = {"word": line[: found.end(2)]}
    message = f'"{line[: found.end(2)]}" is not #SBATCH: the line is a comment'
    repair = MAGIC + rest if rest[:1] in BLANKS else None
    return _warn(Kind.LOOKS_LIKE_DIRECTIVE, message, number, line=line, repair=repair, facts=facts), True


def _nearly_magic(word: str) -> bool:
    """SBATCH or SLURM in any case, or one slip of the finger away: a letter more, less, other, or two swapped."""
    upper, magic = word.upper(), "SBATCH"
    if upper in (magic, "SLURM"):
        return True
    if len(upper) == len(magic):
        differ = [place for place in range(len(magic)) if upper[place] != magic[place]]
        swapped = len(differ) == 2 and sorted(upper[place] for place in differ) == sorted(
            magic[place] for place in differ
        )
        return len(differ) == 1 or swapped
    longer, shorter = (upper, magic) if len(upper) > len(magic) else (magic, upper)
    return len(longer) - len(shorter) == 1 and any(
        longer[:place] + longer[place + 1 :] == shorter for place in range(len(longer))
    )


def _after_command(lines: list[str], end: int, found: Header) -> None:
    in_heredoc = _heredoc_lines(lines, end)
    for number, line in enumerate(lines[end:], start=end + 1):
        if not line.startswith(MAGIC):
            continue
        found.ignored.append(number)
        if number not in in_heredoc:
            message = f"Directives after the first command (line {end + 1}) do not count"
            facts: dict[str, str | int] = {"command_line": end + 1}
            found.findings.append(_warn(Kind.DIRECTIVE_AFTER_COMMAND, message, number, line=line, facts=facts))


def _heredoc_lines(lines: list[str], start: int) -> set[int]:
    """Numbers of the lines inside here-documents; one that never ends is none (`1 << x` in another language)."""
    if not any("<<" in line for line in lines[start:]):
        return set()
    places: dict[str, list[int]] = {}  # where each text stands, so that a long script is walked once
    for number, line in enumerate(lines):
        places.setdefault(line, []).append(number)
        if line.startswith("\t"):
            places.setdefault(line.lstrip("\t"), []).append(number)
    inside: set[int] = set()
    at = start
    while at < len(lines):
        ends = list(_heredoc_ends(lines[at]))
        at += 1
        for end, tabs in ends:
            at = _close(lines, places, at=at, end=end, tabs=tabs, inside=inside)
    return inside


def _close(lines: list[str], places: dict[str, list[int]], *, at: int, end: str, tabs: bool, inside: set[int]) -> int:
    """The line after the here-document that begins at `at`; `at` itself if it never ends."""
    candidates = places.get(end, [])
    for number in candidates[bisect_left(candidates, at) :]:
        if tabs or lines[number] == end:
            inside |= set(range(at + 1, number + 1))
            return number + 1
    return at


def _heredoc_ends(line: str) -> Iterator[tuple[str, bool]]:
    if "<<" not in line or line.lstrip().startswith("#"):
        return
    for found in _HEREDOC.finditer(line.replace("<<<", "   ")):
        yield found[2] or found[3] or found[4], bool(found[1])


def _warn(
    kind: Kind,
    message: str,
    number: int,
    *,
    line: str,
    repair: str | None = None,
    facts: dict[str, str | int] | None = None,
) -> Finding:
    return Finding(
        kind=kind,
        severity=Severity.WARNING,
        message=message,
        line=number,
        column=1,
        length=len(line),
        repair=repair,
        facts=facts or {},
    )
