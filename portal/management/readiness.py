"""Whether the data folder can be served as it is: tables of this version, people in them, the pages' files collected."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from accounting.models import User


def is_ready() -> bool:
    return is_migrated() and User.objects.exists() and collected_stamp_is(fingerprint())


def is_migrated() -> bool:
    """Raises, with what to do, where the data are not ours to touch."""
    try:
        executor = MigrationExecutor(connection)
        _refuse_newer(executor)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except (DatabaseError, OSError) as error:
        raise unreadable(error) from None


def unreadable(error: Exception) -> CommandError:
    return CommandError(
        f"The database {connection.settings_dict['NAME']} cannot be read or brought up to date ({error}).\n"
        "Use another data folder with VAR=/some/folder, or move this file away to begin anew."
    )


def _refuse_newer(executor: MigrationExecutor) -> None:
    loader = executor.loader
    known = set(loader.graph.nodes) | set(loader.disk_migrations or {})
    known |= {old for migration in loader.replacements.values() for old in migration.replaces}
    newer = sorted(f"{app} {name}" for app, name in set(loader.applied_migrations or {}) - known)
    if newer:
        raise CommandError(
            f"The data in {settings.VAR_DIR} are from a newer version of the portal ({', '.join(newer[:3])}).\n"
            "Update the code (git pull), or use another data folder with VAR=/some/folder. Nothing was changed."
        )


def fingerprint() -> str:
    """Of the files that collectstatic would read: hashing and compressing them takes seconds, this does not."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            about = Path(storage.path(path)).stat()
            digest.update(f"{path}:{about.st_size}:{about.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def collected_stamp() -> Path:
    return Path(settings.STATIC_ROOT) / ".collected"


def collected_stamp_is(wanted: str) -> bool:
    stamp = collected_stamp()
    return stamp.exists() and stamp.read_text() == wanted
