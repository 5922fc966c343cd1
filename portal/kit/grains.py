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


def to_npus(grains: int) -> Fraction:
    return Fraction(grains, GRAINS_PER_NPU)


def as_text(grains: int, places: int = 2) -> str:
    """NPUs as people write them: "8", "0.25", "3.43"; at most `places` decimals, half up, no trailing zeros."""
    scale = 10**places
    sign, amount = ("-", -grains) if grains < 0 else ("", grains)
    scaled = (2 * amount * scale + GRAINS_PER_NPU) // (2 * GRAINS_PER_NPU)
    whole, rest = divmod(scaled, scale)
    if not rest:
        return f"{sign if whole else ''}{whole}"
    return f"{sign}{whole}.{str(rest).zfill(places).rstrip('0')}"
