from __future__ import annotations

from datetime import datetime

from django.db import models


class CommandQuerySet(models.QuerySet["Command"]):
    def due(self, now: datetime) -> CommandQuerySet:
        """What is to be done and in nobody's hands. The oldest first: a run is sent before it is cancelled."""
        return self.filter(state=Command.State.PENDING, next_at__lte=now).order_by("id")


class Command(models.Model):
    """The outbox: what a backend is to be told. Written in the transaction that decides it, carried out afterwards.

    Carrying it out twice does no harm: backends know a run by its uuid.
    """

    class Kind(models.TextChoices):
        SUBMIT = "submit"
        CANCEL = "cancel"

    class State(models.TextChoices):
        PENDING = "pending"
        DONE = "done"
        FAILED = "failed"  # refused for ever
        DROPPED = "dropped"  # no longer wanted

    run = models.ForeignKey("scheduling.Run", on_delete=models.CASCADE, related_name="commands")
    kind = models.CharField(max_length=10, choices=Kind)
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    tries = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField()  # also the end of a worker's lease: nobody else takes it before
    made_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)

    objects = CommandQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["next_at"], condition=models.Q(state="pending"), name="command_due"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["run", "kind"], name="told_once"),
        ]
