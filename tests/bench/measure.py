"""Running something several times, and saying how long it took."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def times(step: Callable[[], object], *, runs: int = 5) -> list[float]:
    """Seconds of each run; one before them warms up and is not counted."""
    step()
    return [once(step) for _ in range(runs)]


def once(step: Callable[[], object]) -> float:
    begun = time.perf_counter()
    step()
    return time.perf_counter() - begun


def tell(what: str, seconds: list[float]) -> None:
    shown = (f"{1000 * value:8.1f}" for value in (min(seconds), statistics.median(seconds), max(seconds)))
    print(f"{what:<58}{' '.join(shown)}  ms ({len(seconds)} runs)", flush=True)
