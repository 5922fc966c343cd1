"""Tables as files that open right in a Chinese Excel and cannot smuggle a formula into it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from accounting.models.price import Source
from accounting.queries import Line
from portal.kit import grains, money

BOM = "\ufeff"
STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def cell(value: Any) -> Any:
    """Text that a spreadsheet would run is marked as text; numbers stay numbers."""
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(STARTS_A_FORMULA) else text


def csv_bytes(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([cell(name) for name in head])
    writer.writerows([cell(value) for value in row] for row in rows)
    return (BOM + out.getvalue()).encode()


def usage_csv(lines: Sequence[Line], *, first_column: str, with_cost: bool, currency: str) -> bytes:
    """One row a line, and a last one with the sums. NPU·h with two decimals, money with six, as they are counted."""
    head = [first_column, _("own NPU·h"), _("elastic NPU·h"), _("borrowed NPU·h"), _("total NPU·h"), _("jobs")]
    if with_cost:
        head.append(_("cost ({currency})").format(currency=currency))
    rows = [
        [
            line.label,
            *(_hours(line.grain_seconds[source]) for source in Source.values),
            _hours(line.total_grain_seconds),
            len(line.jobs),
            *([str(money.to_decimal(line.cost))] if with_cost else []),
        ]
        for line in lines
    ]
    total = [
        _("Total"),
        *(_hours(sum(line.grain_seconds[source] for line in lines)) for source in Source.values),
        _hours(sum(line.total_grain_seconds for line in lines)),
        len({job for line in lines for job in line.jobs}),
        *([str(money.to_decimal(sum(line.cost for line in lines)))] if with_cost else []),
    ]
    return csv_bytes(head, [*rows, total])


def _hours(grain_seconds: int) -> str:
    return grains.as_text(grain_seconds // 3600)
