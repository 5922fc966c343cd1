"""What an operator does to a node. The caller has made sure that it is an operator."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import transaction

from npu_inventory.models import InventoryEvent, Node, Pool
from portal.kit import clock
from portal.kit.errors import Conflict, Invalid
from portal.kit.wake import wake


@transaction.atomic
def drain(node: Node, *, by: AbstractUser, why: str) -> Node:
    """What runs may end, nothing new starts."""
    why = why.strip()
    if not why or len(why) > 200:
        raise Invalid(code="drain_reason", field="why")
    return _set(node, was=Node.State.UP, to=Node.State.DRAINING, by=by, what="node_drained", why=why)


@transaction.atomic
def resume(node: Node, *, by: AbstractUser) -> Node:
    return _set(node, was=Node.State.DRAINING, to=Node.State.UP, by=by, what="node_resumed", why="")


def _set(node: Node, *, was: Node.State, to: Node.State, by: AbstractUser, what: str, why: str) -> Node:
    now = clock.now()
    changes = {"state": to, "state_why": why, "state_since": now}
    if not Node.objects.filter(pk=node.pk, state=was).update(**changes):
        raise Conflict(code="node_moved_on", facts={"node": node.name})
    for name, value in changes.items():
        setattr(node, name, value)
    InventoryEvent.objects.create(
        at=now,
        by_id=by.pk,
        node=node,
        cluster_id=node.cluster_id,
        what=what,
        about=f"{node.cluster.name}/{node.name}",
        facts={"why": why},
    )
    Pool.touch(node.pool_id)
    wake("scheduling.run_pass")
    return node
