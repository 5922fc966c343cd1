from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Partition(models.Model):
    """The door of one cluster through which jobs enter one pool. Doors may overlap and open a part of the pool."""

    cluster = models.ForeignKey("npu_inventory.Cluster", on_delete=models.PROTECT, related_name="partitions")
    pool = models.ForeignKey("npu_inventory.Pool", on_delete=models.PROTECT, related_name="partitions")
    name = models.CharField(max_length=80)
    nodes = models.ManyToManyField("npu_inventory.Node", related_name="partitions")
    is_open = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    max_seconds = models.PositiveIntegerField(null=True, blank=True)  # null: no limit
    default_seconds = models.PositiveIntegerField(null=True, blank=True)  # null: the longest allowed
    tier = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "name"],
                name="partition_name_once_a_cluster",
                violation_error_message=_("This cluster has a partition of this name already."),
            ),
            models.UniqueConstraint(
                fields=["is_default"], condition=models.Q(is_default=True), name="one_default_partition"
            ),
            models.CheckConstraint(
                condition=models.Q(max_seconds__isnull=True) | models.Q(max_seconds__gt=0),
                name="partition_limit_positive",
            ),
            models.CheckConstraint(
                condition=models.Q(default_seconds__isnull=True)
                | models.Q(max_seconds__isnull=True)
                | models.Q(default_seconds__lte=models.F("max_seconds")),
                name="partition_default_within_limit",
                violation_error_message=_("The default time limit is longer than the longest allowed."),
            ),
        ]

    def __str__(self) -> str:
        return self.name
