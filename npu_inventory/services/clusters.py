"""Whether clusters answer: kept as rows, so that every page can say since when one does not."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from npu_inventory.models import Cluster

PRECISION = timedelta(seconds=30)


def reached(cluster: Cluster, *, now: datetime) -> None:
    """Written at most every half minute, or when it comes back."""
    stale = Q(reached_at__isnull=True) | Q(reached_at__lt=now - PRECISION) | Q(away_since__isnull=False)
    Cluster.objects.filter(stale, pk=cluster.pk).update(reached_at=now, away_since=None, away_why="")


def away(cluster: Cluster, *, why: str, now: datetime) -> None:
    """Since the first time that it did not answer."""
    Cluster.objects.filter(pk=cluster.pk, away_since__isnull=True).update(away_since=now, away_why=why[:200])
