from __future__ import annotations

from datetime import datetime

from django.db import models

from accounting.models.price import Source


class UsageQuerySet(models.QuerySet["UsageInterval"]):
    def open(self) -> UsageQuerySet:
        return self.filter(until__isnull=True)

    def touching(self, start: datetime, end: datetime) -> UsageQuerySet:
        """Intervals of which some part lies in [start, end)."""
        return self.filter(models.Q(until__isnull=True) | models.Q(until__gt=start), since__lt=end)


class UsageInterval(models.Model):
    """A run held this many grains on this source from then to then. Edges are whole seconds of backend events.

    A closed interval is never changed. `run` and `job` name rows of a higher app.
    """

    run = models.PositiveBigIntegerField()
    job = models.PositiveBigIntegerField()
    team = models.ForeignKey("accounting.Team", on_delete=models.PROTECT, related_name="+")
    project = models.ForeignKey("accounting.Project", on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey("accounting.User", on_delete=models.PROTECT, related_name="+")
    pool = models.ForeignKey("npu_inventory.Pool", on_delete=models.PROTECT, related_name="+")
    source = models.CharField(max_length=12, choices=Source)
    grains = models.PositiveBigIntegerField()
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)

    objects = UsageQuerySet.as_manager()

    class Meta:
        ordering = ["since", "id"]
        indexes = [
            models.Index(fields=["team", "since"], name="usage_by_team"),
            models.Index(fields=["job"], name="usage_by_job"),
        ]
        constraints = [
            # A second poll or a second worker can never count the same run twice.
            models.UniqueConstraint(fields=["run", "source", "since"], name="usage_counted_once"),
            models.UniqueConstraint(
                fields=["run", "source"],
                condition=models.Q(until__isnull=True),
                name="one_open_interval_a_run_and_source",
            ),
            models.CheckConstraint(condition=models.Q(grains__gt=0), name="usage_of_something"),
            models.CheckConstraint(
                condition=models.Q(until__isnull=True) | models.Q(until__gt=models.F("since")), name="usage_lasts"
            ),
        ]
