"""A job's events as lines of its timeline: what, by whom, why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from portal.kit.times import duration
from scheduling.models import Job, JobEvent, State
from scheduling.texts.sentence import Told, joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    icon: str
    tone: str
    title: str
    text: str
    at: datetime


# What of an event: its icon, tone, and title without and with a person.
FACES: Mapping[str, tuple[str, str, Callable[[], str], Callable[[], str]]] = {
    "created": ("file-plus", "", lambda: _("Submitted"), lambda: _("Submitted by {by}")),
    "admitted": ("circle-dashed-check", "", lambda: _("Admitted"), lambda: _("Admitted by {by}")),
    "submitted": ("send", "", lambda: _("Handed to the cluster"), lambda: _("Handed to the cluster by {by}")),
    "running": ("player-play", "accent", lambda: _("Running"), lambda: _("Started by {by}")),
    "held": ("player-pause", "", lambda: _("Held"), lambda: _("Held by {by}")),
    "released": ("player-track-next", "", lambda: _("Released"), lambda: _("Released by {by}")),
    "queued": ("rotate-clockwise-2", "warn", lambda: _("Put back into the queue"), lambda: _("Put back by {by}")),
    "cancel_asked": ("player-stop", "warn", lambda: _("Asked to stop"), lambda: _("Asked to stop by {by}")),
    "stopping": ("player-stop", "warn", lambda: _("Stopping"), lambda: _("Stopped by {by}")),
    "succeeded": ("circle-check", "ok", lambda: _("Succeeded"), lambda: _("Succeeded")),
    "failed": ("circle-x", "bad", lambda: _("Failed"), lambda: _("Failed")),
    "timed_out": ("clock-x", "bad", lambda: _("Timed out"), lambda: _("Timed out")),
    "cancelled": ("ban", "", lambda: _("Cancelled"), lambda: _("Cancelled by {by}")),
}


def line(event: JobEvent, job: Job, *, ended: Told | None) -> Line:
    """`ended`: how the job ended, told at the event of its end."""
    key = "created" if event.what == "submitted" and not event.was else event.what
    icon, tone, plain, personal = FACES.get(key) or FACES.get(event.now) or _unknown(event.what)
    title = personal().format(by=event.by) if event.by else plain()
    return Line(icon=icon, tone=tone, title=title, text=_text(event, key, job, ended), at=event.at)


def _unknown(what: str) -> tuple[str, str, Callable[[], str], Callable[[], str]]:
    return "point", "", lambda: what, lambda: f"{what} · {{by}}"


def _text(event: JobEvent, key: str, job: Job, ended: Told | None) -> str:
    said = []
    attempt = event.run.attempt if event.run else 1
    if key == "created" and job.resubmit_of_id:
        said.append(_("Again, after job {job}.").format(job=job.resubmit_of_id))
    if event.now == State.RUNNING:
        if attempt > 1:
            said.append(_("Attempt {n}.").format(n=attempt))
        else:
            said.append(_("Waited {time}.").format(time=duration(event.at - job.submitted_at)))
    if event.now == job.state and job.is_ended and ended is not None:
        said.append(str(ended.short))
    elif event.what == "cancel_asked" and event.why:
        said.append(event.why)
    return joined(said)
