"""Cluster row → backend object. Backends know neither rows nor settings: what they need is handed over here."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from npu_inventory.models import Cluster
from scheduling.backends.base import Backend, BackendError
from scheduling.backends.local.backend import LocalBackend


def backend_of(cluster: Cluster) -> Backend:
    """BackendError(retryable=False) where this installation does not allow that kind."""
    match cluster.backend:
        case Cluster.Backend.LOCAL:
            if not settings.LOCAL_BACKEND_ALLOWED:
                raise BackendError(
                    "local_not_allowed",
                    "the built-in backend runs scripts as the portal's own user; set LOCAL_BACKEND_ALLOWED=true to allow it",
                    retryable=False,
                )
            return _local(cluster.name, Path(settings.LOCAL_BACKEND_ROOT) / cluster.name)
        case _:
            raise BackendError("unknown_backend", cluster.backend, retryable=False)


@lru_cache(maxsize=32)
def _local(name: str, root: Path) -> Backend:
    return LocalBackend(root, cluster=name)
