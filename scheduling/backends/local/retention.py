"""What lies in the root folder: listing it, reading from it, clearing it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from scheduling.backends.local import process
from scheduling.backends.local.instructions import Instructions
from scheduling.backends.local.state import RunFolder, Unreadable

DOOMED = ".gone-"
"""Renamed before it is removed: half a folder, say one without its end, could start its run again."""


def folders(root: Path) -> Iterator[RunFolder]:
    runs = root / "runs"
    if not runs.is_dir():
        return
    for entry in sorted(os.listdir(runs)):
        if not entry.startswith(DOOMED):
            yield RunFolder(str(runs / entry))


def describe(run: RunFolder) -> tuple[int, str]:
    order = Instructions.load(run)
    return order.job, order.name


def wants_batch_signal(run: RunFolder) -> bool:
    warning = Instructions.load(run).warning
    return warning is not None and warning[0] == "batch"


def last_words(run: RunFolder) -> str:
    """Of a supervisor that did not come up."""
    try:
        with open(run.supervisor_log, encoding="utf-8", errors="replace") as file:
            return file.read()[-500:] or "the supervisor did not start in time"
    except FileNotFoundError:
        return "the supervisor did not start in time"


def sweep(root: Path, *, keep: Collection[UUID], ended_before: float) -> int:
    """A run that cannot be read hinders no other; while one is left nobody knows which job's folder it uses."""
    kept = {str(run) for run in keep}
    gone, used, all_known = 0, set(), True
    for run in folders(root):
        if os.path.basename(run.path) in kept or not _is_over(run, before=ended_before):
            try:
                used |= {str(Instructions.load(run).job)} if run.has_order() else set()
            except (Unreadable, OSError):
                all_known = False
            continue
        with suppress(OSError):
            os.chmod(run.path, 0o700)  # its job may have taken our rights to it away
            os.rename(run.path, root / "runs" / f"{DOOMED}{os.path.basename(run.path)}")
            gone += 1
    for entry in (root / "runs").glob(f"{DOOMED}*"):
        shutil.rmtree(entry, ignore_errors=True)
    if all_known:
        _sweep_jobs(root / "jobs", used=used, older_than=ended_before)
    return gone


def _is_over(run: RunFolder, *, before: float) -> bool:
    """Also a folder that a worker began to fill and nobody came back to."""
    try:
        end = run.end()
    except Unreadable:
        return os.stat(run.path, follow_symlinks=False).st_mtime < before and not process.remnants(
            os.path.basename(run.path)
        )
    if end is None:
        return not run.has_order() and not run.begun() and os.stat(run.path).st_mtime < before
    return end.at < before


def _sweep_jobs(jobs: Path, *, used: set[str], older_than: float) -> None:
    """By age too: a worker may just be making the folder of a job whose order is not written yet."""
    for entry in jobs.iterdir() if jobs.is_dir() else ():
        if entry.name not in used and entry.stat().st_mtime < older_than:
            shutil.rmtree(entry, ignore_errors=True)
