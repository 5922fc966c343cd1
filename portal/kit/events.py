"""Append-only rows that say who did what, when and why. Each app has its own; the page that shows them joins."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Event(models.Model):
    at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )  # null: the portal itself
    what = models.CharField(max_length=40)
    why = models.CharField(max_length=60, blank=True)
    facts = models.JSONField(default=dict)

    class Meta:
        abstract = True

    def save(self, *args: object, **kwargs: object) -> None:
        if self.pk is not None:
            raise TypeError("an event is never changed")
        super().save(*args, **kwargs)  # type: ignore[arg-type]  # handed on as they came
