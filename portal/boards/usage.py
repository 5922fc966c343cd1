"""A team's week or month by project and by person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from accounting import calendar
from accounting.models import Team, UsageInterval
from accounting.models.price import Source
from accounting.queries import Line, usage_lines
from accounting.rating import SECONDS_PER_HOUR
from portal.kit.grains import GRAINS_PER_NPU

SHOWN_GRAIN_SECONDS = GRAINS_PER_NPU // 100 * SECONDS_PER_HOUR
SHOWN_MICRO = 10_000
"""Tables show hundredths: of an NPU·h, of the currency."""

PERIODS: dict[str, Callable[[datetime, ZoneInfo], calendar.Period]] = {
    "week": calendar.week_of,
    "month": calendar.month_of,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Amounts in grain-hours, cost in micro-units."""

    label: str
    own: int
    elastic: int
    borrowed: int
    jobs: int
    cost: int

    @property
    def total(self) -> int:
        return self.own + self.elastic + self.borrowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    by: str
    rows: list[Row]
    sum: Row
    """Of the rows as they are shown, so that each column adds up on paper too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    name: str
    period: calendar.Period
    by_project: list[Line]
    by_person: list[Line]

    @property
    def tables(self) -> list[Table]:
        return [_table("project", self.by_project), _table("person", self.by_person)]

    @property
    def sum(self) -> Row:
        return _table("project", self.by_project).sum


def period_of(name: str, now: datetime) -> calendar.Period:
    return PERIODS[name](now, ZoneInfo(settings.ORGANISATION_TIME_ZONE))


def team_usage(team: Team, name: str, *, now: datetime) -> Usage:
    """One read of the rows: by project and person together first, then folded both ways."""
    period = period_of(name, now)
    pairs: dict[tuple[int, int], int] = {}
    names: dict[tuple[int, int], tuple[str, str]] = {}

    def by_both(row: UsageInterval) -> tuple[int, str]:
        pair = (row.project_id, row.user_id)
        names[pair] = (row.project.name, str(row.user))
        return pairs.setdefault(pair, len(pairs)), ""

    rows = UsageInterval.objects.filter(team=team).select_related("project", "user")
    cells = usage_lines(rows, start=period.start, end=period.end, now=now, by=by_both)
    pair_of = {key: pair for pair, key in pairs.items()}
    return Usage(
        name=name,
        period=period,
        by_project=_fold(cells, lambda cell: (pair_of[cell.key][0], names[pair_of[cell.key]][0])),
        by_person=_fold(cells, lambda cell: (pair_of[cell.key][1], names[pair_of[cell.key]][1])),
    )


def _fold(cells: list[Line], by: Callable[[Line], tuple[int, str]]) -> list[Line]:
    lines: dict[int, Line] = {}
    for cell in cells:
        key, label = by(cell)
        line = lines.setdefault(key, Line(key, label))
        for source, amount in cell.grain_seconds.items():
            line.grain_seconds[source] += amount
        line.exact_cost += cell.exact_cost
        line.jobs |= cell.jobs
    for source in Source.values:
        amounts = [line.grain_seconds[source] for line in lines.values()]
        for line, amount in zip(lines.values(), shown(amounts, unit=SHOWN_GRAIN_SECONDS), strict=True):
            line.grain_seconds[source] = amount
    return sorted(lines.values(), key=lambda line: (-line.total_grain_seconds, line.label))


def shown(amounts: Sequence[int], *, unit: int) -> list[int]:
    """As whole units that add up to the rounded sum: what is left over goes to the largest remainders."""
    whole = [amount // unit for amount in amounts]
    left = (2 * sum(amounts) + unit) // (2 * unit) - sum(whole)
    for index in sorted(range(len(amounts)), key=lambda index: -(amounts[index] % unit))[:left]:
        whole[index] += 1
    return [units * unit for units in whole]


def _table(by: str, lines: list[Line]) -> Table:
    costs = shown([line.cost for line in lines], unit=SHOWN_MICRO)
    rows = [_row(line, cost) for line, cost in zip(lines, costs, strict=True)]
    total = Row(
        label="",
        own=sum(row.own for row in rows),
        elastic=sum(row.elastic for row in rows),
        borrowed=sum(row.borrowed for row in rows),
        jobs=len({job for line in lines for job in line.jobs}),
        cost=sum(row.cost for row in rows),
    )
    return Table(by=by, rows=rows, sum=total)


def _row(line: Line, cost: int) -> Row:
    return Row(
        label=line.label,
        own=line.grain_seconds[Source.GUARANTEED] // SECONDS_PER_HOUR,
        elastic=line.grain_seconds[Source.ELASTIC] // SECONDS_PER_HOUR,
        borrowed=line.grain_seconds[Source.BORROWED] // SECONDS_PER_HOUR,
        jobs=len(line.jobs),
        cost=cost,
    )
