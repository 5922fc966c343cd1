"""What the page of one job shows. Whoever calls has looked the job up with `May.SEE`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from accounting.models import Quota, UsageInterval
from accounting.models.price import Source
from accounting.queries import price_list, stretch_of
from accounting.rating import PriceList
from portal.kit import clock, money
from portal.kit.grains import GRAINS_PER_NPU, in_column
from scheduling.models import Allocation, Job, JobEvent, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the latest run has of one node: physical ids of its NPUs."""

    node: str
    npus: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One run on one source. The price is the mean one where it changed meanwhile."""

    attempt: int
    running: bool
    source: str
    grain_seconds: int
    exact: Fraction

    @property
    def micro(self) -> int:
        return money.round_micro(self.exact)

    @property
    def hours(self) -> str:
        return in_column(self.grain_seconds // 3600)

    @property
    def price(self) -> str:
        hours = Fraction(self.grain_seconds, GRAINS_PER_NPU * 3600)
        return money.as_text(money.round_micro(self.exact / hours)) if hours else ""

    @property
    def text(self) -> str:
        return money.as_text(self.micro)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """In micro-units. `most` is None where the job has no limit: then nobody can tell."""

    lines: tuple[CostLine, ...]
    most: int | None

    @property
    def so_far(self) -> int:
        return sum(line.micro for line in self.lines)

    @property
    def grain_seconds(self) -> int:
        return sum(line.grain_seconds for line in self.lines)

    @property
    def hours(self) -> str:
        return in_column(self.grain_seconds // 3600)

    @property
    def text(self) -> str:
        return money.as_text(self.so_far)


def runs_of(job: Job) -> list[Run]:
    return list(job.runs.select_related("cluster").order_by("-attempt", "-id"))


def held_by(run: Run | None) -> list[Held]:
    """By node, in order of names. A run that is over still says what it had."""
    if run is None:
        return []
    npus: dict[str, list[int]] = defaultdict(list)
    rows = Allocation.objects.filter(run=run).order_by("node__name", "npu__index")
    for node, index in rows.values_list("node__name", "npu__index"):
        npus[node] += [] if index is None else [index]
    return [Held(node=node, npus=tuple(found)) for node, found in npus.items()]


def events_of(job: Job) -> list[JobEvent]:
    """Latest first, each with its person and run."""
    return list(job.events.select_related("by", "run").order_by("-at", "-id"))


def cost_of(job: Job, runs: list[Run], *, now: datetime) -> Cost:
    prices = price_list()
    attempts = {run.pk: run for run in runs}
    seconds: dict[tuple[int, str], int] = defaultdict(int)
    exact: dict[tuple[int, str], Fraction] = defaultdict(Fraction)
    for row in UsageInterval.objects.filter(job=job.pk).order_by("since", "id"):
        stretch = stretch_of(row, now)
        seconds[row.run, row.source] += stretch.grain_seconds
        exact[row.run, row.source] += prices.cost(stretch)
    lines = tuple(
        CostLine(
            attempt=attempts[run].attempt,
            running=attempts[run].state == Run.State.RUNNING,
            source=source,
            grain_seconds=seconds[run, source],
            exact=exact[run, source],
        )
        for run, source in seconds
        if run in attempts
    )
    so_far = sum(line.micro for line in lines)
    return Cost(lines=lines, most=_most(job, prices, so_far=so_far, now=now))


def _most(job: Job, prices: PriceList, *, so_far: int, now: datetime) -> int | None:
    """What it comes to at most if it runs to its limit: the same bound that was told before it was submitted."""
    if job.is_ended:
        return so_far
    if job.time_limit_seconds is None:
        return None
    start = clock.epoch(now)
    end = start + job.time_limit_seconds if job.ends_by is None or not job.is_holding else clock.epoch(job.ends_by)
    quota = Quota.objects.filter(team=job.team_id, pool=job.pool_id).values_list("guaranteed", flat=True).first()
    parts = prices.at_most(
        pool=job.pool_id,
        grains=job.grains,
        guaranteed=quota or 0,
        own_only=job.own_only,
        since=start,
        until=max(start, end),
    )
    return so_far + sum(money.round_micro(cost) for _, cost in parts)


def split_of(job: Job) -> Mapping[str, int]:
    """On whose quota it runs: grains by source, zeros left out."""
    amounts = {
        Source.GUARANTEED.value: job.on_own,
        Source.ELASTIC.value: job.on_elastic,
        Source.BORROWED.value: job.on_borrowed,
    }
    return {source: grains for source, grains in amounts.items() if grains}
