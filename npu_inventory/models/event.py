from __future__ import annotations

from django.db import models

from portal.kit.events import Event


class InventoryEvent(Event):
    """Changes to hardware by people: the audit log of this app. `about` names the thing even after its row has gone."""

    node = models.ForeignKey(
        "npu_inventory.Node", null=True, blank=True, on_delete=models.SET_NULL, related_name="events"
    )
    cluster = models.ForeignKey(
        "npu_inventory.Cluster", null=True, blank=True, on_delete=models.SET_NULL, related_name="events"
    )
    about = models.CharField(max_length=130, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
