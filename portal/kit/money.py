"""Money: integer micro-units of one currency in columns, exact fractions in between, rounded once, here."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

MICRO = 1_000_000


def round_micro(amount: Fraction) -> int:
    """The one rounding rule: half away from zero, to whole micro-units."""
    doubled = 2 * abs(amount.numerator) + amount.denominator
    rounded = doubled // (2 * amount.denominator)
    return -rounded if amount < 0 else rounded


def to_decimal(micro: int) -> Decimal:
    return Decimal(micro).scaleb(-6)


def as_text(micro: int) -> str:
    """With two decimals and thousands separators: "1,152.00". The sign of the currency is the page's business."""
    with localcontext() as context:
        context.prec = 60
        return f"{to_decimal(micro).quantize(Decimal('0.01'), rounding=ROUND_HALF_UP):,}"
