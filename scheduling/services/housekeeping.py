"""Rows that have served: passes without decisions, keys older than a day."""

from __future__ import annotations

from datetime import datetime, timedelta

from scheduling.models import Pass, SubmitRequest
from scheduling.services.jobs import KEY_LIFE

QUIET_PASSES_KEPT = timedelta(hours=6)
PASSES_KEPT = timedelta(days=30)


def run(now: datetime) -> None:
    Pass.objects.filter(started_at__lt=now - QUIET_PASSES_KEPT, starts=0, dropped=0).delete()
    Pass.objects.filter(started_at__lt=now - PASSES_KEPT).delete()
    SubmitRequest.objects.filter(at__lt=now - KEY_LIFE).delete()
