from npu_inventory.models.cluster import Cluster
from npu_inventory.models.event import InventoryEvent
from npu_inventory.models.node import Node
from npu_inventory.models.npu import NPU
from npu_inventory.models.partition import Partition
from npu_inventory.models.pool import Pool

__all__ = ["NPU", "Cluster", "InventoryEvent", "Node", "Partition", "Pool"]
