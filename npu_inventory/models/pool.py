from __future__ import annotations

from django.db import models
from django.db.models import F


class Pool(models.Model):
    """Nodes with the same NPU model on which teams have quotas; may span clusters."""

    name = models.SlugField(max_length=40, unique=True)
    title = models.CharField(max_length=120, blank=True)
    npu_model = models.CharField(max_length=40)
    # Moves with every change of capacity, quota or use; a plan made on an older one is not committed for this pool.
    version = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.title or self.name

    @staticmethod
    def touch(*ids: int) -> None:
        """Says that something a plan relies on has changed."""
        Pool.objects.filter(pk__in=ids).update(version=F("version") + 1)
