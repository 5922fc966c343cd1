from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from npu_inventory.models import NPU, Node, Partition
from tests import make, refused

pytestmark = [pytest.mark.django_db, pytest.mark.rows]

REFUSED: dict[str, refused.Step] = {
    "node_name_once_a_cluster": lambda w: make.node("npu-01", of=w.cluster, into=w.pool),
    "node_has_cpus": lambda w: make.node("npu-09", of=w.cluster, into=w.pool, cpus=0),
    "npu_index_once_a_node": lambda w: NPU.objects.create(node=w.nodes[0], index=3),
    "partition_name_once_a_cluster": lambda w: make.partition("training", nodes=w.nodes),
    "one_default_partition": lambda w: make.partition("second", nodes=w.nodes, is_default=True),
    "partition_limit_positive": lambda w: make.partition("second", nodes=w.nodes, max_seconds=0),
    "partition_default_within_limit": lambda w: make.partition(
        "second", nodes=w.nodes, max_seconds=60, default_seconds=61
    ),
}


@pytest.mark.parametrize("constraint", REFUSED)
def test_refused(constraint: str) -> None:
    refused.assert_refuses(constraint, REFUSED[constraint], make.world())


def test_each_constraint_has_its_case() -> None:
    assert refused.constraints_of("npu_inventory") == set(REFUSED)


def test_node_is_in_a_pool() -> None:
    world = make.world()
    with pytest.raises(IntegrityError), transaction.atomic():
        Node.objects.filter(pk=world.nodes[0].pk).update(pool=None)


def test_names_are_free_on_another_cluster() -> None:
    world = make.world()
    other = make.node("npu-01", of=make.cluster("there"), into=world.pool)
    make.partition("training", nodes=[other])
    assert (Node.objects.filter(name="npu-01").count(), Partition.objects.filter(name="training").count()) == (2, 2)
