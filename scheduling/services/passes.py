"""One pass of the engine over the installation: the whole idea on one screen."""

from __future__ import annotations

import time
from datetime import datetime

from portal.kit.wake import wake
from scheduling import apply, engine, snapshot
from scheduling.models import Pass


def run(now: datetime) -> Pass:
    """The caller holds the lock of passes: there is one at a time."""
    record = Pass(started_at=now)
    begun = time.perf_counter_ns()
    situation = snapshot.take(now)  # 1. read the world once
    read = time.perf_counter_ns()
    plan = engine.plan(situation)  # 2. decide, purely
    planned = time.perf_counter_ns()
    record.waiting, record.running = len(situation.waiting), len(situation.running)
    record.snapshot_us, record.plan_us = (read - begun) // 1000, (planned - read) // 1000
    apply.commit(plan, situation, record=record)  # 3. write decisions, loans, commands and reasons in one transaction
    Pass.objects.filter(pk=record.pk).update(commit_us=(time.perf_counter_ns() - planned) // 1000)
    if record.starts:
        wake("scheduling.dispatch")  # 4. let the backends act
    if record.dropped:
        wake("scheduling.run_pass")
    return record
