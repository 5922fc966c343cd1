"""Facts of the engine and of refusals as words: amounts in NPUs, moments in the reader's zone, durations, memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext

from portal.kit import clock
from portal.kit.grains import as_text
from portal.kit.times import duration, short
from scheduling.models import State
from scheduling.texts.sentence import Numbers

AMOUNTS = frozenset(
    {
        *("asked", "used", "guaranteed", "borrowed", "may_borrow", "potential", "capacity", "idle", "kept", "lent"),
        *("per_node", "largest_node", "largest_piece", "next_idle", "limit", "free"),
    }
)
MOMENTS = frozenset({"since", "until", "next_at"})
DURATIONS = frozenset({"seconds", "max_seconds"})
MEMORY = frozenset({"memory_mb", "memory_mb_free"})
JOBS = frozenset({"next_job"})
STATES = frozenset({"state", "to"})
PIECES_SHOWN = 4


def in_words(facts: Mapping[str, Any], *, now: datetime) -> dict[str, str | Numbers]:
    return {name: _in_words(name, value, now) for name, value in facts.items()}


def _in_words(name: str, value: Any, now: datetime) -> str | Numbers:
    if name in JOBS:
        return Numbers((value,) if value else ())
    if name == "pieces":
        return pieces(value)
    if name in STATES and value in State.values:
        return str(State(value).label)
    if not isinstance(value, int):
        return gettext("without limit") if value == "unlimited" else str(value)
    if name in AMOUNTS:
        return as_text(value)
    if name in MOMENTS:
        return short(clock.from_epoch(value), now)
    if name in DURATIONS:
        return duration(value)
    return memory(value) if name in MEMORY else str(value)


def pieces(grains: list[int]) -> str:
    """ "4 + 3", "8 × 1", the largest first; empty pieces are none."""
    counted = Counter(piece for piece in grains if piece)
    words = [f"{n} × {as_text(size)}" if n > 2 else " + ".join([as_text(size)] * n) for size, n in counted.items()]
    return " + ".join([*words[:PIECES_SHOWN], *(["…"] if len(words) > PIECES_SHOWN else [])]) or "0"


def memory(megabytes: int) -> str:
    """In GB where it is a whole or large number of them."""
    if megabytes >= 10 * 1024 or (megabytes >= 1024 and megabytes % 1024 == 0):
        return gettext("{n} GB").format(n=megabytes // 1024)
    return gettext("{n} MB").format(n=megabytes)
