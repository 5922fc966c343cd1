"""Situations drawn by hypothesis: small enough to be crowded, varied enough to reach every gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from scheduling.engine.amounts import GRAINS_PER_NPU
from scheduling.engine.situation import Node, Running, Share, Situation, Waiting
from tests.engine.build import node, running, share, situation, waiting

TEAMS = (1, 2, 3, 4)


@st.composite
def nodes(draw: st.DrawFn, *, all_open: bool) -> list[Node]:
    sizes = draw(st.lists(st.sampled_from([2, 4, 4, 8]), min_size=1, max_size=4))
    closed = st.just(False) if all_open else st.sampled_from([False, False, False, True])
    return [
        node(id, size, cpus=16, memory_mb=100, open=not draw(closed), lost=draw(closed))
        for id, size in enumerate(sizes, start=1)
    ]


@st.composite
def shares(draw: st.DrawFn, *, capacity: int, limits: bool) -> list[Share]:
    """Guarantees that may exceed a capacity that has been lost, borrow and lend limits, and a group or none."""
    limit = st.one_of(st.none(), st.integers(0, 6)) if limits else st.none()
    group = draw(st.sampled_from([None, "passes through", "owns"]))
    drawn: list[Share] = []
    if group == "owns":
        drawn.append(
            share(
                77,
                draw(st.integers(0, 4)),
                name="lab",
                is_group=True,
                may_borrow=draw(limit),
                may_lend=draw(limit),
            )
        )
    for team in TEAMS:
        drawn.append(
            share(
                team,
                draw(st.integers(0, max(1, capacity // 3))),
                name=draw(st.sampled_from(["a", "b", "c"])),
                group=77 if group and team <= 2 else None,
                may_borrow=draw(limit),
                may_lend=draw(limit),
                max_running=draw(st.one_of(st.none(), st.integers(0, 3))) if limits else None,
            )
        )
    return drawn


@st.composite
def running_jobs(draw: st.DrawFn, *, on: Sequence[Node], all_end: bool) -> list[Running]:
    """Never more than the nodes have; each job on one node or two."""
    free = {each.id: list(each.npus) for each in on}
    cpus = {each.id: each.cpus for each in on}
    jobs: list[Running] = []
    for id in range(1, 1 + draw(st.integers(0, 6))):
        size = draw(st.integers(1, 4))
        places = [at for at, ids in free.items() if len(ids) >= size and cpus[at] >= 2]
        wanted = draw(st.integers(1, 2))
        if len(places) < wanted:
            continue
        first = draw(st.integers(0, len(places) - wanted))
        taken = {at: [free[at].pop(0) for _ in range(size)] for at in places[first : first + wanted]}
        for at in taken:
            cpus[at] -= 2
        ends = st.integers(-5, 50) if all_end else st.one_of(st.none(), st.integers(-5, 50))
        jobs.append(
            running(
                id,
                draw(st.sampled_from(TEAMS)),
                taken,
                started=-draw(st.integers(1, 9)),
                ends=draw(ends),
                cpus=2,
                rank=draw(st.integers(0, 2)),
                preemptible=draw(st.booleans()),
            )
        )
    return jobs


@st.composite
def waiting_jobs(draw: st.DrawFn, *, on: Sequence[Node], most: int = 12) -> list[Waiting]:
    ids = [each.id for each in on]
    some = st.sets(st.sampled_from(ids), max_size=1)
    return [
        waiting(
            id,
            draw(st.sampled_from(TEAMS)),
            draw(st.sampled_from([0, 1, 1, 2, 3, 4, 8])),
            nodes=draw(st.sampled_from([1, 1, 1, 2, 3])),
            cpus=draw(st.sampled_from([0, 1, 7])),
            seconds=draw(st.one_of(st.none(), st.integers(1, 60))),
            submitted=draw(st.integers(0, 3)),
            priority=draw(st.integers(0, 2)),
            own_only=draw(st.sampled_from([False, False, True])),
            preemptible=draw(st.sampled_from([True, True, False])),
            whole_node=draw(st.sampled_from([False, False, False, True])),
            nodes_only=draw(st.one_of(st.none(), st.none(), some)),
            nodes_not=draw(some),
            not_before=draw(st.sampled_from([None, None, None, -3, 20])),
        )
        for id in range(101, 101 + draw(st.integers(0, most)))
    ]


@st.composite
def situations(draw: st.DrawFn, *, limits: bool = True, all_open: bool = False, all_end: bool = False) -> Situation:
    on = draw(nodes(all_open=all_open))
    capacity = sum(len(each.npus) for each in on)
    return situation(
        nodes=on,
        shares=draw(shares(capacity=capacity, limits=limits)),
        running=draw(running_jobs(on=on, all_end=all_end)),
        waiting=draw(waiting_jobs(on=on)),
        max_seconds=draw(st.sampled_from([None, 40])),
        partition_open=draw(st.sampled_from([True, True, True, False])),
        away_since=draw(st.sampled_from([None, None, None, -7])),
    )


def grains_by_team(jobs: Mapping[int, tuple[int, int]]) -> dict[int, int]:
    """`jobs`: team and grains by job."""
    used: dict[int, int] = {}
    for team, grains in jobs.values():
        used[team] = used.get(team, 0) + grains
    return used


def whole_npus(grains: int) -> int:
    assert grains % GRAINS_PER_NPU == 0
    return grains // GRAINS_PER_NPU
