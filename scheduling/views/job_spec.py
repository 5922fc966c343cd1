"""What a job asks for: as the portal understood it, and as it was sent, with what was warned about at its line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.kit.grains import as_text
from portal.kit.times import duration
from scheduling.models import Job
from scheduling.texts.facts import memory
from scheduling.texts.findings import say

LEVELS = {"error": "error", "warning": "warning", "info": "note"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One finding, as kit/findings.html wants it."""

    level: str
    line: int
    text: str
    said: str
    anchor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLine:
    number: int
    text: str
    kind: str
    """directive, comment or nothing."""
    findings: tuple[Said, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecView:
    pairs: list[tuple[str, str]]
    findings: list[Said]
    lines: list[ScriptLine]


def spec_view(job: Job) -> SpecView:
    findings = [_said(entry) for entry in job.findings]
    return SpecView(pairs=_pairs(job), findings=findings, lines=list(_lines(job.script, findings)))


def _said(entry: dict[str, object]) -> Said:
    facts, line = entry.get("facts"), entry.get("line")
    number = line if isinstance(line, int) else 0
    return Said(
        level=LEVELS.get(str(entry.get("severity")), "note"),
        line=number,
        text=say(str(entry.get("kind")), facts if isinstance(facts, dict) else {}),
        said=str(entry.get("message") or ""),
        anchor=f"line-{number}" if number else "",
    )


def _lines(script: str, findings: Iterable[Said]) -> Iterable[ScriptLine]:
    by_line: dict[int, list[Said]] = defaultdict(list)
    for finding in findings:
        by_line[finding.line].append(finding)
    for number, text in enumerate(script.removesuffix("\n").split("\n"), start=1):
        kind = "directive" if text.startswith("#SBATCH") else "comment" if text.lstrip().startswith("#") else ""
        yield ScriptLine(number=number, text=text, kind=kind, findings=tuple(by_line[number]))


def _pairs(job: Job) -> list[tuple[str, str]]:
    """In the order in which one would ask."""
    limit = _("none") if job.time_limit_seconds is None else duration(job.time_limit_seconds)
    streams = [(_("Output"), job.spec.get("output")), (_("Errors"), job.spec.get("error") or _("with the output"))]
    asked = [
        (_("NPUs"), as_text(job.grains)),
        (_("Nodes"), _nodes(job)),
        (_("Cores a node"), str(job.cpus_per_node)),
        (_("Memory a node"), memory(job.memory_mb_per_node) if job.memory_mb_per_node else _("not stated")),
        (_("Time limit"), limit),
        (_("Borrowing"), _("only the team's own") if job.own_only else _("allowed")),
        *((label, str(value)) for label, value in streams if value),
    ]
    if job.whole_node:
        asked.insert(2, (_("Whole nodes"), _("yes")))
    return asked + [(f"--{name}", value or "") for name, value in job.spec.get("extra") or []]


def _nodes(job: Job) -> str:
    npus = str(job.npus_per_node)
    if job.nodes_max and job.nodes_max > job.nodes_min:
        return _("{least} to {most}, {npus} NPUs on each").format(least=job.nodes_min, most=job.nodes_max, npus=npus)
    template = ngettext("{n} node with {npus} NPUs", "{n} nodes with {npus} NPUs each", job.nodes_min)
    return template.format(n=job.nodes_min, npus=npus)
