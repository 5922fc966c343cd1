from __future__ import annotations

from django.db import models

from portal.kit.events import Event


class AccountingEvent(Event):
    """Changes to people, teams, quotas, prices and tokens: the audit log of this app."""

    team = models.ForeignKey("accounting.Team", null=True, blank=True, on_delete=models.PROTECT, related_name="events")
    about = models.CharField(max_length=120, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
