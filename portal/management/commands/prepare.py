"""Makes the data of `manage.py run` ready: tables, the demo's world if there is none, the pages' files."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from accounting.models import User
from portal.management.readiness import (
    collected_stamp,
    collected_stamp_is,
    fingerprint,
    is_migrated,
    unreadable,
)


class Command(BaseCommand):
    help = "Bring the database up to date, seed the demo into an empty one, collect static files if they changed."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if not is_migrated():
                call_command("migrate", interactive=False, verbosity=0)
            empty = not User.objects.exists()
        except (DatabaseError, OSError) as error:
            raise unreadable(error) from None
        if empty and settings.DEMO:
            call_command("seed_demo", stdout=self.stdout)
        wanted = fingerprint()
        if not collected_stamp_is(wanted):
            call_command("collectstatic", interactive=False, clear=True, verbosity=0)
            collected_stamp().write_text(wanted)
