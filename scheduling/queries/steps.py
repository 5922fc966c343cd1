"""Which steps a person may take with a job in its present state. The step itself looks the job up again."""

from __future__ import annotations

from enum import StrEnum

from accounting.models import User
from portal.kit.access import May
from scheduling.models import Job, State
from scheduling.queries.jobs import may_operate


class Step(StrEnum):
    CANCEL = "cancel"
    HOLD = "hold"
    RELEASE = "release"
    RESUBMIT = "resubmit"


def steps_for(user: User, job: Job) -> frozenset[Step]:
    steps = set()
    if may_operate(user, job):
        if not job.is_ended and job.state != State.STOPPING:
            steps.add(Step.CANCEL)
        if job.state == State.QUEUED:
            steps.add(Step.HOLD)
        if job.state == State.HELD and may_release(user, job):
            steps.add(Step.RELEASE)
    if user.may(May.SEE, job.team) and user.may(May.SUBMIT, job.team):
        steps.add(Step.RESUBMIT)
    return frozenset(steps)


def may_release(user: User, job: Job) -> bool:
    """What an operator holds only an operator lets go."""
    return job.held_by == Job.HeldBy.USER or (job.held_by == Job.HeldBy.OPERATOR and user.is_operator)
