"""The queue: where am I, and why?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import cast

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from accounting.exports import csv_bytes
from accounting.models import Team, User
from npu_inventory.models import Partition, Pool
from portal.kit import clock
from portal.kit.errors import Invalid
from portal.kit.http import PortalRequest, render_part
from scheduling import tables
from scheduling.filters import GROUP_LABELS, SOURCE_LABELS, QueueFilter
from scheduling.models import Job
from scheduling.queries import cancelling
from scheduling.queries.present import Figures, Present, figures, look
from scheduling.queries.queue import Listing, Scope, Tallies, in_scope, next_of, tallies
from scheduling.services import jobs
from scheduling.texts import standing as words
from scheduling.views.steps import answered

PAGE_SIZE = 50
MOST_IN_A_FILE = 20_000
TEMPLATE, PART = "scheduling/queue.html", "live"


@login_required
@require_GET
def queue(request: PortalRequest) -> HttpResponse:
    """For everybody signed in; of other teams' jobs each sees what `tables.Row` says."""
    if request.GET.get("format") == "csv":
        return _file(request)
    return render_part(request, TEMPLATE, PART, _page(request.user, request.GET, look(request.user)).context())


@login_required
@require_GET
def queue_rows(request: PortalRequest) -> HttpResponse:
    """The same part for the page's poll; nothing when it would say what `seen` says. Cheapest where nothing has changed
    anywhere: then no row is read."""
    query = request.GET.copy()
    seen = query.pop("seen", [""])[-1]
    request.GET = query  # type: ignore[assignment]  # links of the part shall not carry what was seen
    present = look(request.user)
    if seen.startswith(present.pulse(clock.now())):
        return HttpResponse(status=204)
    page = _page(request.user, query, present)
    if seen.endswith(page.fingerprint):
        return HttpResponse(status=204)
    return render(request, f"{TEMPLATE}#{PART}", page.context())


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def queue_cancel(request: PortalRequest) -> HttpResponse:
    """Asked first: what it would do to whom. Sent: it is done, as far as the person may."""
    given = request.POST if request.method == "POST" else request.GET
    numbers = [int(number) for number in given.getlist("job") if number.isdecimal() and len(number) < 19]
    if not numbers:
        raise Invalid(code="no_jobs_chosen", field="job")
    if request.method != "POST":
        return confirm_cancel(request, numbers, action=reverse("queue_cancel"))
    result = jobs.cancel_many(request.user, numbers)
    told = [ngettext("One job is cancelled.", "{n} jobs are cancelled.", len(result.done)).format(n=len(result.done))]
    if result.refused:
        left = ngettext("One could not be.", "{n} could not be.", len(result.refused))
        told.append(left.format(n=len(result.refused)))
    return answered(request, " ".join(told), to=reverse("queue"), tone="warn" if result.refused else "ok")


def confirm_cancel(request: PortalRequest, numbers: Iterable[int], *, action: str) -> HttpResponse:
    plan = cancelling.plan(request.user, numbers, now=clock.now())
    context = {"plan": plan, "action": action, "next": request.GET.get("next", "")}
    return render_part(request, "scheduling/cancel.html", "dialog", context)


