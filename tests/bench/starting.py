"""The second start: `manage.py run` on data that are there, until the sign-in page answers."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.bench import measure
from tests.services.leftovers import end_jobs_in
from tests.services.run import Portal


def run() -> None:
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
        var = Path(folder, "var")
        try:
            _until_signed_in_could_be(var)
            measure.tell("second start until the sign-in page", [_until_signed_in_could_be(var) for _ in range(3)])
        finally:
            end_jobs_in(var)


def _until_signed_in_could_be(var: Path) -> float:
    begun = time.perf_counter()
    portal = Portal(var)
    try:
        portal.wait_for(lambda: _answers(portal))
        return time.perf_counter() - begun
    finally:
        portal.interrupt()


def _answers(portal: Portal) -> bool:
    try:
        return portal.get("/accounts/login/") == 200
    except OSError:
        return False
