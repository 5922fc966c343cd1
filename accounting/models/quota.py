from __future__ import annotations

from datetime import date

from django.db import models
from django.utils.translation import gettext_lazy as _


class Quota(models.Model):
    """What a team is guaranteed on a pool and how far it may borrow and lend. Amounts in grains; null = no limit."""

    team = models.ForeignKey("accounting.Team", on_delete=models.PROTECT, related_name="quotas")
    pool = models.ForeignKey("npu_inventory.Pool", on_delete=models.PROTECT, related_name="quotas")
    guaranteed = models.PositiveBigIntegerField(default=0)
    may_borrow = models.PositiveBigIntegerField(null=True, blank=True)
    may_lend = models.PositiveBigIntegerField(null=True, blank=True)
    weight = models.PositiveIntegerField(default=1)
    max_running_jobs = models.PositiveIntegerField(null=True, blank=True)
    max_waiting_jobs = models.PositiveIntegerField(null=True, blank=True)
    max_grains_per_job = models.PositiveBigIntegerField(null=True, blank=True)
    starts = models.DateField(null=True, blank=True)
    ends = models.DateField(null=True, blank=True)  # the first day on which it holds no more

    class Meta:
        ordering = ["pool", "team"]
        constraints = [
            # One row at a time; the history of a quota is in the events.
            models.UniqueConstraint(
                fields=["team", "pool"],
                name="one_quota_a_team_and_pool",
                violation_error_message=_("The team has a quota on this pool already."),
            ),
            models.CheckConstraint(
                condition=models.Q(may_lend__isnull=True) | models.Q(may_lend__lte=models.F("guaranteed")),
                name="lends_at_most_its_guarantee",
                violation_error_message=_("A team cannot lend more than it is guaranteed."),
            ),
            models.CheckConstraint(
                condition=models.Q(starts__isnull=True)
                | models.Q(ends__isnull=True)
                | models.Q(starts__lt=models.F("ends")),
                name="quota_ends_after_it_starts",
                violation_error_message=_("The quota ends before it starts."),
            ),
        ]

    def in_force_on(self, day: date) -> bool:
        return (self.starts is None or self.starts <= day) and (self.ends is None or self.ends > day)
