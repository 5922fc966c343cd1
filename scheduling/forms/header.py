"""A script's header as fields of a form, and back: only what changed is written, everything else stays as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scheduling.jobspec import lines
from scheduling.jobspec.given import Given, Options

OPTIONS = {
    "name": "job-name",
    "partition": "partition",
    "nodes": "nodes",
    "npus": "gres",
    "tasks_per_node": "ntasks-per-node",
    "cpus_per_task": "cpus-per-task",
    "time": "time",
    "output": "output",
}
COMMAND = "command"
_NPU = re.compile(r"npu(?P<type>:(?![0-9]+$)[\w.-]+?)?(?::(?P<count>[0-9]+))?")
_NEEDS_QUOTES = re.compile(r"[\s#\"'\\]")
_OPTION_BEFORE = re.compile(r"(--[\w-]+|-[A-Za-z])[ \t]+$")
_NOTHING_LEFT = re.compile(r"#(SBATCH|SLURM)\s*(#.*)?")
_SHEBANG = "#!/bin/bash"


def fields_of(text: str) -> dict[str, str]:
    """As written; empty where the script does not say."""
    given = _given(text)
    values = {}
    for field, option in OPTIONS.items():
        last = _last(given, option)
        values[field] = (last.value or "") if last else ""
    values["npus"] = _npus(values["npus"])
    values[COMMAND] = "\n".join(text.split("\n")[_header_end(text) :]).strip("\n")
    return values


def field_at(text: str, *, line: int, column: int) -> str:
    """The field that stands there; empty if the form has none for it."""
    names = {option: field for field, option in OPTIONS.items()}
    here = [each for each in _given(text) if each.line == line and (not column or each.column <= column)]
    return names.get(here[-1].option, "") if here else ""


def with_fields(text: str, fields: Mapping[str, str]) -> str:
    """The script with these values. A field that is not given, or says what the script says, changes nothing."""
    now = fields_of(text)
    for field, option in OPTIONS.items():
        value = " ".join(fields.get(field, now[field]).split())
        if value != now[field]:
            text = _set(text, option, _gres(text, value) if field == "npus" else value)
    command = fields.get(COMMAND, now[COMMAND])
    if command.strip("\n") == now[COMMAND]:
        return text
    head = text.split("\n")[: _header_end(text)] or [_SHEBANG]
    return "\n".join([*head, "", command.strip("\n"), ""])


def _given(text: str) -> list[Given]:
    header = lines.header(text.split("\n"))
    options = Options([word for directive in header.directives for word in directive.words], version=None)
    options.read()
    return options.given


def _last(given: list[Given], option: str) -> Given | None:
    return next((each for each in reversed(given) if each.option == option), None)


def _header_end(text: str) -> int:
    """How many lines the header has: up to the last directive, or the line that names the interpreter."""
    directives = lines.header(text.split("\n")).directives
    if directives:
        return directives[-1].line
    return 1 if text.startswith("#!") else 0


def _npus(gres: str) -> str:
    """The number in "npu:8"; of something that cannot be read the whole, so that it can be mended in the form."""
    parts = [part for part in gres.split(",") if part.startswith("npu")]
    if not parts:
        return ""
    found = [_NPU.fullmatch(part) for part in parts]
    if not all(found):
        return ",".join(parts).removeprefix("npu:")
    return str(sum(int(each["count"] or 1) for each in found if each))


def _gres(text: str, npus: str) -> str:
    """The value of --gres with so many NPUs; other devices and the type of NPU are kept."""
    last = _last(_given(text), "gres")
    parts = [part for part in (last.value or "").split(",") if part] if last else []
    wanted = ""
    if npus and npus != "0":
        found = next((match for part in parts if (match := _NPU.fullmatch(part))), None)
        wanted = f"npu{(found['type'] or '') if found else ''}:{npus}"
    others = [part for part in parts if not part.startswith("npu")]
    return ",".join(filter(None, [wanted, *others]))


def _set(text: str, option: str, value: str) -> str:
    rows = text.split("\n")
    last = _last(_given(text), option)
    if last is None:
        return "\n".join(_inserted(rows, text, f"#SBATCH --{option}={_quoted(value)}")) if value else text
    row = rows[last.line - 1]
    before, after = row[: last.column - 1], row[last.column - 1 + last.length :]
    if value:
        rows[last.line - 1] = f"{before}{last.prefix}{_quoted(value)}{after}"
        return "\n".join(rows)
    if not last.prefix:  # the option's name is a word of its own
        before = _OPTION_BEFORE.sub("", before)
    left = f"{before.rstrip()} {after.lstrip()}".rstrip()
    rows[last.line - 1 : last.line] = [] if _NOTHING_LEFT.fullmatch(left) else [left]
    return _set("\n".join(rows), option, "")  # the same option may have been given twice


def _inserted(rows: list[str], text: str, row: str) -> list[str]:
    end = _header_end(text)
    if end:
        return [*rows[:end], row, *rows[end:]]
    return [_SHEBANG, row, *(rows if rows[0] == "" else ["", *rows])]


def _quoted(value: str) -> str:
    if not _NEEDS_QUOTES.search(value):
        return value
    inner = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'
