from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class NPU(models.Model):
    """One schedulable chip or die: the thing with a physical id."""

    class Health(models.TextChoices):
        OK = "ok", _("healthy")
        WARNING = "warning", _("warning")
        FAULTY = "faulty", _("faulty")

    node = models.ForeignKey("npu_inventory.Node", on_delete=models.CASCADE, related_name="npus")
    index = models.PositiveSmallIntegerField()  # physical id on its node
    health = models.CharField(max_length=10, choices=Health, default=Health.OK)
    health_why = models.CharField(max_length=200, blank=True)
    in_service = models.BooleanField(default=True)  # False: an operator took it out

    class Meta:
        ordering = ["node", "index"]
        verbose_name = "NPU"
        constraints = [
            models.UniqueConstraint(
                fields=["node", "index"],
                name="npu_index_once_a_node",
                violation_error_message=_("This node has an NPU with this physical id already."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.node.name}/{self.index}"
