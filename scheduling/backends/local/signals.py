"""Signals as people name them: USR1, SIGUSR1, 10, and --signal's [R:][B:]<signal>[@<seconds>]."""

from __future__ import annotations

import re
import signal

DEFAULT_WARNING_SECONDS = 60
_REQUEST = re.compile(r"^(?P<flags>(?:[RB]{1,2}:)*)(?P<signal>[A-Za-z0-9+]+)(?:@(?P<seconds>\d+))?$")


class UnknownSignal(ValueError):
    pass


def number(name: str) -> int:
    if name.isdigit():
        found = int(name)
    else:
        upper = name.upper()
        member = getattr(signal, upper if upper.startswith("SIG") else f"SIG{upper}", None)
        if not isinstance(member, signal.Signals):
            raise UnknownSignal(name)
        found = int(member)
    if found not in signal.valid_signals():
        raise UnknownSignal(name)
    return found


def request(text: str) -> tuple[str, int, int]:
    """Whom, what, how many seconds before the limit. Without B: the steps and not the batch script, as in Slurm."""
    match = _REQUEST.match(text.strip())
    if match is None:
        raise UnknownSignal(text)
    target = "batch" if "B" in match["flags"] else "steps"
    return target, number(match["signal"]), int(match["seconds"] or DEFAULT_WARNING_SECONDS)
