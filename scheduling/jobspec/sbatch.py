"""A batch script read the way sbatch 22.05 reads it, except that it goes on after an error so that all are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scheduling.jobspec import foreign, lines
from scheduling.jobspec.assemble import assemble
from scheduling.jobspec.findings import Finding, Kind, Reading, Severity
from scheduling.jobspec.given import Given, Options
from scheduling.jobspec.site import Site
from scheduling.jobspec.tokens import Directive, Word

MOST_DIRECTIVES = 2_000
"""Far beyond any script that a person or a generator writes; each costs time and may cost a finding."""
MOST_FINDINGS = 100
LONGEST_TEXT = 1_000
_BOM = "\ufeff"
_NOT_A_SCRIPT = (
    "This does not look like a batch script. The first line must start with #! followed by the path to an interpreter."
)


_MAGIC = (lines.MAGIC, lines.OLD_MAGIC, *foreign.TRANSLATED)


def read(text: str, site: Site) -> Reading:
    return read_with(text, site, ())


def read_with(text: str, site: Site, fields: Sequence[Given]) -> Reading:
    """`fields` were given beside the script and win over its directives, like options on sbatch's command line."""
    whole = _whole(text)
    if not text.strip(" \t\n\v\f\r"):
        return Reading(spec=None, findings=tuple(whole))
    rows = (
        text.removeprefix(_BOM).replace("\r\n", "\n").split("\n")
    )  # both are refused; what follows is still worth reading
    directives = sum(row.startswith(_MAGIC) for row in rows)
    if directives > MOST_DIRECTIVES:
        return Reading(spec=None, findings=(*whole, _too_many_directives(directives)))
    header = lines.header(rows)
    findings = [*whole, *header.findings]
    given: list[list[Given]] = []
    for part in _components(header.directives, findings):
        options = Options(part, version=site.version)
        options.read()
        findings += options.findings
        given.append(options.given)
    translation = foreign.translate(rows, ignore=any(each.option == "ignore-pbs" for part in given for each in part))
    findings += translation.findings
    given[0] += [*translation.given, *fields]
    spec, more = assemble(given, script=text, site=site)
    findings += more
    return Reading(
        spec=spec,
        findings=_bounded(sorted(_telling(findings), key=lambda each: (each.line, each.column))),
        ignored_lines=tuple(sorted({*header.ignored, *translation.ignored})),
    )


def _telling(findings: Sequence[Finding]) -> list[Finding]:
    """Without stray words behind a refused value: "--time = 10:00" is one mistake, not two."""
    refused = {each.line for each in findings if each.severity is Severity.ERROR and each.kind is not Kind.STRAY_WORD}
    return [each for each in findings if each.kind is not Kind.STRAY_WORD or each.line not in refused]


def _bounded(findings: list[Finding]) -> tuple[Finding, ...]:
    """Findings are kept with the job and drawn on its page. Errors first, then in the order of lines."""
    if len(findings) <= MOST_FINDINGS:
        return tuple(map(_short, findings))
    worst = sorted(findings, key=lambda each: each.severity is not Severity.ERROR)[:MOST_FINDINGS]
    more = Finding(
        kind=Kind.TOO_MANY_FINDINGS,
        severity=Severity.WARNING,
        message=f"{len(findings)} findings, {MOST_FINDINGS} of them shown",
        facts={"shown": MOST_FINDINGS, "count": len(findings)},
    )
    return (*map(_short, sorted(worst, key=lambda each: (each.line, each.column))), more)


def _short(finding: Finding) -> Finding:
    """A value may be as long as the script, and a repair of a part of it would be wrong."""
    texts = [finding.message, finding.repair or "", *(each for each in finding.facts.values() if isinstance(each, str))]
    if all(len(each) <= LONGEST_TEXT for each in texts):
        return finding
    facts = {name: each[:LONGEST_TEXT] if isinstance(each, str) else each for name, each in finding.facts.items()}
    repair = finding.repair if len(finding.repair or "") <= LONGEST_TEXT else None
    return replace(finding, message=finding.message[:LONGEST_TEXT], repair=repair, facts=facts)


def _too_many_directives(directives: int) -> Finding:
    facts: dict[str, str | int] = {"directives": directives, "limit": MOST_DIRECTIVES}
    return _error(Kind.TOO_MANY_DIRECTIVES, f"{directives} directives, {MOST_DIRECTIVES} are read", line=0, facts=facts)


def _whole(text: str) -> list[Finding]:
    """What sbatch refuses before it reads a single option."""
    found: list[Finding] = []
    if not text.strip(" \t\n\v\f\r"):
        found.append(_error(Kind.EMPTY_SCRIPT, "Batch script contains only whitespace!", line=1))
    elif text.startswith(_BOM):
        found.append(_error(Kind.BOM_BEFORE_SHEBANG, _NOT_A_SCRIPT, line=1, column=1, length=1, repair=""))
    elif not text.startswith("#!"):
        first = text.split("\n", 1)[0].rstrip("\r")
        repair = "#!" + first.lstrip("# ") if first.lstrip("# ").startswith("/") else None
        facts: dict[str, str | int] = {"first": first[:80]}
        found.append(
            _error(Kind.NO_SHEBANG, _NOT_A_SCRIPT, line=1, column=1, length=len(first), repair=repair, facts=facts)
        )
    if "\0" in text:
        message = "The Slurm controller does not allow scripts that contain a NULL character '\\0'."
        before = text[: text.index("\0")]
        column = len(before) - before.rfind("\n")
        found.append(_error(Kind.NUL_BYTE, message, line=before.count("\n") + 1, column=column, length=1, repair=""))
    if "\r\n" in text:
        message = "Batch script contains DOS line breaks (\\r\\n) instead of expected UNIX line breaks (\\n)."
        line = text[: text.index("\r\n")].count("\n") + 1
        found.append(_error(Kind.DOS_LINE_BREAKS, message, line=line, facts={"lines": text.count("\r\n")}))
    return found


def _components(directives: Sequence[Directive], findings: list[Finding]) -> list[list[Word]]:
    """The words of each component: "hetjob" begins the next one, and what follows it on its line is lost."""
    parts: list[list[Word]] = [[]]
    for directive in directives:
        for place, word in enumerate(directive.words):
            if word.text not in ("hetjob", "packjob"):
                parts[-1].append(word)
                continue
            parts.append([])
            lost = directive.words[place + 1 :]
            if lost:
                findings.append(_lost(lost))
            break
    return parts


def _lost(words: Sequence[Word]) -> Finding:
    return Finding(
        kind=Kind.OPTIONS_ON_HETJOB_LINE,
        severity=Severity.WARNING,
        message="Options on the hetjob line are lost; put them on a line of their own",
        line=words[0].line,
        column=words[0].column,
        length=words[-1].column + words[-1].length - words[0].column,
        facts={"words": " ".join(word.text for word in words)},
    )


def _error(
    kind: Kind,
    message: str,
    *,
    line: int,
    column: int = 0,
    length: int = 0,
    repair: str | None = None,
    facts: dict[str, str | int] | None = None,
) -> Finding:
    return Finding(
        kind=kind,
        severity=Severity.ERROR,
        message=message,
        line=line,
        column=column,
        length=length,
        repair=repair,
        facts=facts or {},
    )
