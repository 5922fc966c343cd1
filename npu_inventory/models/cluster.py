from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Cluster(models.Model):
    """One Slurm or Kubernetes installation, or the built-in one. Its backend's options stand here, secrets never do."""

    class Backend(models.TextChoices):
        LOCAL = "local", _("built in: this machine")

    name = models.SlugField(max_length=40, unique=True)
    title = models.CharField(max_length=120, blank=True)
    backend = models.CharField(max_length=20, choices=Backend)
    options = models.JSONField(default=dict, blank=True)
    enabled = models.BooleanField(default=True)
    grace_seconds = models.PositiveIntegerField(default=30)  # between SIGTERM and SIGKILL
    reached_at = models.DateTimeField(null=True, blank=True)  # last time it answered
    away_since = models.DateTimeField(null=True, blank=True)
    away_why = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.title or self.name

    @property
    def is_away(self) -> bool:
        return self.away_since is not None
