"""The ledger: what of each running job stands on its team's guarantee, and who lends the rest.

A derivation, never a record: loans are as interchangeable as money, so the rows say who owes whom now, and are made
anew after every change. No job is chosen for recall because of a row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from scheduling.engine.decisions import Loan, Split
from scheduling.engine.entitlement import QuotaNode, QuotaTree
from scheduling.engine.state import Holding, PoolState

Ledger = tuple[list[Loan], dict[int, Split]]


def derive(state: PoolState) -> Ledger:
    """Loans and splits of the pool as it is. What is borrowed and what is lent are the same sum, row by row."""
    loans: list[Loan] = []
    splits: dict[int, Split] = {}
    sources = Sources(state.tree)
    beyond: dict[int, int] = {}
    for holding, within in _within_guarantee(state.running.values(), state.tree):
        splits[holding.job] = Split(guaranteed=within)
        beyond[holding.job] = holding.grains - within
    for holding in sorted(state.running.values(), key=lambda holding: (holding.started, holding.job)):
        if not beyond[holding.job]:
            continue
        split = splits[holding.job]
        for lender, grains in sources.draw(state.tree.teams[holding.team], beyond[holding.job]).items():
            if lender.parent is None:
                split.elastic += grains
            else:
                split.borrowed += grains
            loans.append(
                Loan(
                    pool=state.pool.id,
                    lender=lender.team,
                    lender_group=lender.group,
                    borrower=holding.team,
                    job=holding.job,
                    grains=grains,
                )
            )
    return loans, splits


def _within_guarantee(running: Iterable[Holding], tree: QuotaTree) -> Iterator[tuple[Holding, int]]:
    """Each job with the part of it that is within its team's guarantee: the reverse of the order of recall."""
    left = {team: node.own for team, node in tree.teams.items()}
    for holding in sorted(running, key=lambda job: (job.preemptible, -job.rank, job.started, -job.job)):
        within = min(holding.grains, left[holding.team])
        left[holding.team] -= within
        yield holding, within


class Sources:
    """What can be borrowed, drained from the borrower outwards."""

    def __init__(self, tree: QuotaTree) -> None:
        self._root = tree.root
        self._owned: dict[QuotaNode, int] = {tree.root: tree.root.own}
        """Left of what the pool and the groups own themselves."""
        self._lends: dict[QuotaNode, int] = {}
        """Left of what a node's side lends to others."""
        self._idle: dict[QuotaNode, int] = {}
        """Left of what is idle there, lent or kept."""
        self._order: dict[QuotaNode, list[QuotaNode]] = {}
        for node in tree.nodes():
            idle = max(0, node.total - node.used)
            self._lends[node] = idle if node.may_lend is None else min(idle, node.may_lend)
            self._idle[node] = (
                idle if not node.children else node.own + sum(self._idle[child] for child in node.children)
            )
            if node.group is not None:
                self._owned[node] = node.own
        for node in [*tree.nodes(), tree.root]:
            self._order[node] = sorted(
                node.children, key=lambda child: (-self._lends[child], child.name, child.team or 0, child.group or 0)
            )

    def draw(self, team: QuotaNode, amount: int) -> dict[QuotaNode, int]:
        """Whom the amount is taken from. Nearest first; at each level what it owns itself, then its other side."""
        taken: dict[QuotaNode, int] = defaultdict(int)
        for left in (self._lends, self._idle):  # what is kept comes last: only a limit cut below its use leads there
            for node in team.path():
                assert node.parent is not None, "a path ends below the pool"
                amount -= self._take_owned(node.parent, amount, taken)
                for other in self._order[node.parent]:
                    if amount and other is not node:
                        amount -= self._drain(other, amount, taken, left)
        if amount:  # more is used than there is capacity: what was lost was nobody's first
            taken[self._root] += amount
        return taken

    def _take_owned(self, node: QuotaNode, most: int, taken: dict[QuotaNode, int]) -> int:
        part = min(most, self._owned[node])
        if part:
            self._owned[node] -= part
            taken[node] += part
        return part

    def _drain(self, node: QuotaNode, most: int, taken: dict[QuotaNode, int], left: dict[QuotaNode, int]) -> int:
        """Takes from a node's side at most what is left of it; a group's own quota before that of its teams."""
        wanted = min(most, left[node])
        if node.children:
            got = self._take_owned(node, wanted, taken)
            for child in self._order[node]:
                got += self._drain(child, wanted - got, taken, left)
        else:
            got = wanted
            if got:
                taken[node] += got
        self._lends[node] = max(0, self._lends[node] - got)
        self._idle[node] -= got
        return got
