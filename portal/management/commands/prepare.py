"""Makes the data of `manage.py run` ready: tables, the demo's world if there is none, the pages' files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from accounting.models import User


class Command(BaseCommand):
    help = "Bring the database up to date, seed the demo into an empty one, collect static files if they changed."

    def handle(self, *args: Any, **options: Any) -> None:
        name = connection.settings_dict["NAME"]
        try:
            executor = MigrationExecutor(connection)
            refuse_newer(executor)
            if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                call_command("migrate", interactive=False, verbosity=0)
            empty = not User.objects.exists()
        except (DatabaseError, OSError) as error:
            raise CommandError(
                f"The database {name} cannot be read or brought up to date ({error}).\n"
                "Use another data folder with VAR=/some/folder, or move this file away to begin anew."
            ) from None
        if empty and settings.DEMO:
            call_command("seed_demo", stdout=self.stdout)
        collect_static()


def refuse_newer(executor: MigrationExecutor) -> None:
    loader = executor.loader
    known = set(loader.graph.nodes) | set(loader.disk_migrations or {})
    known |= {old for migration in loader.replacements.values() for old in migration.replaces}
    newer = sorted(f"{app} {name}" for app, name in set(loader.applied_migrations or {}) - known)
    if newer:
        raise CommandError(
            f"The data in {settings.VAR_DIR} are from a newer version of the portal ({', '.join(newer[:3])}).\n"
            "Update the code (git pull), or use another data folder with VAR=/some/folder. Nothing was changed."
        )


def collect_static() -> None:
    """Only when a file came, went or changed: hashing and compressing them all takes seconds."""
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    wanted = fingerprint()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(wanted)


def fingerprint() -> str:
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            about = Path(storage.path(path)).stat()
            digest.update(f"{path}:{about.st_size}:{about.st_mtime_ns}\n".encode())
    return digest.hexdigest()
