from __future__ import annotations

from django.db import models


class Token(models.Model):
    """A key for scripts: shown once when it is made, kept as a hash. It may do what its owner may, or only read."""

    class Scope(models.TextChoices):
        READ = "read"
        WRITE = "write"

    user = models.ForeignKey("accounting.User", on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)  # SHA-256 of a random 256-bit key: nothing to slow down
    hint = models.CharField(max_length=12)  # its first characters, to tell one from another
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.WRITE)
    made_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at", "-id"]
