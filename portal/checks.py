"""System checks: a portal that is half configured does not start, and says what to set."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register


@register(Tags.security)
def secrets_are_set(**_: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if not settings.SECRET_KEY_IS_SET or len(settings.SECRET_KEY) < 32:
        found.append(
            Error(
                "SECRET_KEY is missing or shorter than 32 characters.",
                hint="Set SECRET_KEY, or SECRET_KEY_FILE to a file that holds it; `make run` makes one for the demo.",
                id="portal.E001",
            )
        )
    if not settings.REDIS_URL and not settings.TESTING:
        found.append(
            Error(
                "REDIS_URL is missing: there is no broker and no cache.",
                hint="Set REDIS_URL, e.g. redis://:password@redis:6379/0.",
                id="portal.E002",
            )
        )
    return found


@register(Tags.security)
def the_demo_stays_at_home(**_: Any) -> list[CheckMessage]:
    """A demo has people with known passwords who may run scripts: it must not be mistaken for the real thing."""
    if settings.DEMO and settings.DATABASES["default"]["ENGINE"] != "portal.kit.sqlite" and not settings.TESTING:
        return [
            Error(
                "PORTAL_DEMO is on with a database that is not the demo's own.",
                hint="Unset PORTAL_DEMO in production; the demo runs by `make run` on its own SQLite file.",
                id="portal.E003",
            )
        ]
    return []
