from __future__ import annotations

from django.apps import AppConfig


class NpuInventoryConfig(AppConfig):
    name = "npu_inventory"
