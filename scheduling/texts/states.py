"""What is said of a job that neither waits for capacity nor has ended."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from portal.kit.grains import as_text
from portal.kit.times import short
from scheduling.models import Job, State
from scheduling.texts.sentence import Sentence, Told


def told(job: Job, *, now: datetime) -> Told:
    words = {"since": short(job.state_since, now), "npus": as_text(job.grains)}
    match job.state:
        case State.HELD:
            return _held(job, words)
        case State.ADMITTED:
            return Told(Sentence(_("Its NPUs are set aside; the cluster is being told to start it.")))
        case State.SUBMITTED:
            return Told(Sentence(_("The cluster has it and is starting it.")))
        case State.STOPPING:
            return Told(Sentence(_("Asked to stop at {since}; the cluster has not confirmed it yet."), words))
        case _:
            return running(job, now=now)


def _held(job: Job, words: dict[str, str]) -> Told:
    match job.held_by:
        case Job.HeldBy.OPERATOR:
            return Told(
                Sentence(_("Held by an operator since {since}. It takes no place in the queue."), words),
                next_step=Sentence(_("Only an operator can release it.")),
            )
        case Job.HeldBy.BUDGET:
            return Told(Sentence(_("Held since {since}, since the budget is used up."), words))
        case _:
            return Told(
                Sentence(_("Held since {since}. It takes no place in the queue."), words),
                next_step=Sentence(_("Release it to queue it again; it keeps its submit time.")),
            )


def running(job: Job, *, now: datetime) -> Told:
    borrowed = job.on_elastic + job.on_borrowed
    words = {
        "since": short(job.started_at or job.state_since, now),
        "npus": as_text(job.grains),
        "own": as_text(job.on_own),
        "borrowed": as_text(borrowed),
    }
    if not job.grains:
        return Told(Sentence(_("Running since {since}, without NPUs."), words))
    if not borrowed:
        return Told(Sentence(_("Running since {since} on {npus} NPUs of its team’s own."), words))
    if not job.on_own:
        return Told(Sentence(_("Running since {since} on {borrowed} borrowed NPUs."), words))
    return Told(Sentence(_("Running since {since} on {own} own and {borrowed} borrowed NPUs."), words))


def unjudged(job: Job) -> Sentence:
    if job.attempts:
        return Sentence(_("Put back into the queue; the next pass looks at it within seconds."))
    return Sentence(_("Just submitted; the next pass looks at it within seconds."))
