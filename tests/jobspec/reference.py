"""The reference cluster of the corpus: what its cases are judged against."""

from __future__ import annotations

from scheduling.jobspec import Account, Gres, Partition, Qos, Site

HOUR, DAY = 3600, 86400
_NPU_NODES = tuple(f"node{number:02}" for number in range(1, 9))
_NPUS = (Gres(name="npu", count=8, types=("ascend910b",)),)
_GPUS = (Gres(name="gpu", count=4, types=("a100",)), Gres(name="shard", count=8))

SITE = Site(
    cluster_name="lab",
    version=(22, 5, 8),
    partitions=(
        Partition(
            name="npu",
            default=True,
            max_seconds=7 * DAY,
            default_seconds=HOUR,
            nodes=_NPU_NODES,
            gres=_NPUS,
            cpus_per_node=192,
            memory_mb_per_node=1_500_000,
            features=frozenset({"ascend910b", "roce"}),
        ),
        Partition(
            name="gpu",
            max_seconds=2 * DAY,
            nodes=("gpu-a1", "gpu-a2"),
            gres=_GPUS,
            cpus_per_node=64,
            memory_mb_per_node=512_000,
            features=frozenset({"a100"}),
        ),
        Partition(
            name="long",
            nodes=_NPU_NODES,
            gres=_NPUS,
            cpus_per_node=192,
            memory_mb_per_node=1_500_000,
            features=frozenset({"ascend910b", "roce"}),
        ),
        Partition(name="dev", max_seconds=HOUR, nodes=("vm",), gres=(), cpus_per_node=2, memory_mb_per_node=3_000),
    ),
    accounts=(
        Account(
            name="team-a",
            default=True,
            max_nodes_per_job=4,
            max_npus_per_job=16,
            max_seconds=2 * DAY,
            max_npus=32,
            max_cpus=512,
            max_memory_mb=2 * 1024 * 1024,
        ),
        Account(name="team-b"),
    ),
    qos=(
        Qos(name="normal"),
        Qos(name="high", min_npus_per_job=1, max_npus=8, max_seconds=12 * HOUR, deny_on_limit=True),
    ),
    reservations=frozenset({"maint-npu"}),
    features=frozenset({"ascend910b", "roce", "a100"}),
    gres_kinds=frozenset({"npu", "gpu", "shard"}),
    max_array_size=10_001,
    def_mem_mb_per_cpu=2048,
)