@dataclass(frozen=True, kw_only=True)
class QueuePage:
    now: datetime
    pulse: str
    filters: QueueFilter
    tallies: Tallies
    page: Page[Job]
    rows: list[tables.Row]
    next: Job | None
    pool: Pool | None
    figures: Figures
    pools: list[Pool]
    partitions: list[str]
    teams: list[str]

    @property
    def heading(self) -> str:
        return words.heading(self.next, self.figures, submits=bool(self.teams), now=self.now)

    @property
    def lead(self) -> str:
        return words.pool_sentence(self.pool, self.figures) if self.pool else ""

    @property
    def more_filters(self) -> list[dict[str, str]]:
        """Those that a link set and the row of filters has no field for, each with the query without it."""
        given = self.filters.given
        found = []
        for key in ("team", "project", "user", "node", "source"):
            if value := given.get(key):
                rest = given.copy()
                del rest[key]
                label, face = str(self.filters.filters[key].label), str(SOURCE_LABELS.get(value, value))
                found.append(
                    {"key": key, "label": label, "value": value, "face": face, "without": f"?{rest.urlencode()}"}
                )
        return found

    @property
    def seen(self) -> str:
        return self.pulse + self.fingerprint

    @cached_property
    def fingerprint(self) -> str:
        """Changes with whatever the part shows, times apart that go on by themselves."""
        shown = ([row.mark for row in self.rows], self.heading, self.lead, self.page.number, self.tallies)
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:20]

    def context(self) -> dict[str, object]:
        sections = tables.sections(self.rows)
        return {
            "queue": self,
            "page": self.page,
            "groups": [(each, self.tallies.groups[each.group]) for each in sections],
            "scopes": _scopes(self.tallies, self.teams, self.filters.scope_now),
            "states": [(group.value, label) for group, label in GROUP_LABELS.items()],
            "data": self.filters.given,
            "now": self.now,
        }


def _scopes(counted: Tallies, teams: list[str], current: Scope) -> list[dict[str, object]]:
    labels = {Scope.MINE: _("Mine"), Scope.TEAM: teams[0] if len(teams) == 1 else _("My teams"), Scope.ALL: _("All")}
    shown = [scope for scope in Scope if scope is not Scope.TEAM or teams]
    return [
        {"scope": scope.value, "label": labels[scope], "count": counted.scopes[scope], "current": scope is current}
        for scope in shown
    ]


def _page(user: User, query: QueryDict, present: Present) -> QueuePage:
    """`present` was read before anything else: what changes meanwhile gives the next poll another pulse."""
    now = clock.now()
    pulse = present.pulse(now)
    filters = QueueFilter(query, Job.objects.all(), user=user)
    counted, listing = _listing(filters, user, query.get("sort", "place"))
    page: Page[Job] = Paginator[Job](cast(Sequence[Job], listing), PAGE_SIZE).get_page(query.get("page"))
    following = next_of(user)
    doors = list(Partition.objects.select_related("pool").order_by("name"))
    pools = sorted({door.pool for door in doors}, key=str)
    pool = _chosen_pool(pools, query.get("pool", ""), following)
    return QueuePage(
        now=now,
        pulse=pulse,
        filters=filters,
        tallies=counted,
        page=page,
        rows=tables.rows_for(user, page.object_list, now=now),
        next=following,
        pool=pool,
        figures=figures(present, pool),
        pools=pools,
        partitions=list(dict.fromkeys(door.name for door in doors)),
        teams=[str(team) for team in Team.objects.filter(pk__in=list(user.roles_by_team))],
    )


def _listing(filters: QueueFilter, user: User, sort: str) -> tuple[Tallies, Listing]:
    found, scope = filters.found, filters.scope_now
    counted = tallies(found, user=user, scope=scope)
    return counted, Listing(found.filter(in_scope(user, scope)), counted.groups, sort)


def _chosen_pool(pools: list[Pool], name: str, following: Job | None) -> Pool | None:
    """The one that is filtered for, else the one of the person's next job, else the first."""
    by_name = {pool.name: pool for pool in pools}
    if name in by_name:
        return by_name[name]
    waited = next((pool for pool in pools if following and pool.pk == following.pool_id), None)
    return waited or next(iter(pools), None)


def _file(request: PortalRequest) -> HttpResponse:
    now = clock.now()
    __, listing = _listing(QueueFilter(request.GET, Job.objects.all(), user=request.user), request.user, "place")
    rows = (
        row
        for start in range(0, min(len(listing), MOST_IN_A_FILE), 500)
        for row in tables.rows_for(request.user, listing[start : start + 500], now=now)
    )
    content = csv_bytes(tables.columns(), (row.cells() for row in rows))
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="queue-{now:%Y%m%d-%H%M}.csv"'
    return response
