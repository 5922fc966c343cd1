"""What a user submits, its states, and the one function that changes them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounting.models import Team, User
from portal.kit import clock
from portal.kit.access import May
from portal.kit.errors import Conflict
from portal.kit.events import Event

if TYPE_CHECKING:
    from scheduling.models.run import Run


class State(models.TextChoices):
    QUEUED = "queued", _("Queued")
    HELD = "held", _("Held")
    ADMITTED = "admitted", _("Admitted")
    SUBMITTED = "submitted", _("Submitted")
    RUNNING = "running", _("Running")
    STOPPING = "stopping", _("Stopping")
    SUCCEEDED = "succeeded", _("Succeeded")
    FAILED = "failed", _("Failed")
    TIMED_OUT = "timed_out", _("Timed out")
    CANCELLED = "cancelled", _("Cancelled")


WAITING = frozenset({State.QUEUED, State.HELD})
STARTING = frozenset({State.ADMITTED, State.SUBMITTED})
HOLDING = STARTING | {State.RUNNING, State.STOPPING}
ENDED = frozenset({State.SUCCEEDED, State.FAILED, State.TIMED_OUT, State.CANCELLED})

ALLOWED: Mapping[State, frozenset[State]] = {
    State.QUEUED: frozenset({State.HELD, State.ADMITTED, State.CANCELLED}),
    State.HELD: frozenset({State.QUEUED, State.CANCELLED}),
    State.ADMITTED: frozenset({State.SUBMITTED, State.QUEUED, State.FAILED, State.CANCELLED}),
    State.SUBMITTED: frozenset(
        {
            State.RUNNING,
            State.STOPPING,
            State.QUEUED,
            State.FAILED,
            State.CANCELLED,
            State.SUCCEEDED,
            State.TIMED_OUT,
        }
    ),
    State.RUNNING: frozenset(
        {State.STOPPING, State.QUEUED, State.SUCCEEDED, State.FAILED, State.TIMED_OUT, State.CANCELLED}
    ),
    State.STOPPING: frozenset({State.CANCELLED, State.QUEUED, State.SUCCEEDED, State.FAILED, State.TIMED_OUT}),
    State.SUCCEEDED: frozenset(),
    State.FAILED: frozenset(),
    State.TIMED_OUT: frozenset(),
    State.CANCELLED: frozenset(),
}


class JobQuerySet(models.QuerySet["Job"]):
    def where(self, user: User, may: May) -> JobQuerySet:
        """Jobs with which this person may do this; for `May.OPERATE` also the own ones."""
        if not user.is_active:
            return self.none()
        if user.may_at_centre(may):
            return self
        teams = self.filter(team__in=Team.objects.where(user, may))
        if may is May.OPERATE:
            return teams | self.filter(user=user, team__in=Team.objects.where(user, May.OPERATE_OWN))
        return teams

    def waiting(self) -> JobQuerySet:
        return self.filter(state__in=WAITING)

    def holding(self) -> JobQuerySet:
        """Jobs that have capacity: starting, running or leaving."""
        return self.filter(state__in=HOLDING)

    def with_people(self) -> JobQuerySet:
        return self.select_related("team", "project", "user", "partition", "pool")

    def in_start_order(self) -> JobQuerySet:
        """As the last pass would start them; what has no place comes last, oldest first."""
        return self.order_by(models.F("place").asc(nulls_last=True), "submitted_at", "id")


class Job(models.Model):
    """Its number (the key) is for people, addresses and %j; its uuid for backends. Amounts in grains."""

    class HeldBy(models.TextChoices):
        USER = "user", _("its user")
        OPERATOR = "operator", _("an operator")
        BUDGET = "budget", _("a budget")

    class Intent(models.TextChoices):
        """Why a stopping job stops."""

        CANCEL = "cancel"
        RECALL = "recall"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    state_since = models.DateTimeField()
    user = models.ForeignKey("accounting.User", on_delete=models.PROTECT, related_name="jobs")
    team = models.ForeignKey("accounting.Team", on_delete=models.PROTECT, related_name="jobs")
    project = models.ForeignKey("accounting.Project", on_delete=models.PROTECT, related_name="jobs")
    pool = models.ForeignKey("npu_inventory.Pool", on_delete=models.PROTECT, related_name="jobs")
    partition = models.ForeignKey("npu_inventory.Partition", on_delete=models.PROTECT, related_name="jobs")
    spec = models.JSONField()  # as understood: scheduling.jobspec.JobSpec
    script = models.TextField(blank=True)  # as sent
    findings = models.JSONField(default=list)  # what was warned about when it was submitted
    submitted_at = models.DateTimeField()  # kept when it is put back

    nodes_min = models.PositiveIntegerField(default=1)
    nodes_max = models.PositiveIntegerField(null=True, blank=True)
    npus_per_node = models.PositiveIntegerField(default=0)
    grains = models.PositiveBigIntegerField(default=0)  # in all, at the least number of nodes
    cpus_per_node = models.PositiveIntegerField(default=0)
    memory_mb_per_node = models.PositiveIntegerField(default=0)
    nodes_only = models.JSONField(default=list)  # ids: these must be among its nodes (--nodelist)
    nodes_not = models.JSONField(default=list)  # ids: none of these (--exclude)
    whole_node = models.BooleanField(default=False)
    time_limit_seconds = models.PositiveIntegerField(null=True, blank=True)
    own_only = models.BooleanField(default=False)
    preemptible = models.BooleanField(default=True)
    rank = models.IntegerField(default=0)
    priority = models.IntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    resubmit_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="resubmitted"
    )

    held_by = models.CharField(max_length=10, choices=HeldBy, blank=True)
    intent = models.CharField(max_length=10, choices=Intent, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)  # of the latest run, by the backend's clock
    ended_at = models.DateTimeField(null=True, blank=True)
    exit_code = models.IntegerField(null=True, blank=True)
    ended_why = models.CharField(max_length=40, blank=True)  # stable code; the sentence is made in texts.py
    ended_facts = models.JSONField(default=dict)

    # What the last pass said: one reason with its numbers, the place in the queue, the start to be expected.
    wait_reason = models.CharField(max_length=30, blank=True)
    wait_facts = models.JSONField(default=dict)
    place = models.PositiveIntegerField(null=True, blank=True)
    expected_at = models.DateTimeField(null=True, blank=True)
    expected_on = models.CharField(max_length=20, blank=True)  # the assumption: engine.Assumption
    expected_after = models.JSONField(default=list)  # numbers of the jobs whose ends it waits for
    judged_at = models.DateTimeField(null=True, blank=True)
    # While it holds capacity: on whose quota, in grains, as of the last pass or backend event.
    on_own = models.PositiveBigIntegerField(default=0)
    on_elastic = models.PositiveBigIntegerField(default=0)
    on_borrowed = models.PositiveBigIntegerField(default=0)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["state", "place"], name="job_by_state"),
            models.Index(fields=["team", "state"], name="job_by_team"),
            models.Index(fields=["user", "state"], name="job_by_user"),
            models.Index(fields=["-ended_at"], name="job_by_end"),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=State.values), name="job_state_known"),
            models.CheckConstraint(condition=models.Q(nodes_min__gte=1), name="job_on_a_node_at_least"),
            models.CheckConstraint(
                condition=models.Q(nodes_max__isnull=True) | models.Q(nodes_max__gte=models.F("nodes_min")),
                name="job_node_range",
            ),
            models.CheckConstraint(
                condition=models.Q(state=State.HELD, held_by__gt="")
                | (~models.Q(state=State.HELD) & models.Q(held_by="")),
                name="job_held_by_somebody",
            ),
            models.CheckConstraint(
                condition=models.Q(state=State.STOPPING, intent__gt="")
                | (~models.Q(state=State.STOPPING) & models.Q(intent="")),
                name="job_stops_for_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk} {self.name}"

    @property
    def number(self) -> int:
        return self.pk

    @property
    def is_waiting(self) -> bool:
        return self.state in WAITING

    @property
    def is_holding(self) -> bool:
        return self.state in HOLDING

    @property
    def is_ended(self) -> bool:
        return self.state in ENDED

    @property
    def is_with_backend(self) -> bool:
        return self.state in (State.SUBMITTED, State.RUNNING, State.STOPPING)

    @property
    def ends_by(self) -> datetime | None:
        if self.started_at is None or self.time_limit_seconds is None:
            return None
        return clock.from_epoch(clock.epoch(self.started_at) + self.time_limit_seconds)


class JobEvent(Event):
    """One step in a job's life."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events")
    run = models.ForeignKey("scheduling.Run", null=True, blank=True, on_delete=models.CASCADE, related_name="events")
    was = models.CharField(max_length=10, blank=True)
    now = models.CharField(max_length=10, blank=True)

    class Meta:
        ordering = ["id"]  # as they became known: a backend's time may lie before that of the step that told us
        indexes = [models.Index(fields=["job", "id"], name="event_by_job")]


