"""Jobs by number, for somebody. Look-up is permission: without a person and what they want to do there is no job."""

from __future__ import annotations

from accounting.models import User
from portal.kit.access import May
from portal.kit.errors import NotAllowed, NotFound
from scheduling.models import Job


def job_for(user: User, number: int, may: May) -> Job:
    """NotFound for a stranger, who is not told that the job exists; NotAllowed for one who may see it but not do this."""
    jobs = Job.objects.with_people()
    job = jobs.where(user, may).filter(pk=number).first()
    if job is not None:
        return job
    if may is not May.SEE and jobs.where(user, May.SEE).filter(pk=number).exists():
        raise NotAllowed(facts={"job": number})
    raise NotFound()


def may_operate(user: User, job: Job) -> bool:
    """For a page that shows or hides buttons; the step itself looks the job up again."""
    return user.may(May.OPERATE, job.team) or (job.user_id == user.pk and user.may(May.OPERATE_OWN, job.team))
