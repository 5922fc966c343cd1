"""PBS and LSF lines, which sbatch translates: the same options, and the same losses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from scheduling.jobspec.findings import Fact, Finding, Kind, Severity
from scheduling.jobspec.given import Given
from scheduling.jobspec.tokens import Word, cut

TRANSLATED = ("#PBS", "#BSUB")

_PBS_LETTERS = "a:A:c:C:e:hIj:J:k:l:m:M:N:o:p:q:r:S:t:u:v:VW:z"
_LSF_LETTERS = "c:e:J:m:M:n:o:q:W:x"
_PBS = {"A": "account", "J": "array", "t": "array", "M": "mail-user", "N": "job-name", "o": "output", "e": "error",
        "q": "partition", "p": "nice", "v": "export", "h": "hold"}  # fmt: skip
_LSF = {"J": "job-name", "e": "error", "o": "output", "q": "partition", "x": "exclusive", "c": "chdir"}
_PBS_MAIL = {"a": "FAIL", "b": "BEGIN", "e": "END", "n": "NONE"}
_PBS_RESOURCES = {"walltime": "time", "cput": "time", "mem": "mem", "pmem": "mem-per-cpu", "mpiprocs": "ntasks-per-node",
                  "ncpus": "mincpus"}  # fmt: skip
_COMMANDS_UNTIL_STOP = 100


@dataclass(slots=True, kw_only=True)
class Translation:
    given: list[Given] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    ignored: list[int] = field(default_factory=list)


def translate(lines: list[str], *, ignore: bool) -> Translation:
    found = Translation()
    lsf, pbs = _words(lines, "#BSUB"), _words(lines, "#PBS")
    if ignore:
        found.ignored = sorted({word.line for word in lsf + pbs})
    elif lsf:
        found.ignored = sorted({word.line for word in pbs})
        _read(lsf, _LSF_LETTERS, found, scheduler="LSF")
    elif pbs:
        _read(pbs, _PBS_LETTERS, found, scheduler="PBS")
    return found


def _words(lines: list[str], magic: str) -> list[Word]:
    words: list[Word] = []
    commands = 0
    for number, line in enumerate(lines, start=1):
        if line.startswith(magic):
            words += cut(line, line=number, start=len(magic)).words
        elif not line.startswith("#"):
            commands += 1
            if commands > _COMMANDS_UNTIL_STOP:
                break
    return words


def _read(words: list[Word], letters: str, found: Translation, *, scheduler: str) -> None:
    told: set[int] = set()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        letter, rest = word.text[1:2], word.text[2:]
        if word.text == "-cwd" and scheduler == "LSF":
            letter, rest = "c", ""
        if not word.text.startswith("-") or not letter:
            _say(found, Kind.STRAY_WORD, f"Invalid argument: {word.text}", word, {"word": word.text}, Severity.ERROR)
            continue
        if letter not in letters or letter == ":":
            kind = Kind.LSF_UNSUPPORTED if scheduler == "LSF" else Kind.UNKNOWN_OPTION
            message = f"unrecognized option '{word.text}'" if letter == "-" else f"invalid option -- '{letter}'"
            _say(found, kind, message, word, {"option": word.text if letter == "-" else letter}, Severity.ERROR)
            while at < len(words) and words[at].line == word.line and not words[at].text.startswith("-"):
                at += 1
            continue
        value = None
        if f"{letter}:" in letters:
            if not rest and at < len(words):
                rest = words[at].text
                at += 1
            value = rest
        if word.line not in told:
            told.add(word.line)
            kind = Kind.LSF_DIRECTIVE if scheduler == "LSF" else Kind.PBS_DIRECTIVE
            message = f"A line of {scheduler}: Slurm translates what it can"
            _say(found, kind, message, word, {"option": letter}, Severity.WARNING)
        give = _lsf if scheduler == "LSF" else _pbs
        found.given += [_given(word, option, text) for option, text in give(letter, value, word, found)]


Pairs = Iterator[tuple[str, str | None]]


def _pbs(letter: str, value: str | None, word: Word, found: Translation) -> Pairs:
    text = value or ""
    if letter == "l":
        yield from _resources(text, word, found)
    elif letter == "m":
        types = [_PBS_MAIL[each] for each in text if each in _PBS_MAIL]
        yield "mail-type", ",".join(types)
    elif letter == "W" and text.lower().startswith("depend="):
        yield "dependency", text[len("depend=") :]
    elif letter in _PBS:
        option = _PBS[letter]
        yield option, "/dev/null" if option in ("output", "error") and text.lower() == "none" else value


def _resources(text: str, word: Word, found: Translation) -> Pairs:
    values: dict[str, str] = {}
    for part in text.split(","):
        if part.startswith("nodes="):
            yield from _pbs_nodes(part[len("nodes=") :])
            continue
        for piece in part.split(":") if part.startswith("select=") else [part]:
            name, _, value = piece.partition("=")
            values[name] = value
    if "select" in values:
        yield "nodes", values["select"]
    cpus, processes = _leading_number(values.get("ncpus", "")), _leading_number(values.get("mpiprocs", ""))
    if "select" in values and 0 < processes < cpus:
        yield "cpus-per-task", str(cpus // processes)
    if values.get("naccelerators"):
        yield "gres", f"gpu:{values.pop('naccelerators')}"
    for name, value in values.items():
        if name in _PBS_RESOURCES:
            yield _PBS_RESOURCES[name], value
        elif name != "select" and name:
            message = f'The PBS resource "{name}" has no translation and is lost'
            _say(found, Kind.PBS_RESOURCE_LOST, message, word, {"resource": name}, Severity.WARNING)


def _pbs_nodes(text: str) -> Pairs:
    nodes = per_node = 0
    names: list[str] = []
    for part in re.split(r"[+:]", text):
        if part.startswith("ppn="):
            per_node += _leading_number(part[len("ppn=") :])
        elif part[:1].isdigit():
            nodes += _leading_number(part)
        elif part[:1].isalpha():
            names.append(part)
    if nodes:
        yield "nodes", str(nodes)
    if per_node:
        yield "ntasks", str(per_node * max(nodes, 1))
    if names:
        yield "nodelist", ",".join(names)


def _leading_number(text: str) -> int:
    found = re.match(r"[0-9]{1,6}", text)
    return int(found[0]) if found else 0


def _lsf(letter: str, value: str | None, word: Word, found: Translation) -> Pairs:
    text = value or ""
    if letter == "n":
        yield "ntasks", text.rpartition(",")[2]
    elif letter == "m":
        yield "nodelist", text.replace(" ", ",")
    elif letter == "M":
        yield "mem-per-cpu", f"{_leading_number(text)}K"
    elif letter == "W":
        yield "time", text
    else:
        yield _LSF[letter], "/dev/null" if letter in "eo" and text.lower() == "none" else value


def _given(word: Word, option: str, value: str | None) -> Given:
    return Given(option=option, value=value, line=word.line, column=word.column, length=word.length, translated=True)


def _say(found: Translation, kind: Kind, message: str, word: Word, facts: dict[str, Fact], severity: Severity) -> None:
    found.findings.append(
        Finding(
            kind=kind,
            severity=severity,
            message=message,
            line=word.line,
            column=word.column,
            length=word.length,
            facts=facts,
        )
    )
