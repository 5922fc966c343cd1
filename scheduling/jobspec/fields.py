"""A specification given as fields (the API's JSON, a form) instead of, or beside, directives in the script.

Fields win over the script's directives, as options on sbatch's command line do, and go through the same readers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from scheduling.jobspec.findings import Finding, Kind, Reading, Severity
from scheduling.jobspec.given import Given
from scheduling.jobspec.sbatch import read_with
from scheduling.jobspec.site import Site


class _Unfit(Exception):
    """The value is not of the wanted form; the text says what is wanted."""


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Unfit("text")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in value):
        raise _Unfit("text without line breaks and control characters")
    return value


def _number(value: object) -> str:
    if type(value) is not int or value < 1:
        raise _Unfit("a whole number of at least 1")
    return str(value)


def _zero_or_more(value: object) -> str:
    if type(value) is not int or value < 0:
        raise _Unfit("a whole number, not negative")
    return str(value)


def _number_or_text(value: object) -> str:
    return _number(value) if type(value) is int else _text(value)


def _list_or_text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_text(each) for each in value)
    return _text(value)


def _minutes(value: object) -> str:
    return str(-(-int(_number(value)) // 60))


def _megabytes(value: object) -> str:
    return f"{_zero_or_more(value)}M"


_FIELDS: dict[str, tuple[str, Callable[[object], str]]] = {
    "name": ("job-name", _text),
    "partition": ("partition", _list_or_text),
    "account": ("account", _text),
    "qos": ("qos", _text),
    "nodes": ("nodes", _number_or_text),
    "tasks": ("ntasks", _number),
    "tasks_per_node": ("ntasks-per-node", _number),
    "cpus_per_task": ("cpus-per-task", _number),
    "gpus_per_node": ("gpus-per-node", _number_or_text),
    "gres": ("gres", _text),
    "memory": ("mem", _text),
    "mem_mb_per_node": ("mem", _megabytes),
    "mem_mb_per_cpu": ("mem-per-cpu", _megabytes),
    "time_limit_seconds": ("time", _minutes),
    "time_limit": ("time", _text),
    "output": ("output", _text),
    "error": ("error", _text),
    "array": ("array", _text),
    "dependency": ("dependency", _text),
    "signal": ("signal", _text),
    "mail_type": ("mail-type", _list_or_text),
    "mail_user": ("mail-user", _text),
    "comment": ("comment", _text),
    "reservation": ("reservation", _text),
    "begin": ("begin", _text),
    "constraint": ("constraint", _text),
    "nodelist": ("nodelist", _list_or_text),
    "exclude": ("exclude", _list_or_text),
}
_OTHERS = ("script", "npus_per_node", "npu_type", "requeue", "exclusive")
_NUMBERS = frozenset(("npus_per_node", "mem_mb_per_node", "mem_mb_per_cpu"))
FIELDS = tuple(sorted((*_FIELDS, *_OTHERS)))


def from_fields(data: Mapping[str, object], site: Site) -> Reading:
    """Null counts as not given. Findings about a field name it; those about the script have its line."""
    given: list[Given] = []
    findings: list[Finding] = []
    for name, value in data.items():
        if name not in FIELDS:
            findings.append(_unknown(name))
        elif value is not None and name != "script":
            try:
                given += _given(name, value, data)
            except _Unfit as unfit:
                findings.append(_unfit(name, value, str(unfit)))
    script = data.get("script")
    if not isinstance(script, str):
        findings.append(_no_script() if script is None else _unfit("script", script, "text"))
        return Reading(spec=None, findings=tuple(findings))
    reading = read_with(script, site, given)
    return Reading(
        spec=reading.spec,
        findings=(*findings, *map(_for_a_form, reading.findings)),
        ignored_lines=reading.ignored_lines,
    )


def _for_a_form(finding: Finding) -> Finding:
    """A field for a number wants no unit and no device name in its repair."""
    if finding.repair is None or finding.field not in _NUMBERS:
        return finding
    digits = re.search(r"([0-9]+)M?$", finding.repair)
    return replace(finding, repair=digits[1] if digits else None)


def _given(name: str, value: object, data: Mapping[str, object]) -> list[Given]:
    if name in _FIELDS:
        option, write = _FIELDS[name]
        return [Given(option=option, value=write(value), field=name)]
    if name == "npus_per_node":
        kind = data.get("npu_type")
        middle = f"{_text(kind)}:" if kind is not None else ""
        return [Given(option="gres", value=f"npu:{middle}{_zero_or_more(value)}", field=name)]
    if name == "npu_type":
        _text(value)
        if data.get("npus_per_node") is None:
            raise _Unfit("npus_per_node beside it")
        return []
    if name == "exclusive" and isinstance(value, str):
        return [Given(option="exclusive", value=_text(value), field=name)]
    if not isinstance(value, bool):
        raise _Unfit("true or false")
    if name == "requeue":
        return [Given(option="requeue" if value else "no-requeue", field=name)]
    return [Given(option="exclusive", field=name)] if value else []


def _unknown(name: str) -> Finding:
    return Finding(
        kind=Kind.UNKNOWN_FIELD,
        severity=Severity.ERROR,
        message=f"{name[:80]}: unknown field",
        field=name,
        facts={"known": " ".join(FIELDS)},
    )


def _unfit(name: str, value: object, wanted: str) -> Finding:
    return Finding(
        kind=Kind.INVALID_VALUE,
        severity=Severity.ERROR,
        message=f"{name}: {wanted} expected",
        field=name,
        facts={"option": name, "value": repr(value)[:80], "wanted": wanted},
    )


def _no_script() -> Finding:
    return Finding(kind=Kind.MISSING_FIELD, severity=Severity.ERROR, message="script: is missing", field="script")
