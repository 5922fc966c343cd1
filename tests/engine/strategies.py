"""Situations drawn by hypothesis: small enough to be crowded, varied enough to reach every gate.

Each row is decoded from one drawn number: a tenth of the time of drawing every field, and it still shrinks, since the
first option of each field is the plainest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from scheduling.engine.situation import Node, Running, Share, Situation, Waiting
from tests.engine.build import node, running, share, situation, waiting

TEAMS = (1, 2, 3, 4)
NUMBERS = st.integers(0, 2**64)

Option = TypeVar("Option")


class Digits:
    """Reads one choice after the other out of a number."""

    def __init__(self, number: int) -> None:
        self._rest = number

    def pick(self, *options: Option) -> Option:
        self._rest, place = divmod(self._rest, len(options))
        return options[place]

    def upto(self, most: int) -> int:
        return self.pick(*range(most + 1))


def nodes(numbers: Sequence[int], *, all_open: bool) -> list[Node]:
    drawn: list[Node] = []
    for id, number in enumerate(numbers, start=1):
        digits = Digits(number)
        size = digits.pick(4, 2, 4, 8)
        is_open = all_open or digits.pick(True, True, True, False)
        lost = not all_open and digits.pick(False, False, False, True)
        drawn.append(node(id, size, cpus=16, memory_mb=100, open=is_open, lost=lost))
    return drawn


def shares(numbers: Sequence[int], *, capacity: int, limits: bool) -> list[Share]:
    """Guarantees that may exceed a capacity that has been lost, borrow and lend limits, and a group or none."""

    def limit(digits: Digits) -> int | None:
        return digits.pick(None, digits.upto(6)) if limits else None

    first = Digits(numbers[0])
    group = first.pick(None, "passes through", "owns")
    drawn: list[Share] = []
    if group == "owns":
        drawn.append(
            share(77, first.upto(4), name="lab", is_group=True, may_borrow=limit(first), may_lend=limit(first))
        )
    for team, number in zip(TEAMS, numbers[1:], strict=True):
        digits = Digits(number)
        drawn.append(
            share(
                team,
                digits.upto(max(1, capacity // 3)),
                name=digits.pick("a", "b", "c"),
                group=77 if group and team <= 2 else None,
                may_borrow=limit(digits),
                may_lend=limit(digits),
                max_running=digits.pick(None, None, 0, 1, 2) if limits else None,
            )
        )
    return drawn


def running_jobs(numbers: Sequence[int], *, on: Sequence[Node], all_end: bool) -> list[Running]:
    """Never more than the nodes have; each job on one node or two."""
    free = {each.id: list(each.npus) for each in on}
    cpus = {each.id: each.cpus for each in on}
    jobs: list[Running] = []
    for id, number in enumerate(numbers, start=1):
        digits = Digits(number)
        size, wanted = digits.pick(1, 2, 3, 4), digits.pick(1, 1, 2)
        places = [at for at, ids in free.items() if len(ids) >= size and cpus[at] >= 2]
        if len(places) < wanted:
            continue
        first = digits.upto(len(places) - wanted)
        taken = {at: [free[at].pop(0) for _ in range(size)] for at in places[first : first + wanted]}
        for at in taken:
            cpus[at] -= 2
        ends = digits.upto(55) - 5
        jobs.append(
            running(
                id,
                digits.pick(*TEAMS),
                taken,
                started=-1 - digits.upto(8),
                ends=None if not all_end and digits.pick(False, False, True) else ends,
                cpus=2,
                rank=digits.upto(2),
                preemptible=digits.pick(True, False),
            )
        )
    return jobs


def waiting_jobs(numbers: Sequence[int], *, on: Sequence[Node]) -> list[Waiting]:
    jobs: list[Waiting] = []
    for id, number in enumerate(numbers, start=101):
        digits = Digits(number)
        a_node = digits.pick(*(each.id for each in on))
        jobs.append(
            waiting(
                id,
                digits.pick(*TEAMS),
                digits.pick(1, 0, 1, 2, 3, 4, 8),
                nodes=digits.pick(1, 1, 1, 2, 3),
                cpus=digits.pick(0, 1, 7),
                seconds=digits.pick(1 + digits.upto(59), 30, None),
                submitted=digits.upto(3),
                priority=digits.upto(2),
                own_only=digits.pick(False, False, True),
                preemptible=digits.pick(True, True, False),
                whole_node=digits.pick(False, False, False, True),
                nodes_only=digits.pick(None, None, None, [a_node]),
                nodes_not=digits.pick([], [], [a_node]),
                not_before=digits.pick(None, None, None, -3, 20),
            )
        )
    return jobs


@st.composite
def situations(draw: st.DrawFn, *, limits: bool = True, all_open: bool = False, all_end: bool = False) -> Situation:
    on = nodes(draw(st.lists(NUMBERS, min_size=1, max_size=4)), all_open=all_open)
    whole = Digits(draw(NUMBERS))
    return situation(
        nodes=on,
        shares=shares(
            draw(st.lists(NUMBERS, min_size=5, max_size=5)),
            capacity=sum(len(each.npus) for each in on),
            limits=limits,
        ),
        running=running_jobs(draw(st.lists(NUMBERS, max_size=6)), on=on, all_end=all_end),
        waiting=waiting_jobs(draw(st.lists(NUMBERS, max_size=12)), on=on),
        max_seconds=whole.pick(None, 40),
        partition_open=whole.pick(*[True] * 9, False),
        away_since=whole.pick(*[None] * 9, -7),
    )
