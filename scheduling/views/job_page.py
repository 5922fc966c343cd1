"""All that the page of a job says, put together from rows, log and words."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounting.models import User
from portal.kit import clock
from portal.kit.access import May
from scheduling.backends.base import LogPart
from scheduling.models import Job, JobEvent, Run, State
from scheduling.queries import page
from scheduling.queries.queue import visible_among
from scheduling.queries.steps import steps_for
from scheduling.texts import loglines, reasons, timeline
from scheduling.texts.endings import ending
from scheduling.texts.sentence import Told
from scheduling.views.job_log import LogView, log_view, safe_tail
from scheduling.views.job_spec import SpecView, spec_view

CLUE_BYTES = 8_192
FINENESS = 15  # seconds after which a running job's page says new numbers though nothing happened


@dataclass(frozen=True, kw_only=True)
class JobPage:
    user: User
    job: Job
    now: datetime
    tab: str
    runs: list[Run]
    held: list[page.Held]
    events: list[JobEvent]
    cost: page.Cost | None
    """None: this person's roles show no money."""
    query: QueryDict

    @cached_property
    def told(self) -> Told:
        if not self.job.is_ended:
            return reasons.told(self.job, now=self.now)
        return ending(self.job, by=self._cancelled_by, clue=self._clue)

    @property
    def _cancelled_by(self) -> str:
        asked = (event.by for event in self.events if event.what in ("cancel_asked", "cancelled") and event.by)
        return str(next(asked, ""))

    @property
    def _clue(self) -> str:
        """Of a job that failed by itself the line that names the cause, out of its error log first."""
        if self.job.state != State.FAILED:
            return ""
        tails = (safe_tail(self.job, stream=stream, offset=-CLUE_BYTES) for stream in ("error", "output"))
        return next(filter(None, (loglines.clue_in(_whole_lines(part)) for part in tails if part)), "")

    @cached_property
    def linked(self) -> set[int]:
        return visible_among(self.user, self.told.jobs)

    @property
    def sentence(self) -> SafeString:
        return self.told.html(self.linked)

    @property
    def next_step(self) -> SafeString | None:
        return self.told.next_step.html(self.linked) if self.told.next_step else None

    @property
    def lines(self) -> list[timeline.Line]:
        return [timeline.line(event, self.job, ended=self.told if self.job.is_ended else None) for event in self.events]

    @property
    def split(self) -> list[tuple[str, int]]:
        return list(page.split_of(self.job).items())

    @property
    def cores(self) -> int:
        return self.job.cpus_per_node * self.job.nodes_min

    @property
    def elapsed(self) -> int:
        """Of the latest run."""
        start, end = self.job.started_at, self.job.ended_at or self.now
        return 0 if start is None else max(0, int((end - start).total_seconds()))

    @property
    def waited(self) -> int | None:
        if self.job.started_at is None:
            return None
        return max(0, int((self.job.started_at - self.job.submitted_at).total_seconds()))

    @property
    def waited_in_vain(self) -> int:
        """Of a job that ended before it started."""
        return int(((self.job.ended_at or self.now) - self.job.submitted_at).total_seconds())

    @property
    def face(self) -> str:
        return "put_back" if self.job.state == State.QUEUED and self.job.attempts else self.job.state

    @property
    def steps(self) -> frozenset[str]:
        return frozenset(step.value for step in steps_for(self.user, self.job))

    @property
    def tabs(self) -> list[dict[str, object]]:
        names = {"overview": _("Overview"), "spec": _("Specification"), "cost": _("Cost"), "timeline": _("Timeline")}
        if self.cost is None:
            del names["cost"]
        address = reverse("job", args=[self.job.pk])
        return [
            {
                "url": f"{address}?tab={tab}" if tab != "overview" else address,
                "label": label,
                "current": tab == self.tab,
            }
            for tab, label in names.items()
        ]

    @cached_property
    def log(self) -> LogView:
        return log_view(self.job, self.runs, self.query)

    @cached_property
    def spec(self) -> SpecView:
        return spec_view(self.job)

    @property
    def fingerprint(self) -> str:
        job = self.job
        tick = self.elapsed // FINENESS if job.is_holding else 0
        shown = (job.state, job.state_since, job.place, job.expected_at, job.wait_reason, job.wait_facts, self.split)
        return hashlib.sha256(repr((shown, len(self.events), tick)).encode()).hexdigest()[:20]

    def context(self) -> dict[str, object]:
        return {"page": self, "job": self.job, "now": self.now, "tab": self.tab}


def _whole_lines(part: LogPart) -> str:
    """A part that begins within the log begins within a line."""
    return part.text.partition("\n")[2] if part.offset else part.text


def read(user: User, job: Job, query: QueryDict) -> JobPage:
    now = clock.now()
    runs = page.runs_of(job)
    money = user.may(May.SEE_MONEY, job.team)
    tab = query.get("tab", "overview")
    known = {"overview", "spec", "timeline"} | ({"cost"} if money else set())
    return JobPage(
        user=user,
        job=job,
        now=now,
        tab=tab if tab in known else "overview",
        runs=runs,
        held=page.held_by(runs[0] if runs else None),
        events=page.events_of(job),
        cost=page.cost_of(job, runs, now=now) if money else None,
        query=query,
    )
