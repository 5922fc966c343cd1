from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.conf import settings


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        # Without the application a web process would send its wake-ups to Celery's default address.
        from django.contrib.auth.signals import user_logged_in

        from portal import celery, checks  # noqa: F401  imported for what they register

        if settings.DEMO:
            user_logged_in.connect(_open_the_demo, dispatch_uid="portal.demo")


def _open_the_demo(**_: Any) -> None:
    """The demo's opening is played when the first person signs in, whenever that is."""
    from portal.management import demo_stage

    demo_stage.open_once()
