from __future__ import annotations

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        # Without the application a web process would send its wake-ups to Celery's default address.
        from portal import celery, checks  # noqa: F401  imported for what they register
