"""Values with a grammar of their own: devices, arrays, dependencies, signals, mail types. Each raises BadValue."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scheduling.jobspec.amounts import plain
from scheduling.jobspec.findings import BadValue, Kind
from scheduling.jobspec.spec import Array, Dependency, Signal

_GRES = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]*)(?::(?P<type>[A-Za-z0-9_][\w.-]*?))??(?::(?P<count>[0-9]{1,9}[kKmMgGtT]?))?", re.ASCII
)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
_ARRAY_PART = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?")
MOST_ARRAY_TASKS = 100_000  # where the site names no limit
_JOB_ID = re.compile(r"([0-9]+(?:_(?:[0-9]+|\*|\[[0-9,-]+\]))?(?:\+[0-9]+)?)")
_DEPENDENCIES = frozenset(("after", "afterany", "afterburstbuffer", "aftercorr", "afternotok", "afterok"))
MAIL_TYPES = frozenset(
    ("NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT", "TIME_LIMIT", "TIME_LIMIT_90",
     "TIME_LIMIT_80", "TIME_LIMIT_50", "ARRAY_TASKS")
)  # fmt: skip
# Linux numbers, written out: the meaning of a script does not depend on the machine that reads it.
SIGNALS = {
    "HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "SEGV": 11, "USR2": 12, "PIPE": 13, "ALRM": 14,
    "TERM": 15, "CHLD": 17, "CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23, "XCPU": 24, "XFSZ": 25,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One entry of --gres, or one of the --gpus family."""

    name: str
    count: int
    type: str | None = None


def gres(text: str) -> tuple[Device, ...]:
    if text.lower() == "none":
        return ()
    parts = text.split(",")
    if not all(parts):
        raise _no_tres(text)
    found = tuple(_device(part.removeprefix("gres:"), text) for part in parts)
    typed, untyped = ({each.name for each in found if bool(each.type) is wanted} for wanted in (True, False))
    if typed & untyped:
        message = "Invalid GRES specification (with and without type identification)"
        raise BadValue(Kind.INVALID_GRES, message, facts={"value": text})
    return found


def _no_tres(text: str) -> BadValue:
    repair = ",".join(filter(None, text.split(","))) or None
    message = "Invalid Trackable RESource (TRES) specification"
    return BadValue(Kind.INVALID_GRES, message, repair=repair if repair != text else None, facts={"value": text})


def gpus(text: str) -> tuple[Device, ...]:
    """--gpus=4 or a100:4. In gpu:4 the word is a type, which no node has: Slurm refuses it later."""
    return tuple(_device(f"gpu:{part}", text) for part in text.split(",") if part)


def _device(part: str, text: str) -> Device:
    found = _GRES.fullmatch(part)
    if not found:
        better = (plain(part) or part).replace("=", ":").removeprefix("gres/").removeprefix("gres:")
        repair = text.replace(part, better) if better != part and _GRES.fullmatch(better) else None
        message = "Invalid generic resource (gres) specification"
        raise BadValue(Kind.INVALID_GRES, message, repair=repair, facts={"value": text})
    if found["type"] and re.fullmatch(r"[0-9]+\.[0-9]*", found["type"]):
        raise _no_tres(text)
    count = found["count"] or "1"
    unit = count[-1].lower() if count[-1].isalpha() else ""
    amount = int(count.rstrip("kKmMgGtT")) * _UNITS[unit]
    return Device(name=found["name"], type=found["type"], count=amount)


def array(text: str, *, max_size: int | None) -> Array:
    body, _, throttle_text = text.partition("%")
    if body.startswith("[") and body.endswith("]"):
        body = body[1:-1]
    indices: set[int] = set()
    top = max_size if max_size is not None else MOST_ARRAY_TASKS
    for part in filter(None, body.split(",")):
        found = _ARRAY_PART.fullmatch(part.strip())
        if not found:
            raise _bad_array(text, "syntax")
        first, last, step = int(found[1]), int(found[2] or found[1]), int(found[3] or 1)
        if last < first or step == 0:
            raise _bad_array(text, "syntax", repair=_turned(text, part) if step else None)
        if last >= top:
            raise _bad_array(text, "too-large", max_index=top - 1)
        indices |= set(range(first, last + 1, step))
    if not indices:
        raise _bad_array(text, "syntax")
    throttle = re.match(
        r"[0-9]{1,9}", throttle_text
    )  # anything else after the percent sign is no limit, without a word
    return Array(text=text, indices=tuple(sorted(indices)), throttle=int(throttle[0]) or None if throttle else None)


