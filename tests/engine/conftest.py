"""Laws are tried without a deadline for each example: a busy machine is no broken law."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("engine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("engine")
