"""A pass through the database: snapshot, plan, commit."""

from __future__ import annotations

from portal.kit import clock
from scheduling.services import passes
from tests.bench import measure


def run(*, waiting: int, running: int) -> None:
    measure.tell(f"pass, {waiting} waiting and {running} running", measure.times(lambda: passes.run(clock.now())))
