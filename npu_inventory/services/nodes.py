"""What an operator does to a node. The caller has made sure that it is an operator, and keeps the audit log."""

from __future__ import annotations

from django.db import transaction

from npu_inventory.models import Node, Pool
from portal.kit import clock
from portal.kit.errors import Conflict, Invalid
from portal.kit.wake import wake


@transaction.atomic
def drain(node: Node, *, why: str) -> Node:
    """What runs may end, nothing new starts."""
    why = why.strip()
    if not why or len(why) > 200:
        raise Invalid(code="drain_reason", field="why")
    return _set(node, was=Node.State.UP, to=Node.State.DRAINING, why=why)


@transaction.atomic
def resume(node: Node) -> Node:
    return _set(node, was=Node.State.DRAINING, to=Node.State.UP, why="")


def _set(node: Node, *, was: Node.State, to: Node.State, why: str) -> Node:
    changes = {"state": to, "state_why": why, "state_since": clock.now()}
    if not Node.objects.filter(pk=node.pk, state=was).update(**changes):
        raise Conflict(code="node_moved_on", facts={"node": node.name})
    for name, value in changes.items():
        setattr(node, name, value)
    Pool.touch(node.pool_id)
    wake("scheduling.run_pass")
    return node
