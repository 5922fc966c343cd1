"""A batch script read the way sbatch 22.05 reads it, except that it goes on after an error so that all are found."""

from __future__ import annotations

from collections.abc import Sequence

from scheduling.jobspec import foreign, lines
from scheduling.jobspec.assemble import assemble
from scheduling.jobspec.findings import Finding, Kind, Reading, Severity
from scheduling.jobspec.given import Given, Options
from scheduling.jobspec.site import Site
from scheduling.jobspec.tokens import Directive, Word

_BOM = "\ufeff"
_NOT_A_SCRIPT = (
    "This does not look like a batch script. The first line must start with #! followed by the path to an interpreter."
)


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
        findings=tuple(sorted(_telling(findings), key=lambda each: (each.line, each.column))),
        ignored_lines=tuple(sorted({*header.ignored, *translation.ignored})),
    )


def _telling(findings: Sequence[Finding]) -> list[Finding]:
    """Without stray words behind a refused value: "--time = 10:00" is one mistake, not two."""
    refused = {each.line for each in findings if each.severity is Severity.ERROR and each.kind is not Kind.STRAY_WORD}
    return [each for each in findings if each.kind is not Kind.STRAY_WORD or each.line not in refused]


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
