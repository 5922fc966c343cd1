"""Numbers, node counts, times and memory as Slurm reads them. Each raises BadValue with Slurm's words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from scheduling.jobspec.findings import BadValue, Fact, Kind

MINUTE = 60
_INT_MAX = 2**31 - 1
_ASCII_INT = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff]")
_TIME = re.compile(
    r"(?:(?P<days>[0-9]+)-(?P<hours>[0-9]*)|(?P<first>[0-9]+))(?::(?P<second>[0-9]+))?(?::(?P<third>[0-9]+))?"
)
_TIME_WITH_UNIT = re.compile(r"([0-9]+) ?(s|sec|m|min|mins|h|hr|hrs|hour|hours|d|day|days)", re.IGNORECASE)
_UNIT_SECONDS = {"s": 1, "m": MINUTE, "h": 60 * MINUTE, "d": 24 * 60 * MINUTE}
_MEMORY = re.compile(r"[ \t]*[+]?([0-9]{1,15})(?:([kmgt])b?)?", re.IGNORECASE)
_FRACTION_OF_MEMORY = re.compile(r"([0-9]+)\.([0-9]{1,3})([gt])b?", re.IGNORECASE)
_UNIT_MB = {"m": 1, "g": 1024, "t": 1024 * 1024}


def plain(text: str) -> str | None:
    """Without full-width and invisible letters; None where there were none (nothing to repair)."""
    better = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).strip()
    return better if better != text else None


def number(text: str, option: str, *, least: int = 1) -> int:
    found = _ASCII_INT.fullmatch(text) if text else None
    value = int(found[1]) if found and len(text) < 40 else -1 if text else 0
    facts: dict[str, Fact] = {"option": option, "value": text}
    if value < least:
        repair = plain(text) or text.lstrip("=").rstrip(";,") if re.search(r"[0-9]", text) or plain(text) else None
        good = repair if repair != text and repair and _ASCII_INT.fullmatch(repair) else None
        raise BadValue(Kind.INVALID_NUMBER, f'Invalid numeric value "{text}" for --{option}.', repair=good, facts=facts)
    if value > _INT_MAX:
        raise BadValue(Kind.INVALID_NUMBER, f"Numeric argument ({value}) to big for --{option}.", facts=facts)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCount:
    least: int
    most: int | None


def node_count(text: str) -> NodeCount:
    least_text, dash, most_text = text.partition("-")
    if not dash:
        count = _node_number(text)
        return NodeCount(least=_not_zero(count, text), most=count)
    least, most = _node_number(least_text), _node_number(most_text) if most_text.strip() else -1
    if most and most < least:
        raise BadValue(
            Kind.INVALID_NODES,
            f"Maximum node count {most} is less than minimum node count {least}",
            repair=f"{most}-{least}" if most > 0 else None,
            facts={"value": text},
        )
    return NodeCount(least=max(least, 1), most=most or None)


def _node_number(text: str) -> int:
    """With k and m, which count 1024 and 1024 x 1024 nodes. No digit at all is 0."""
    found = re.fullmatch(r"[ \t]*([+]?[0-9]{1,9})([kKmM]?)[ \t]*", text)
    if found:
        return min(int(found[1]) * {"": 1, "k": 1024, "m": 1024 * 1024}[found[2].lower()], _INT_MAX)
    if not text.strip(" \t"):
        return 0
    better = plain(text) or text.lstrip("=").rstrip(";,")
    repair = better if better != text and better.isascii() and better.isdigit() else None
    raise BadValue(Kind.INVALID_NODES, f'"{text}" is not a valid node count', repair=repair, facts={"value": text})


def _not_zero(count: int, text: str) -> int:
    if count == 0:
        raise BadValue(Kind.INVALID_NODES, "Node count specification invalid", facts={"value": text})
    return count


def seconds(text: str, option: str = "time") -> int | None:
    """Rounded up to whole minutes; None = unlimited."""
    if text.upper() in ("UNLIMITED", "INFINITE") or text == "-1":
        return None
    found = _TIME.fullmatch(text)
    if not found or len(text) > 30:
        raise BadValue(
            Kind.INVALID_TIME,
            f"Invalid --{option} specification",
            repair=_better_time(text),
            facts={"option": option, "value": text},
        )
    second, third = found["second"], found["third"]
    if found["days"] is not None:
        hours = int(found["days"]) * 24 + int(found["hours"] or 0)
        total = hours * 3600 + int(second or 0) * MINUTE + int(third or 0)
    elif third is not None:
        total = int(found["first"]) * 3600 + int(second) * MINUTE + int(third)
    else:
        total = int(found["first"]) * MINUTE + int(second or 0)
    return min(-(-total // MINUTE) * MINUTE, _INT_MAX // MINUTE * MINUTE) or None  # a limit of 0 is no limit


def _better_time(text: str) -> str | None:
    better = plain(text)
    if better and _TIME.fullmatch(better):
        return better
    found = _TIME_WITH_UNIT.fullmatch(better or text)
    if not found:
        return None
    total = min(int(found[1]), 10**9) * _UNIT_SECONDS[found[2][0].lower()]
    return f"{total // 3600}:00:00" if found[2][0] in "hH" else time_text(total)


def time_text(total: int) -> str:
    """A number of seconds the way Slurm writes it."""
    days, rest = divmod(total, 86400)
    clock = f"{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
    return f"{days}-{clock}" if days else clock


def memory_mb(text: str, option: str) -> int:
    """MiB; KB are rounded up. Units count 1024, a plain number is MB."""
    found = _MEMORY.fullmatch(text)
    if not found:
        raise BadValue(
            Kind.INVALID_MEMORY,
            f"Invalid --{option} specification",
            repair=_better_memory(text),
            facts={"option": option, "value": text},
        )
    amount, unit = int(found[1]), (found[2] or "m").lower()
    return -(-amount // 1024) if unit == "k" else amount * _UNIT_MB[unit]


def _better_memory(text: str) -> str | None:
    better = plain(text) or text
    found = _FRACTION_OF_MEMORY.fullmatch(better)
    if found:
        thousandths = int(found[1]) * 1000 + int(found[2].ljust(3, "0"))
        return f"{thousandths * _UNIT_MB[found[3].lower()] // 1000}M"
    better = better.replace(" ", "").replace("iB", "B").replace("i", "")
    return better if better != text and _MEMORY.fullmatch(better) else None
