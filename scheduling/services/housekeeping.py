"""What has served goes: passes without decisions, keys older than a day, files of runs that ended long ago."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.conf import settings

from npu_inventory.models import Cluster
from scheduling.backends.base import BackendError
from scheduling.connect import backend_of
from scheduling.models import Pass, Run, SubmitRequest
from scheduling.services.jobs import KEY_LIFE

QUIET_PASSES_KEPT = timedelta(hours=6)
PASSES_KEPT = timedelta(days=30)
log = structlog.get_logger(__name__)


def run(now: datetime) -> None:
    Pass.objects.filter(started_at__lt=now - QUIET_PASSES_KEPT, starts=0, dropped=0).delete()
    Pass.objects.filter(started_at__lt=now - PASSES_KEPT).delete()
    SubmitRequest.objects.filter(at__lt=now - KEY_LIFE).delete()
    for cluster in Cluster.objects.filter(enabled=True):
        _sweep(cluster, now)


def _sweep(cluster: Cluster, now: datetime) -> None:
    """Logs go with it: a run that might still be submitted is kept, its folder says whether it has run."""
    keep = set(Run.objects.alive().filter(cluster=cluster).values_list("uuid", flat=True))
    try:
        swept = backend_of(cluster).sweep(keep=keep, ended_before=now - timedelta(days=settings.LOGS_KEPT_DAYS))
    except BackendError as error:
        log.warning("sweep_failed", cluster=cluster.name, code=error.code, detail=error.detail)
    else:
        log.info("swept", cluster=cluster.name, runs=swept)
