from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class RunQuerySet(models.QuerySet["Run"]):
    def alive(self) -> RunQuerySet:
        return self.exclude(state__in=Run.OVER)

    def started_in(self, pool: int) -> RunQuerySet:
        return self.filter(state=Run.State.RUNNING, job__pool=pool)

    def with_light_job(self) -> RunQuerySet:
        """Each with its job, without the long columns that no decision needs."""
        long = ("script", "spec", "findings", "wait_facts", "ended_facts")
        return self.select_related("job").defer(*(f"job__{name}" for name in long))


class Run(models.Model):
    """One execution of a job. Logs, usage, requeues and array tasks hang on runs."""

    class State(models.TextChoices):
        STARTING = "starting", _("starting")
        RUNNING = "running", _("running")
        ENDED = "ended", _("ended")
        NEVER = "never", _("never started")  # cancelled, refused or put back before the backend began it

    OVER = (State.ENDED, State.NEVER)

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    job = models.ForeignKey("scheduling.Job", on_delete=models.CASCADE, related_name="runs")
    cluster = models.ForeignKey("npu_inventory.Cluster", on_delete=models.PROTECT, related_name="+")
    attempt = models.PositiveIntegerField()
    array_index = models.PositiveIntegerField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.STARTING)
    backend_id = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ending = models.CharField(max_length=10, blank=True)  # backends.Ending
    exit_code = models.IntegerField(null=True, blank=True)
    signal = models.IntegerField(null=True, blank=True)
    reason = models.CharField(max_length=40, blank=True)
    detail = models.CharField(max_length=500, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["job", "attempt", "array_index"]
        indexes = [models.Index(fields=["cluster", "state"], name="run_by_cluster")]
        constraints = [
            models.UniqueConstraint(fields=["job", "attempt", "array_index"], name="one_run_an_attempt_and_index"),
            models.UniqueConstraint(
                fields=["job", "attempt"], condition=models.Q(array_index__isnull=True), name="one_run_an_attempt"
            ),
            models.UniqueConstraint(
                fields=["job", "array_index"],
                condition=models.Q(state__in=["starting", "running"]),
                name="one_run_at_a_time_and_index",
            ),
            models.UniqueConstraint(
                fields=["job"],
                condition=models.Q(state__in=["starting", "running"], array_index__isnull=True),
                name="one_run_at_a_time",
            ),
        ]


class AllocationQuerySet(models.QuerySet["Allocation"]):
    def held(self) -> AllocationQuerySet:
        return self.filter(released_at__isnull=True)


class Allocation(models.Model):
    """What a run holds: a row per NPU, or one row without NPU for each node of a job that needs none.

    The cores and memory of a node stand on the first of its rows; the others have 0.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="allocations")
    node = models.ForeignKey("npu_inventory.Node", on_delete=models.PROTECT, related_name="allocations")
    npu = models.ForeignKey(
        "npu_inventory.NPU", null=True, blank=True, on_delete=models.PROTECT, related_name="allocations"
    )
    grains = models.PositiveBigIntegerField(default=0)
    cpus = models.PositiveIntegerField(default=0)
    memory_mb = models.PositiveIntegerField(default=0)
    released_at = models.DateTimeField(null=True, blank=True)

    objects = AllocationQuerySet.as_manager()

    class Meta:
        ordering = ["run", "node", "npu"]
        constraints = [
            # Whole NPUs only until slices come: no card is given to two runs, whatever a worker does.
            models.UniqueConstraint(
                fields=["npu"],
                condition=models.Q(released_at__isnull=True, npu__isnull=False),
                name="an_npu_is_held_once",
            ),
        ]
