"""Usage × price → money, exactly. Pure: plain values in, a fraction of micro-units out.

Cost of a stretch = NPUs × hours × price of an NPU-hour at that moment. An interval over which the price changed is cut
at the change. Rounding is the caller's (`portal.kit.money.round_micro`), once for each line that people see.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from portal.kit.grains import GRAINS_PER_NPU

SECONDS_PER_HOUR = 3600
PriceKey = tuple[int, str]  # pool, source
OWN = ("guaranteed",)
LOANS = ("elastic", "borrowed")


@dataclass(frozen=True, slots=True)
class PriceStep:
    """From this second on an NPU-hour costs so many micro-units."""

    starts: int
    micro_per_npu_hour: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """`grains` held from `since` up to `until` (epoch seconds) on one source of a pool."""

    pool: int
    source: str
    grains: int
    since: int
    until: int

    @property
    def grain_seconds(self) -> int:
        return self.grains * max(0, self.until - self.since)

    def within(self, start: int, end: int) -> Stretch:
        return Stretch(
            pool=self.pool,
            source=self.source,
            grains=self.grains,
            since=max(self.since, start),
            until=max(max(self.since, start), min(self.until, end)),
        )


class PriceList:
    """Prices by pool and source. Before the first price of a source its use is free."""

    def __init__(self, steps: Mapping[PriceKey, Iterable[PriceStep]]) -> None:
        self._steps: dict[PriceKey, Sequence[PriceStep]] = {
            key: sorted(entries, key=lambda step: step.starts) for key, entries in steps.items()
        }

    def at(self, pool: int, source: str, moment: int) -> int:
        steps = self._steps.get((pool, source), ())
        index = bisect_right([step.starts for step in steps], moment)
        return steps[index - 1].micro_per_npu_hour if index else 0

    def at_most(
        self, *, pool: int, grains: int, guaranteed: int, own_only: bool, since: int, until: int
    ) -> list[tuple[Stretch, Fraction]]:
        """The most that so many grains can come to, with what each part is then charged as.

        Up to the team's guarantee they may be own or, while others of the team use it, a loan; beyond it they are a loan.
        A loan may become own when another job ends, so what the job is on when it starts bounds nothing.
        """
        within = min(grains, guaranteed)
        parts = [(within, OWN if own_only else OWN + LOANS), (grains - within, OWN if own_only else LOANS)]
        found = []
        for amount, sources in parts:
            if amount > 0:
                ways = [
                    Stretch(pool=pool, source=source, grains=amount, since=since, until=until) for source in sources
                ]
                found.append(max(((way, self.cost(way)) for way in ways), key=lambda way: way[1]))
        return found

    def cost(self, stretch: Stretch) -> Fraction:
        """In micro-units, exact."""
        edges = [stretch.since, stretch.until]
        edges += [
            step.starts
            for step in self._steps.get((stretch.pool, stretch.source), ())
            if stretch.since < step.starts < stretch.until
        ]
        edges.sort()
        total = 0
        for since, until in pairwise(edges):
            total += (until - since) * self.at(stretch.pool, stretch.source, since)
        return Fraction(total * stretch.grains, GRAINS_PER_NPU * SECONDS_PER_HOUR)
