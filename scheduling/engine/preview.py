"""What if: the same pass over a situation that differs by one job, and the ledger without any pass. Decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scheduling.engine import lending
from scheduling.engine.admission import asked_now
from scheduling.engine.check import check
from scheduling.engine.decisions import Assumption, Expected, Loan, Preview, Split
from scheduling.engine.order import Queue
from scheduling.engine.planner import plan_pool
from scheduling.engine.situation import Situation, Waiting
from scheduling.engine.state import PoolState


def ledger(situation: Situation) -> tuple[tuple[Loan, ...], Mapping[int, Split]]:
    """Loans and splits of what runs now; to be taken anew after each event that changes who holds what."""
    check(situation)
    loans: list[Loan] = []
    splits: dict[int, Split] = {}
    for pool in sorted(situation.pools, key=lambda pool: pool.id):
        its_loans, its_splits = lending.derive(PoolState(situation, pool))
        loans += its_loans
        splits |= its_splits
    return tuple(loans), splits


def what_if(situation: Situation, job: Waiting) -> Preview:
    """The fate of a job that is not in the queue yet; its id must be free, its submit time is the caller's."""
    asked = replace(situation, waiting=(*situation.waiting, job))
    check(asked)
    pool = next(pool for pool in asked.pools if pool.id == job.pool)
    its_plan = plan_pool(asked, pool, watched=job.id)
    state = PoolState(asked, pool)
    quota = state.tree.teams[job.team]

    wait = next((wait for wait in its_plan.waits if wait.job == job.id), None)
    loans, splits = (its_plan.loans, its_plan.splits) if wait is None else its_plan.foreseen or ([], {})
    split = splits.get(job.id)
    lane = Queue(state, {partition.id: partition for partition in asked.partitions}).lane_of(job)
    grains = asked_now(lane, state) if split is None else split.guaranteed + split.elastic + split.borrowed
    return Preview(
        job=job.id,
        starts_now=wait is None,
        reason=wait.reason if wait else None,
        facts=wait.facts if wait else {},
        place=wait.place if wait else None,
        expected=wait.expected if wait else Expected(at=asked.now, assumption=Assumption.NEXT_PASS),
        grains=grains,
        split=split,
        loans=tuple(loan for loan in loans if loan.job == job.id),
        guaranteed=quota.own,
        may_borrow=quota.may_borrow,
        used_before=quota.used,
        used_after=quota.used + grains,
    )
