from __future__ import annotations

from django.db import models


class SubmitRequest(models.Model):
    """An `Idempotency-Key` of a script, for a day: the same key and body is the same job, another body a conflict."""

    user = models.ForeignKey("accounting.User", on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    job = models.ForeignKey("scheduling.Job", null=True, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="key_once_a_user")]
