from __future__ import annotations

from django.db import models


class Pass(models.Model):
    """One run of the engine over the installation."""

    started_at = models.DateTimeField()
    snapshot_us = models.PositiveIntegerField(default=0)
    plan_us = models.PositiveIntegerField(default=0)
    commit_us = models.PositiveIntegerField(default=0)
    waiting = models.PositiveIntegerField(default=0)
    running = models.PositiveIntegerField(default=0)
    starts = models.PositiveIntegerField(default=0)
    dropped = models.PositiveIntegerField(default=0)  # decisions on a pool or job that moved meanwhile
    versions = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "passes"
