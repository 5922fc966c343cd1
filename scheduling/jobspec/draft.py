"""What has been read so far, option by option: the last one given wins, and each knows where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from scheduling.jobspec import amounts, hostlist, values
from scheduling.jobspec.findings import BadValue, Finding, Kind, Severity
from scheduling.jobspec.given import Given, single_dash
from scheduling.jobspec.options import LONG
from scheduling.jobspec.site import Site

T = TypeVar("T")

_LIMITS = {"comment": 1024, "job-name": 1024, "account": 1024, "partition": 1024, "qos": 1024, "constraint": 1024,
           "reservation": 1024, "mail-user": 1024, "output": 4095, "error": 4095}  # fmt: skip
_TEXTS = frozenset(_LIMITS) | {"clusters"}
_QUOTES = re.compile("[\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f]")
_PLAIN_QUOTES = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f", '"')
    | dict.fromkeys("\u2018\u2019\u201a", "'")
)
_SLOTS = {"no-requeue": "requeue", "tres-per-node": "gres"}
# Each component of a heterogeneous job starts without these; all others carry over from the one before.
_RESET = frozenset(
    ("nodes", "nodelist", "exclude", "ntasks", "ntasks-per-node", "ntasks-per-gpu", "cpus-per-task", "gres", "gpus",
     "gpus-per-node", "gpus-per-task", "constraint", "exclusive")
)  # fmt: skip
# Options that say how sbatch itself should behave: nothing is lost by leaving them out of a submission.
_OF_SBATCH_ALONE = frozenset(
    ("batch", "help", "ignore-pbs", "parsable", "quiet", "test-only", "usage", "verbose", "version", "wait")
)


def _size(option: str) -> Callable[[str, Site], object]:
    return lambda text, site: amounts.memory_mb(text, option)


def _count(option: str, least: int = 1) -> Callable[[str, Site], object]:
    return lambda text, site: amounts.number(text, option, least=least)


_READERS: dict[str, Callable[[str, Site], object]] = {
    "nodes": lambda text, site: amounts.node_count(text),
    "ntasks": _count("ntasks"),
    "ntasks-per-node": _count("ntasks-per-node"),
    "ntasks-per-gpu": _count("ntasks-per-gpu"),
    "cpus-per-task": _count("cpus-per-task"),
    "mem": _size("mem"),
    "mem-per-cpu": _size("mem-per-cpu"),
    "gres": lambda text, site: values.gres(text),
    "gpus": lambda text, site: values.gpus(text),
    "gpus-per-node": lambda text, site: values.gpus(text),
    "gpus-per-task": lambda text, site: values.gpus(text),
    "time": lambda text, site: amounts.seconds(text) or 0,
    "array": lambda text, site: values.array(text, max_size=site.max_array_size),
    "dependency": lambda text, site: values.dependencies(text),
    "signal": lambda text, site: values.signal(text),
    "mail-type": lambda text, site: values.mail_types(text),
    "nodelist": lambda text, site: hostlist.expand(text, "nodelist"),
    "exclude": lambda text, site: hostlist.expand(text, "exclude"),
    "begin": lambda text, site: values.begin(text),
}


# Passed on as they are, but a wrong value is refused right away.
_CHECKED: dict[str, Callable[[str], object]] = {
    "time-min": lambda text: amounts.seconds(text, "time-min"),
    "tmp": lambda text: amounts.memory_mb(text, "tmp"),
    "open-mode": lambda text: values.one_of(text, "open-mode", "a", "append", "t", "truncate"),
    "kill-on-invalid-dep": lambda text: values.one_of(text, "kill-on-invalid-dep", "yes", "no"),
}


class Draft:
    def __init__(self, site: Site) -> None:
        self.site = site
        self.extra: dict[str, str | None] = {}
        self.broken: set[str] = set()
        """Given, but refused: what hangs on them is not judged."""
        self._values: dict[str, object] = {}
        self._given: dict[str, Given] = {}
        self._seen: dict[str, Given] = {}

    def get(self, option: str, kind: type[T]) -> T | None:
        value = self._values.get(option)
        return value if isinstance(value, kind) else None

    def where(self, *options: str) -> Given:
        """Where the first of them stands that was given; nowhere in particular if none was."""
        for option in options:
            if option in self._given:
                return self._given[option]
        return Given(option=options[0])

    def has(self, option: str) -> bool:
        return option in self._given

    def next_component(self) -> None:
        for option in _RESET:
            self._values.pop(option, None)
            self._given.pop(option, None)
        self._seen.clear()

    def take(self, given: Given) -> Iterator[Finding]:
        option = _SLOTS.get(given.option, given.option)
        first = self._seen.get(option)
        if first is not None and not given.field and not first.field and not given.translated:
            yield _duplicate(given, first)
        self._seen[option] = given
        if option in _TEXTS:
            yield from _doubts(given)
        try:
            self._set(option, given)
        except BadValue as bad:
            self.broken.add(option)
            yield _refusal(given, bad)
        else:
            self._given[option] = given
            if option in self.extra and option in LONG and option not in _OF_SBATCH_ALONE:  # else it was told already
                yield _passed_on(given)

    def _set(self, option: str, given: Given) -> None:
        text = given.value or ""
        if option in _READERS:
            self._values[option] = _READERS[option](text, self.site)
        elif option in _TEXTS:
            if len(text.encode(errors="replace")) > _LIMITS.get(option, 1024):
                message = "Pathname of a file, directory or other parameter too long"
                facts: dict[str, str | int] = {"option": option, "limit": _LIMITS.get(option, 1024)}
                raise BadValue(Kind.VALUE_TOO_LONG, message, facts=facts)
            self._values[option] = text
        elif option == "exclusive":
            self._values[option] = values.exclusive_scope(given.value)
        elif option == "requeue":
            self._values[option] = given.option == "requeue"
        elif option != "ignore-pbs":
            if option in _CHECKED:
                _CHECKED[option](text)
            self.extra.pop(option, None)  # the last one given goes to the end
            self.extra[option] = given.value


def _duplicate(given: Given, first: Given) -> Finding:
    return given.finding(
        Kind.DUPLICATE_OPTION,
        f"--{given.option} was given before, on line {first.line}; the last one counts",
        severity=Severity.WARNING,
        facts={"option": given.option, "first_line": first.line},
    )


def _doubts(given: Given) -> Iterator[Finding]:
    """Accepted by Slurm as they stand, and surely not meant."""
    text = given.value or ""
    facts: dict[str, str | int] = {"option": given.option, "value": text}
    if text.startswith("="):
        yield given.finding(
            Kind.VALUE_STARTS_WITH_EQUALS,
            f'The value of --{given.option} is "{text}", with the equals sign',
            severity=Severity.WARNING,
            repair=text[1:],
            facts=facts,
        )
    if _QUOTES.search(text):
        yield given.finding(
            Kind.TYPOGRAPHIC_QUOTE,
            "Typographic quotes do not quote: they are part of the value",
            severity=Severity.WARNING,
            repair=text.translate(_PLAIN_QUOTES),
            facts=facts,
        )


def _refusal(given: Given, bad: BadValue) -> Finding:
    facts = dict(bad.facts)
    meant = single_dash(given)
    if meant is None:
        return given.finding(bad.kind, bad.message, repair=bad.repair, facts=facts)
    facts["meant"] = meant
    return Finding(
        kind=bad.kind,
        severity=Severity.ERROR,
        message=bad.message,
        line=given.line,
        column=given.column,
        length=given.length,
        repair=meant,
        facts=facts,
    )


def _passed_on(given: Given) -> Finding:
    return given.finding(
        Kind.OPTION_PASSED_ON,
        f"--{given.option} is passed on as it is",
        severity=Severity.WARNING,
        facts={"option": given.option, "value": given.value or ""},
    )
