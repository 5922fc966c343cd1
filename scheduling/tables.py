"""Rows as the queue shows them: what of a job this person may know, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.utils import timezone
from django.utils.translation import gettext, pgettext

from accounting.models import User
from portal.kit.access import May
from portal.kit.grains import as_text
from scheduling.models import Job, State
from scheduling.queries.queue import GROUP_OF, Group, nodes_of, visible_among
from scheduling.queries.steps import steps_for
from scheduling.texts import reasons
from scheduling.texts.sentence import Told, joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`seen`: the person may know its name, owner, project and script. Else only number, team, amount, state, times and
    nodes are to be shown."""

    job: Job
    now: datetime
    seen: bool
    mine: bool
    told: Told
    linked: frozenset[int]
    nodes: tuple[str, ...]
    steps: frozenset[str]

    @property
    def why(self) -> str:
        return self.told.row_html(self.linked)

    @property
    def elapsed(self) -> int:
        start = self.job.started_at
        return 0 if start is None else max(0, int((self.now - start).total_seconds()))

    @property
    def lasted(self) -> int | None:
        start, end = self.job.started_at, self.job.ended_at
        return None if start is None or end is None else max(0, int((end - start).total_seconds()))

    @property
    def borrowed(self) -> int:
        return self.job.on_elastic + self.job.on_borrowed

    @property
    def overdue(self) -> bool:
        """Told to start in the past: it starts with the next pass."""
        return self.job.expected_at is not None and self.job.expected_at <= self.now

    @property
    def face(self) -> str:
        """Of its badge: a job that had started and waits again says so."""
        return "put_back" if self.job.state == State.QUEUED and self.job.attempts else self.job.state

    def cells(self) -> list[object]:
        """As `columns()` names them."""
        job = self.job
        personal = [job.name, str(job.user), str(job.project)] if self.seen else ["", "", ""]
        moments = (job.submitted_at, job.started_at, job.ended_at, job.expected_at)
        return [
            job.pk,
            str(State(job.state).label),
            "" if job.place is None else job.place,
            job.team.name,
            *personal,
            str(job.pool),
            job.partition.name,
            " ".join(self.nodes),
            as_text(job.grains),
            as_text(job.on_own),
            as_text(self.borrowed),
            "" if job.time_limit_seconds is None else job.time_limit_seconds,
            *("" if moment is None else timezone.localtime(moment).isoformat(timespec="seconds") for moment in moments),
            joined(map(str, self.told.row)),
        ]

    @property
    def mark(self) -> tuple[object, ...]:
        """What a change of is worth telling."""
        job = self.job
        shown = (job.pk, job.state, job.place, str(job.expected_at), job.wait_reason, sorted(job.wait_facts.items()))
        return (*shown, job.on_own, self.borrowed, self.elapsed // 60 if job.is_holding else 0, sorted(self.steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    group: Group
    rows: tuple[Row, ...]


def columns() -> list[str]:
    return [
        gettext("Job"),
        gettext("State"),
        gettext("Place"),
        gettext("Team"),
        gettext("Name"),
        gettext("Person"),
        gettext("Project"),
        gettext("Pool"),
        gettext("Partition"),
        gettext("Nodes"),
        gettext("NPU"),
        gettext("own NPU"),
        gettext("borrowed NPU"),
        gettext("time limit (s)"),
        gettext("submitted"),
        gettext("started"),
        pgettext("a time", "ended"),
        gettext("expected start"),
        gettext("Why it waits, or how it ended"),
    ]


def rows_for(user: User, jobs: Iterable[Job], *, now: datetime) -> list[Row]:
    """Two queries, whatever the number of jobs. Call with people selected."""
    jobs = list(jobs)
    told = {job.pk: reasons.told(job, now=now) for job in jobs}
    linked = visible_among(user, {number for each in told.values() for number in each.jobs})
    nodes = nodes_of(jobs)
    return [
        Row(
            job=job,
            now=now,
            seen=user.may(May.SEE, job.team),
            mine=job.user_id == user.pk,
            told=told[job.pk],
            linked=frozenset(linked),
            nodes=tuple(nodes.get(job.pk, ())),
            steps=frozenset(step.value for step in steps_for(user, job)),
        )
        for job in jobs
    ]


def sections(rows: Iterable[Row]) -> list[Section]:
    grouped = groupby(rows, key=lambda row: GROUP_OF[State(row.job.state)])
    return [Section(group=group, rows=tuple(found)) for group, found in grouped]
