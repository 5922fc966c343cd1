"""The one place that reads the clock; everything else takes `now`."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)


def epoch(moment: datetime) -> int:
    """Whole seconds since the epoch, rounded down."""
    return int(moment.timestamp())


def from_epoch(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