def move(
    job: Job,
    *,
    to: State,
    by: User | None = None,
    what: str = "",
    why: str = "",
    facts: Mapping[str, Any] | None = None,
    run: Run | None = None,
    at: datetime | None = None,
    **changes: Any,
) -> None:
    """Takes the job from the state it was read in to `to`, with `changes` to other columns, and writes the event.

    Compare-and-set: Conflict if the table does not allow the step or somebody else moved the job meanwhile. Call it
    inside a transaction. `at` is when it happened: the backend's time for what the backend reports.
    """
    was = State(job.state)
    if to not in ALLOWED[was]:
        raise Conflict(code="not_in_this_state", facts={"job": job.pk, "state": was.value, "to": to.value})
    at = at or clock.now()
    changes.update(state=to, state_since=at)
    if was is State.HELD:
        changes.setdefault("held_by", "")
    if was is State.STOPPING:
        changes.setdefault("intent", "")
    if to is not State.QUEUED:
        changes.update(wait_reason="", wait_facts={}, place=None, expected_at=None, expected_on="", expected_after=[])
    if not Job.objects.filter(pk=job.pk, state=was).update(**changes):
        raise Conflict(code="moved_on", facts={"job": job.pk, "state": was.value, "to": to.value})
    for name, value in changes.items():
        setattr(job, name, value)
    JobEvent.objects.create(
        job=job, run=run, was=was, now=to, by=by, what=what or to.value, why=why, facts=dict(facts or {}), at=at
    )
