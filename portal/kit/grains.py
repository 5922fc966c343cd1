"""Amounts of NPUs as integers.

One NPU is 33,600 grains: the least number that the AI cores, AI CPUs and gigabytes of memory of all known chips divide
evenly, so that seven vir01 are exactly one 310P and two vir10 exactly one 910B.
"""

from __future__ import annotations

from fractions import Fraction

GRAINS_PER_NPU = 33_600


def from_npus(npus: int | str | Fraction) -> int:
    """Grains of an amount given in NPUs ("0.25", 8). ValueError if it is negative or no whole number of grains."""
    try:
        amount = Fraction(npus) * GRAINS_PER_NPU
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{npus!r} is not an amount of NPUs") from None
    if amount < 0 or amount.denominator != 1:
        raise ValueError(f"{npus!r} is not a whole number of grains (1 NPU = {GRAINS_PER_NPU})")
    return amount.numerator


def as_text(grains: int, places: int = 2) -> str:
    """NPUs as people write them: "8", "0.25", "3.43"; at most `places` decimals, half up, no trailing zeros."""
    text = in_column(grains, places)
    return text.rstrip("0").rstrip(".") if places else text


def in_column(grains: int, places: int = 2) -> str:
    """The same with all decimals, "8.00" below "0.25": numbers of one column are compared by their length."""
    scale = 10**places
    scaled = (2 * abs(grains) * scale + GRAINS_PER_NPU) // (2 * GRAINS_PER_NPU)
    sign = "-" if grains < 0 and scaled else ""
    whole, rest = divmod(scaled, scale)
    return f"{sign}{whole}.{rest:0{places}}" if places else f"{sign}{whole}"
