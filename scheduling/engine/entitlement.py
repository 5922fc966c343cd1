"""Who may use how much: the quota tree of one pool (pool -> groups -> teams) and what is still to be had in it.

Each node has, in grains:

* `own`    what it owns itself: a team's or group's guarantee; at the pool what nobody is guaranteed (elastic)
* `total`  what its whole side of the tree owns and does not keep from it
* `kept`   the part of `total` that it never lends, so that nobody outside may touch it
* `used`   what its side uses; of a group only what exceeds the parts that its children keep

Usage below a node's kept part is invisible above it: adding at a leaf rises only by what exceeds each kept part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scheduling.engine.amounts import scaled
from scheduling.engine.situation import UNLIMITED, Share


@dataclass(slots=True, kw_only=True, eq=False)
class QuotaNode:
    name: str
    parent: QuotaNode | None
    team: int | None = None
    group: int | None = None
    """Neither team nor group: the pool itself."""
    stated: int = 0
    """The guarantee as configured; `own` is what remains of it when capacity is short."""
    may_borrow: int | None = UNLIMITED
    may_lend: int | None = UNLIMITED
    max_running: int | None = UNLIMITED
    children: list[QuotaNode] = field(default_factory=list)
    own: int = 0
    total: int = 0
    kept: int = 0
    used: int = 0
    running: int = 0

    @property
    def borrowed(self) -> int:
        return max(0, self.used - self.total)

    def path(self) -> Iterator[QuotaNode]:
        """From here up to just below the pool."""
        node = self
        while node.parent is not None:
            yield node
            node = node.parent


class QuotaTree:
    def __init__(self, shares: Iterable[Share], *, teams: Iterable[int], capacity: int) -> None:
        """`teams`: all that have jobs here. One without a share owns nothing and may use nothing."""
        self.root = QuotaNode(name="", parent=None)
        self.teams: dict[int, QuotaNode] = {}
        self.capacity = capacity
        self._groups: dict[int, QuotaNode] = {}
        ordered = sorted(shares, key=lambda share: (share.name, share.team))
        self._stated_groups = {share.team: share for share in ordered if share.is_group}
        for share in ordered:
            if share.is_group:
                self._group(share.team)
            else:
                node = _node(share, parent=self._group(share.group))
                node.team = share.team
                self.teams[share.team] = node
        for team in sorted(set(teams) - self.teams.keys()):
            nothing = QuotaNode(
                name=f"team {team}", parent=self.root, team=team, may_borrow=0, may_lend=0, max_running=0
            )
            self.root.children.append(nothing)
            self.teams[team] = nothing
        self.set_capacity(capacity)

    def _group(self, group: int | None) -> QuotaNode:
        """The node of a group; one without a share of its own only passes through."""
        if group is None:
            return self.root
        if group not in self._groups:
            share = self._stated_groups.get(group)
            if share is None:
                node = QuotaNode(name=f"group {group}", parent=self.root, group=group)
                self.root.children.append(node)
            else:
                node = _node(share, parent=self._group(share.group))
                node.group = group
            self._groups[group] = node
        return self._groups[group]

    def nodes(self) -> Iterator[QuotaNode]:
        """Every node but the pool's, children before parents."""
        yield from _below(self.root)

    def set_capacity(self, capacity: int) -> None:
        """Capacity loss shrinks the elastic pool first; below the sum of the guarantees these are scaled."""
        self.capacity = capacity
        nodes = list(self.nodes())
        stated = sum(node.stated for node in nodes)
        self.root.own = max(0, capacity - stated)
        if stated <= capacity:
            for node in nodes:
                node.own = node.stated
        else:
            ranked = sorted(nodes, key=lambda node: (node.name, node.team or 0, node.group or 0))
            for node, part in zip(ranked, scaled([node.stated for node in ranked], total=capacity), strict=True):
                node.own = part
        for node in [*nodes, self.root]:
            node.total = node.own + sum(child.total - child.kept for child in node.children)
            node.kept = 0 if node.may_lend is None else max(0, node.total - node.may_lend)
            if node.team is None:
                node.used = sum(max(0, child.used - child.kept) for child in node.children)

    def add(self, team: int, grains: int) -> None:
        node: QuotaNode | None = self.teams[team]
        while node is not None:
            beyond = max(0, node.used - node.kept)
            node.used += grains
            grains = max(0, node.used - node.kept) - beyond
            node = node.parent

    def remove(self, team: int, grains: int) -> None:
        self.add(team, -grains)


def available(node: QuotaNode) -> int:
    """What may be added here now. Negative after a quota was cut below its use."""
    if node.parent is None:
        return node.total - node.used
    from_above = available(node.parent)
    if node.may_borrow is not None:
        room = node.total - node.kept - max(0, node.used - node.kept) + node.may_borrow
        from_above = min(from_above, room)
    return max(0, node.kept - node.used) + from_above


def reachable(node: QuotaNode) -> int:
    """What would be available here if there were no borrow limits: all that is idle and not kept by others."""
    if node.parent is None:
        return node.total - node.used
    return max(0, node.kept - node.used) + reachable(node.parent)


def potential(node: QuotaNode) -> int:
    """What could ever be used here, were everything else idle."""
    if node.parent is None:
        return node.total
    most = node.kept + potential(node.parent)
    return most if node.may_borrow is None else min(most, node.total + node.may_borrow)


def with_added(team: QuotaNode, grains: int) -> Iterator[tuple[QuotaNode, int]]:
    """Each node from the team up to just below the pool, with its usage were `grains` added at the team."""
    for node in team.path():
        after = node.used + grains
        yield node, after
        grains = max(0, after - node.kept) - max(0, node.used - node.kept)


def own_room(team: QuotaNode) -> int:
    """The most that may be added at the team and be own there or at one of its groups; beyond it is a loan."""
    most, unseen = 0, 0
    for node in team.path():
        most = max(most, unseen + node.total - node.used)
        unseen += max(0, node.kept - node.used)
    return most


def over_borrow_limit(team: QuotaNode, grains: int) -> QuotaNode | None:
    """The lowest node whose borrow limit the addition would exceed."""
    for node, after in with_added(team, grains):
        if node.may_borrow is not None and after > node.total + node.may_borrow:
            return node
    return None


def _node(share: Share, *, parent: QuotaNode) -> QuotaNode:
    node = QuotaNode(
        name=share.name,
        parent=parent,
        stated=share.guaranteed,
        may_borrow=share.may_borrow,
        may_lend=share.may_lend,
        max_running=share.max_running,
    )
    parent.children.append(node)
    return node


def _below(node: QuotaNode) -> Iterator[QuotaNode]:
    for child in node.children:
        yield from _below(child)
        yield child
