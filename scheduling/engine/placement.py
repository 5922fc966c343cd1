"""Where a job fits: whole NPUs by physical id, cores and memory, node by node; all its nodes or none.

Nodes are bits in masks, one mask per number of free NPUs, so that the best fit over a thousand nodes takes a few steps
for each count and none for each node. Best fit: nodes in use before empty ones, and of these the tightest, so that
whole NPUs and whole nodes stay free for those who need them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from scheduling.engine.amounts import GRAINS_PER_NPU
from scheduling.engine.situation import Held, Node, Waiting


@dataclass(slots=True, kw_only=True)
class Need:
    """What a job wants of the nodes; the same for all jobs of one shape."""

    nodes: int
    npus: int
    cpus: int
    memory_mb: int
    whole: bool
    allowed: int
    """Mask of the nodes that it may use, closed ones included."""
    must: int
    """Mask of the nodes that have to be among them."""
    satisfiable: bool
    """False when it names a node that its partition does not open, or more nodes than it wants."""


@dataclass(slots=True, kw_only=True)
class Place:
    """One node as it fills and empties."""

    node: Node
    free: list[int]
    """Physical ids, ascending."""
    cpus: int
    memory_mb: int
    jobs: int = 0
    exclusive: bool = False
    held: int = 0
    """NPUs in use, those included that have since gone out of service."""

    @property
    def usable(self) -> bool:
        return self.node.open and not self.node.lost and not self.exclusive

    @property
    def capacity(self) -> int:
        """In NPUs. A closed node counts for what still runs on it and never as free, a lost one not at all."""
        if self.node.lost:
            return 0
        return self.held + (len(self.free) if self.node.open else 0)


class Floor:
    """All nodes of one pool."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.places = [
            Place(node=node, free=sorted(node.npus), cpus=node.cpus, memory_mb=node.memory_mb)
            for node in sorted(nodes, key=lambda node: node.id)
        ]
        self.index = {place.node.id: index for index, place in enumerate(self.places)}
        self._by_free = [0] * (1 + max((len(place.free) for place in self.places), default=0))
        self._empty = 0
        self._big_enough: dict[tuple[int, int, int], int] = {}
        self.free = 0
        """NPUs that a job could be given now."""
        self.capacity = 0
        for index in range(len(self.places)):
            self._enter(index)

    @property
    def largest_free(self) -> int:
        """The most NPUs that one node can give now."""
        return max((count for count, nodes in enumerate(self._by_free) if nodes), default=0)

    def mask(self, nodes: Iterable[int]) -> int:
        """Of those nodes that are this pool's: a partition may open nodes of several."""
        mask = 0
        for node in nodes:
            if node in self.index:
                mask |= 1 << self.index[node]
        return mask

    def _enter(self, index: int) -> None:
        place = self.places[index]
        self.capacity += place.capacity
        if place.usable:
            self._by_free[len(place.free)] |= 1 << index
            self.free += len(place.free)
            if not place.jobs:
                self._empty |= 1 << index

    def _leave(self, index: int) -> None:
        place = self.places[index]
        self.capacity -= place.capacity
        if place.usable:
            self._by_free[len(place.free)] &= ~(1 << index)
            self.free -= len(place.free)
            self._empty &= ~(1 << index)

    def take(self, held: Held, *, exclusive: bool) -> None:
        index = self.index[held.node]
        self._leave(index)
        place = self.places[index]
        taken = set(held.npus)
        place.free = [npu for npu in place.free if npu not in taken]
        place.held += len(held.npus)
        place.cpus -= held.cpus
        place.memory_mb -= held.memory_mb
        place.jobs += 1
        place.exclusive = place.exclusive or exclusive
        self._enter(index)

    def give_back(self, held: Held, *, exclusive: bool) -> None:
        index = self.index[held.node]
        self._leave(index)
        place = self.places[index]
        in_service = set(place.node.npus)
        place.free = sorted([*place.free, *(npu for npu in held.npus if npu in in_service)])
        place.held -= len(held.npus)
        place.cpus += held.cpus
        place.memory_mb += held.memory_mb
        place.jobs -= 1
        place.exclusive = place.exclusive and not exclusive
        self._enter(index)

    def find(self, need: Need) -> list[int] | None:
        """Indexes of the nodes for a job, or None. Of whole nodes the smallest that are big enough."""
        chosen = [index for index in _bits(need.must) if self._has_room(index, need)]
        if len(chosen) < need.must.bit_count():
            return None
        rest = need.allowed & ~need.must
        for side in (rest & self._empty,) if need.whole else (rest & ~self._empty, rest & self._empty):
            for count in range(need.npus, len(self._by_free)):
                for index in _bits(self._by_free[count] & side):
                    if len(chosen) == need.nodes:
                        return chosen
                    if self._has_room(index, need):
                        chosen.append(index)
        return chosen if len(chosen) == need.nodes else None

    def hand_out(self, index: int, need: Need) -> Held:
        """What a job gets on one node; nothing is taken yet."""
        place = self.places[index]
        npus = tuple(place.free) if need.whole else tuple(place.free[: need.npus])
        return Held(
            node=place.node.id,
            npus=npus,
            grains=len(npus) * GRAINS_PER_NPU,
            cpus=place.node.cpus if need.whole else need.cpus,
            memory_mb=place.node.memory_mb if need.whole else need.memory_mb,
        )

    def asked(self, need: Need) -> int:
        """NPUs that a job takes at the least: of whole nodes all that they have."""
        if not need.whole:
            return need.nodes * need.npus
        must = [len(self.places[index].node.npus) for index in _bits(need.must)]
        able = _bits(self.could_hold(need) & ~need.must)
        others = sorted(len(self.places[index].node.npus) for index in able)
        return sum(must) + sum(others[: max(0, need.nodes - len(must))])

    def could_hold(self, need: Need) -> int:
        """Mask of the nodes that could hold a member of the job if nothing ran there and they were open."""
        sizes = (need.npus, need.cpus, need.memory_mb)
        if sizes not in self._big_enough:
            self._big_enough[sizes] = self.mask(
                place.node.id
                for place in self.places
                if len(place.node.npus) >= need.npus
                and place.node.cpus >= need.cpus
                and place.node.memory_mb >= need.memory_mb
            )
        return self._big_enough[sizes] & need.allowed

    def fits_when_empty(self, need: Need) -> bool:
        able = self.could_hold(need)
        return need.satisfiable and able.bit_count() >= need.nodes and not need.must & ~able

    def fits_by_npus(self, need: Need) -> bool:
        """Whether cores and memory are all that it lacks."""
        if not need.npus and not need.whole:
            return True
        return self.find(replace(need, cpus=0, memory_mb=0)) is not None

    def open_among(self, need: Need) -> list[Place]:
        """The places that a job may use now, as far as they are open at all."""
        return [self.places[index] for index in _bits(need.allowed) if self.places[index].usable]

    def all_among(self, need: Need) -> list[Place]:
        return [self.places[index] for index in _bits(need.allowed)]

    def freed_by(self, held: Iterable[Held]) -> int:
        """NPUs that can be given out again once these are released."""
        count = 0
        for part in held:
            node = self.places[self.index[part.node]].node
            if node.open and not node.lost:
                count += len(set(part.npus) & set(node.npus))
        return count

    def lost_with(self, held: Iterable[Held]) -> int:
        """NPUs that stop being capacity when these are released: of closed nodes, or out of service since."""
        count = 0
        for part in held:
            node = self.places[self.index[part.node]].node
            if not node.lost:
                count += len(set(part.npus) - set(node.npus)) if node.open else len(part.npus)
        return count

    def _has_room(self, index: int, need: Need) -> bool:
        place = self.places[index]
        return (
            place.usable
            and len(place.free) >= need.npus
            and place.cpus >= need.cpus
            and place.memory_mb >= need.memory_mb
            and not (need.whole and place.jobs)
        )


def need_of(job: Waiting, *, opened: int, floor: Floor) -> Need:
    """`opened`: mask of the nodes that its partition opens."""
    named = job.nodes_only or frozenset()
    allowed, must = opened & ~floor.mask(job.nodes_not), floor.mask(named)
    nodes = max(job.nodes_min, len(named))
    too_many = job.nodes_max is not None and nodes > job.nodes_max
    return Need(
        nodes=nodes,
        npus=job.npus_per_node,
        cpus=job.cpus_per_node,
        memory_mb=job.memory_mb_per_node,
        whole=job.whole_node,
        allowed=allowed,
        must=must,
        satisfiable=not too_many and must.bit_count() == len(named) and must & ~allowed == 0,
    )


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