def _turned(text: str, part: str) -> str:
    first, _, last = part.partition(":")[0].partition("-")
    return text.replace(part, f"{last}-{first}", 1)


def _bad_array(text: str, why: str, *, max_index: int | None = None, repair: str | None = None) -> BadValue:
    facts: dict[str, str | int] = {"value": text, "why": why}
    if max_index is not None:
        facts["max_index"] = max_index
    return BadValue(Kind.INVALID_ARRAY, "Invalid job array specification", repair=repair, facts=facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    all: tuple[Dependency, ...]
    any_is_enough: bool = False


def dependencies(text: str) -> Dependencies:
    if not text:
        return Dependencies(all=())
    separator = "?" if "?" in text else ","
    found: list[Dependency] = []
    for part in re.split("[,?]", text):
        found += _dependency(part, text)
    return Dependencies(all=tuple(found), any_is_enough=separator == "?")


def _dependency(part: str, text: str) -> list[Dependency]:
    kind, *jobs = part.split(":")
    if kind.lower() == "singleton" and not jobs:
        return [Dependency(type="singleton")]
    if _JOB_ID.fullmatch(kind) and not jobs:  # the old form: an id alone, after any end
        kind, jobs = "afterany", [kind]
    if kind.lower() == "expand":
        message = "Requested operation not supported on this system"
        raise BadValue(Kind.INVALID_DEPENDENCY, message, facts={"value": text})
    if kind.lower() not in _DEPENDENCIES or not jobs or not all(_JOB_ID.fullmatch(job) for job in jobs):
        raise _bad_dependency(text)
    by_delay: dict[int, list[str]] = {}
    for job in jobs:
        number, _, minutes = job.partition("+")
        by_delay.setdefault(min(int((minutes or "0")[:9]), 10**6), []).append(number)
    return [
        Dependency(type=kind.lower(), jobs=tuple(numbers), delay_minutes=delay) for delay, numbers in by_delay.items()
    ]


def _bad_dependency(text: str) -> BadValue:
    return BadValue(Kind.INVALID_DEPENDENCY, "Job dependency problem", facts={"value": text})


def signal(text: str) -> Signal:
    flags, colon, rest = text.rpartition(":")
    name, _, before = rest.partition("@")
    upper = name.upper().removeprefix("SIG")
    number = int(name) if re.fullmatch(r"[0-9]{1,3}", name) else SIGNALS.get(upper, 0)
    known_flags = not colon or (flags and set(flags.upper()) <= {"B", "R"})
    seconds = int(before) if re.fullmatch(r"[0-9]{1,5}", before) else -1 if before else 60
    if not known_flags or number == 0 or not 0 <= seconds <= 65_535:
        raise BadValue(Kind.INVALID_SIGNAL, "Invalid --signal specification", facts={"value": text})
    return Signal(
        number=number,
        batch_only="B" in flags.upper(),
        at_reservation="R" in flags.upper(),
        seconds_before=seconds,
    )


def mail_types(text: str) -> tuple[str, ...]:
    found = [part.upper() for part in text.split(",") if part]
    if not found or not set(found) <= MAIL_TYPES:
        raise BadValue(Kind.INVALID_MAIL_TYPE, "Invalid --mail-type specification", facts={"value": text})
    return () if "NONE" in found else tuple(dict.fromkeys(found))


def exclusive_scope(text: str | None) -> str:
    if not text:
        return "node"
    if text.lower() in ("user", "mcs"):
        return text.lower()
    raise _invalid("exclusive", text)


_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[aApP][mM])?"
_BEGIN = re.compile(
    rf"(?:now(?:\+[0-9]{{1,9}}(?:seconds?|minutes?|hours?|days?|weeks?)?)?|uts[0-9]+|{_CLOCK}|midnight|noon|fika|teatime"
    rf"|(?:today|tomorrow|[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{6}}|[0-9]{{2}}[./][0-9]{{2}}(?:[./][0-9]{{2,4}})?)"
    rf"(?:[T-]? ?{_CLOCK})?)",
    re.IGNORECASE,
)


def begin(text: str) -> str:
    if not _BEGIN.fullmatch(text.strip()):
        raise BadValue(Kind.INVALID_TIME, "Invalid --begin specification", facts={"option": "begin", "value": text})
    return text


def one_of(text: str, option: str, *choices: str) -> str:
    if text.lower() not in choices:
        raise _invalid(option, text)
    return text


def _invalid(option: str, text: str) -> BadValue:
    message = f"Invalid --{option} specification"
    return BadValue(Kind.INVALID_VALUE, message, facts={"option": option, "value": text})
