from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Node(models.Model):
    class State(models.TextChoices):
        UP = "up", _("up")
        DRAINING = "draining", _("draining")  # what runs may end, nothing new starts
        DOWN = "down", _("down")

    cluster = models.ForeignKey("npu_inventory.Cluster", on_delete=models.PROTECT, related_name="nodes")
    pool = models.ForeignKey("npu_inventory.Pool", on_delete=models.PROTECT, related_name="nodes")
    name = models.CharField(max_length=80)
    state = models.CharField(max_length=10, choices=State, default=State.UP)
    state_why = models.CharField(max_length=200, blank=True)
    state_since = models.DateTimeField(null=True, blank=True)
    cpus = models.PositiveIntegerField()
    memory_mb = models.PositiveIntegerField()
    features = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "name"],
                name="node_name_once_a_cluster",
                violation_error_message=_("This cluster has a node of this name already."),
            ),
            models.CheckConstraint(condition=models.Q(cpus__gt=0), name="node_has_cpus"),
        ]

    def __str__(self) -> str:
        return self.name
