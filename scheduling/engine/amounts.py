"""Grains: whole numbers for every amount, so that nothing is ever lost to rounding."""

from __future__ import annotations

from collections.abc import Sequence

GRAINS_PER_NPU = 33_600
"""The least number that the AI cores, AI CPUs and GB of all known chips divide evenly."""


def scaled(amounts: Sequence[int], *, total: int) -> list[int]:
    """The amounts shrunk in proportion so that they sum to `total`: largest remainder, the earlier one as tie."""
    whole = sum(amounts)
    parts = [amount * total // whole for amount in amounts]
    by_remainder = sorted(range(len(amounts)), key=lambda place: (-(amounts[place] * total % whole), place))
    for place in by_remainder[: total - sum(parts)]:
        parts[place] += 1
    return parts
