"""A script with the repairs that findings offer."""

from __future__ import annotations

from collections.abc import Iterable

from scheduling import jobspec


def repaired(text: str, finding: jobspec.Finding) -> str:
    """The finding's span, or its whole line, replaced. A span that is no longer there changes nothing."""
    if finding.kind is jobspec.Kind.DOS_LINE_BREAKS:
        return text.replace("\r\n", "\n")
    if finding.repair is None:
        return text
    rows = text.split("\n")
    if not 1 <= finding.line <= len(rows):
        return text
    row = rows[finding.line - 1]
    start = max(finding.column - 1, 0)
    end = start + finding.length if finding.column else len(row)
    rows[finding.line - 1] = row[:start] + finding.repair + row[end:]
    return "\n".join(rows)


def mended(text: str, findings: Iterable[jobspec.Finding]) -> str:
    """All repairs at once, from the end backwards so that the spans before stay where they are."""
    for finding in sorted(findings, key=lambda each: (each.line, each.column), reverse=True):
        text = repaired(text, finding)
    return text
