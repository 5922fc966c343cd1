"""The pass: a situation in, a plan out. Pools do not share anything, so each is planned for itself.

Nothing here reads a clock, draws a number at random or remembers anything: the same situation gives the same plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scheduling.engine import lending
from scheduling.engine.admission import Admission, Admitted, barred, gate, misfit
from scheduling.engine.check import check
from scheduling.engine.decisions import Loan, Plan, Reason, Split, Start, Wait
from scheduling.engine.entitlement import own_room
from scheduling.engine.explain import Explainer, Facts, barred_facts, complete
from scheduling.engine.forecast import UNKNOWN, Forecast
from scheduling.engine.order import Lane, Queue, turn_of
from scheduling.engine.situation import Partition, Pool, Situation, Waiting
from scheduling.engine.state import PoolState

NO_PLACE = frozenset({Reason.IMPOSSIBLE, Reason.BEYOND_POTENTIAL})
"""They cannot start as things are configured, so they stand in no queue."""


def plan(situation: Situation) -> Plan:
    check(situation)
    plans = [plan_pool(situation, pool) for pool in sorted(situation.pools, key=lambda pool: pool.id)]
    return Plan(
        now=situation.now,
        versions={each.pool.id: each.pool.version for each in plans},
        starts=tuple(start for each in plans for start in each.starts),
        waits=tuple(wait for each in plans for wait in each.waits),
        loans=tuple(loan for each in plans for loan in each.loans),
        splits={job: split for each in plans for job, split in each.splits.items()},
    )


@dataclass(slots=True, kw_only=True)
class PoolPlan:
    pool: Pool
    starts: list[Start]
    waits: list[Wait]
    loans: Sequence[Loan]
    splits: Mapping[int, Split]
    foreseen: lending.Ledger | None
    """The ledger at the moment at which the watched job starts, where that lies ahead and is known."""


def plan_pool(situation: Situation, pool: Pool, *, watched: int | None = None) -> PoolPlan:
    """`watched`: the one job whose future is wanted; the run ahead ends with its start."""
    # 1. What there is and who uses it: nodes, quota tree, running jobs.
    state = PoolState(situation, pool)

    # 2. Who may not start whatever is free, and who asks for capacity: these in lanes of equal jobs.
    partitions = {partition.id: partition for partition in situation.partitions}
    waiting = sorted((job for job in situation.waiting if job.pool == pool.id), key=turn_of)
    turned_away = _turn_away(waiting, partitions, situation)
    queue = Queue(state, partitions)
    queue.add(job for job in waiting if job.id not in turned_away)

    # 3. Starts: own jobs first, then loans, each in the order of priority, submit time and id. Every lane gets its
    #    turn: one that cannot start holds up nobody, and its refusal stands for all of its jobs.
    admitted = Admission(state).admit(queue.lanes, at=situation.now)

    # 4. The ledger as it is with these starts: on whose quota each job is.
    loans, splits = lending.derive(state)

    # 5. Why the others wait: the first gate that each fails now, after the last start, with the numbers of now.
    explainer = Explainer(state, loans)
    refused = [_refuse(lane, state, explainer) for lane in queue.lanes if lane.first is not None]

    # 6. When they will start: the same admission run ahead from this state, which it uses up.
    later = [job for job in waiting if turned_away.get(job.id) == Reason.NOT_YET]
    forecast = Forecast(state, queue, later=later, now=situation.now)
    forecast.run(watched=watched)

    # 7. One answer for each job that waits.
    waits = _waits_in_queue(refused, forecast)
    for job in waiting:
        if job.id in turned_away:
            waits.append(_wait_outside(job, turned_away[job.id], partitions[job.partition], situation, forecast))
    return PoolPlan(
        pool=pool,
        starts=[_start(each, pool=pool, split=splits[each.job.id]) for each in admitted],
        waits=waits,
        loans=loans,
        splits=splits,
        foreseen=forecast.foreseen,
    )


def _turn_away(
    waiting: Iterable[Waiting], partitions: Mapping[int, Partition], situation: Situation
) -> dict[int, Reason]:
    reasons = {job.id: barred(job, partition=partitions[job.partition], situation=situation) for job in waiting}
    return {job: reason for job, reason in reasons.items() if reason is not None}


@dataclass(slots=True, kw_only=True)
class Refused:
    """A lane as the starts left it; the run ahead goes on serving the lane itself."""

    jobs: Sequence[Waiting]
    reason: Reason
    facts: Facts
    own: bool


def _refuse(lane: Lane, state: PoolState, explainer: Explainer) -> Refused:
    reason = gate(lane, state) or misfit(lane, state)
    if reason is None:
        raise AssertionError(f"job {lane.waiting[-1].id} could start and was not started")
    return Refused(
        jobs=lane.waiting[::-1],
        reason=reason,
        facts=explainer.facts(lane, reason),
        own=lane.asked <= own_room(lane.quota),
    )


def _waits_in_queue(refused: Iterable[Refused], forecast: Forecast) -> list[Wait]:
    """In the order in which they will start; those of whom that is not known after them, in the order of their turns."""
    starts = {job: number for number, job in enumerate(forecast.expected)}
    standing = [(job, each) for each in refused for job in each.jobs]
    standing.sort(
        key=lambda entry: (
            entry[1].reason in NO_PLACE,
            starts.get(entry[0].id, len(starts)),
            not entry[1].own,
            turn_of(entry[0]),
        )
    )
    completed = {
        id(each): complete(each.facts, each.reason, expected=forecast.expected.get(each.jobs[0].id, UNKNOWN))
        for each in refused
    }
    return [
        Wait(
            job=job.id,
            reason=each.reason,
            facts=completed[id(each)],
            place=None if each.reason in NO_PLACE else number,
            expected=forecast.expected.get(job.id, UNKNOWN),
        )
        for number, (job, each) in enumerate(standing, start=1)
    ]


def _wait_outside(job: Waiting, reason: Reason, partition: Partition, situation: Situation, forecast: Forecast) -> Wait:
    return Wait(
        job=job.id,
        reason=reason,
        facts=barred_facts(job, reason, partition=partition, situation=situation),
        place=None,
        expected=forecast.expected.get(job.id, UNKNOWN),
    )


def _start(admitted: Admitted, *, pool: Pool, split: Split) -> Start:
    holding = admitted.holding
    return Start(
        job=holding.job,
        pool=pool.id,
        team=holding.team,
        placement=tuple(holding.held),
        grains=holding.grains,
        split=split,
    )
