"""Makes the demo's world in an empty database: people, quotas, two weeks of use, and a few jobs to run."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounting.models import User
from portal.kit import clock
from portal.management import demo, demo_history, demo_stage


class Command(BaseCommand):
    help = "Fill an empty database with the demo's world (only where PORTAL_DEMO is on)."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("This is no demo (PORTAL_DEMO is off): its people have known passwords.")
        if User.objects.exists():
            self.stdout.write("The database has people already; nothing was added.")
            return
        now = clock.now()
        with transaction.atomic():
            demo.build(now)
            past = demo_history.build(now)
            demo_stage.begin()
        self.stdout.write(f"The demo's world is there: {User.objects.count()} people, {past} past jobs.")
