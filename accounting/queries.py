"""Questions about usage and quotas, answered with a number of queries that does not grow with the rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

from django.db.models import QuerySet

from accounting.models import Price, UsageInterval
from accounting.models.price import Source
from accounting.rating import PriceList, PriceStep, Stretch
from portal.kit import clock, money


@dataclass(slots=True)
class Line:
    """Use of one project, person, source, ... over a period. Cost in micro-units, rounded; totals are sums of lines."""

    key: int
    label: str
    grain_seconds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Source.values, 0))
    exact_cost: Fraction = Fraction(0)
    jobs: set[int] = field(default_factory=set)

    @property
    def total_grain_seconds(self) -> int:
        return sum(self.grain_seconds.values())

    @property
    def cost(self) -> int:
        return money.round_micro(self.exact_cost)


def price_list() -> PriceList:
    steps: dict[tuple[int, str], list[PriceStep]] = defaultdict(list)
    for price in Price.objects.all():
        steps[price.pool_id, price.source].append(PriceStep(clock.epoch(price.starts_at), price.micro_per_npu_hour))
    return PriceList(steps)


def stretch_of(row: UsageInterval, now: datetime) -> Stretch:
    """An open interval counts up to now."""
    since = clock.epoch(row.since)
    until = clock.epoch(row.until) if row.until else max(since, clock.epoch(now))
    return Stretch(pool=row.pool_id, source=row.source, grains=row.grains, since=since, until=until)


def usage_lines(
    rows: QuerySet[UsageInterval],
    *,
    start: datetime,
    end: datetime,
    now: datetime,
    by: Callable[[UsageInterval], tuple[int, str]],
) -> list[Line]:
    """Use in [start, end) grouped by `by` (key and label), most used first. Call with related rows selected."""
    prices = price_list()
    first, last = clock.epoch(start), clock.epoch(end)
    lines: dict[int, Line] = {}
    for row in rows.touching(start, end):  # type: ignore[attr-defined]  # our own queryset
        stretch = stretch_of(row, now).within(first, last)
        if not stretch.grain_seconds:
            continue
        key, label = by(row)
        line = lines.setdefault(key, Line(key, label))
        line.grain_seconds[row.source] += stretch.grain_seconds
        line.exact_cost += prices.cost(stretch)
        line.jobs.add(row.job)
    return sorted(lines.values(), key=lambda line: (-line.total_grain_seconds, line.label))


def cost_of_jobs(jobs: Iterable[int], *, now: datetime) -> dict[int, Line]:
    """Use and cost so far, by job."""
    prices = price_list()
    lines: dict[int, Line] = {}
    for row in UsageInterval.objects.filter(job__in=list(jobs)):
        stretch = stretch_of(row, now)
        line = lines.setdefault(row.job, Line(row.job, str(row.job)))
        line.grain_seconds[row.source] += stretch.grain_seconds
        line.exact_cost += prices.cost(stretch)
    return lines
