"""Which jobs: one set of filters for the queue page and the API."""

from __future__ import annotations

from typing import Any, cast

import django_filters
from django.db.models import Exists, OuterRef, Q
from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from accounting.models import User
from portal.kit.access import May
from scheduling.models import Allocation, Job, State
from scheduling.models.job import JobQuerySet
from scheduling.queries.queue import STATES, Group, Scope, in_scope

GROUP_LABELS = {Group.WAITING: _("waiting"), Group.RUNNING: _("running"), Group.ENDED: _("ended")}
SCOPE_LABELS = {Scope.MINE: _("mine"), Scope.TEAM: _("my teams"), Scope.ALL: _("all")}
SOURCE_LABELS = {"own": _("own"), "borrowed": _("borrowed")}


class JobFilter(django_filters.FilterSet):
    """`state` takes states and the groups waiting, running, ended; several may be given.

    Names, people and projects of others' jobs are not to be found by guessing: a filter on them looks only at jobs that
    the person may see.
    """

    scope = django_filters.ChoiceFilter(choices=list(SCOPE_LABELS.items()), method="by_scope")
    state = django_filters.MultipleChoiceFilter(
        choices=[*GROUP_LABELS.items(), *State.choices], method="by_state", label=_("State")
    )
    pool = django_filters.CharFilter(field_name="pool__name", label=_("Pool"))
    partition = django_filters.CharFilter(field_name="partition__name", label=_("Partition"))
    team = django_filters.CharFilter(field_name="team__slug", label=_("Team"))
    project = django_filters.CharFilter(method="by_project", label=_("Project"))
    user = django_filters.CharFilter(method="by_user", label=_("Person"))
    node = django_filters.CharFilter(method="by_node", label=_("Node"))
    source = django_filters.ChoiceFilter(choices=list(SOURCE_LABELS.items()), method="by_source", label=_("Source"))
    text = django_filters.CharFilter(method="by_text", label=_("Name, number or person"))

    class Meta:
        model = Job
        fields: tuple[str, ...] = ()

    def __init__(self, data: QueryDict, queryset: JobQuerySet, *, user: User, **kwargs: Any) -> None:
        super().__init__(data, queryset, **kwargs)
        self.given = data
        self.person = user

    @cached_property
    def seen(self) -> Q:
        """The jobs of which this person sees everything."""
        if self.person.may_at_centre(May.SEE):
            return Q()
        return Q(pk__in=Job.objects.where(self.person, May.SEE).values("pk"))

    def by_scope(self, jobs: JobQuerySet, name: str, scope: str) -> JobQuerySet:
        return jobs.filter(in_scope(self.person, Scope(scope)))

    def by_state(self, jobs: JobQuerySet, name: str, wanted: list[str]) -> JobQuerySet:
        states: set[str] = set()
        for word in wanted:
            states |= STATES[Group(word)] if word in GROUP_LABELS else {word}
        return jobs.filter(state__in=states) if states else jobs

    def by_project(self, jobs: JobQuerySet, name: str, slug: str) -> JobQuerySet:
        return jobs.filter(self.seen, project__slug=slug)

    def by_user(self, jobs: JobQuerySet, name: str, username: str) -> JobQuerySet:
        return jobs.filter(self.seen, user__username=username)

    def by_node(self, jobs: JobQuerySet, name: str, node: str) -> JobQuerySet:
        held = Allocation.objects.held().filter(run__job=OuterRef("pk"), node__name=node)
        return jobs.filter(Exists(held))

    def by_source(self, jobs: JobQuerySet, name: str, source: str) -> JobQuerySet:
        if source == "own":
            return jobs.filter(on_own__gt=0)
        return jobs.filter(Q(on_elastic__gt=0) | Q(on_borrowed__gt=0))

    def by_text(self, jobs: JobQuerySet, name: str, text: str) -> JobQuerySet:
        found = self.seen & (
            Q(name__icontains=text) | Q(user__username__icontains=text) | Q(user__name__icontains=text)
        )
        if text.isascii() and text.isdigit() and len(text) < 19:
            found |= Q(pk=int(text))
        return jobs.filter(found)


class QueueFilter(JobFilter):
    """As the page has it: what waits and runs, unless ended jobs are asked for."""

    ALL = "all"
    state = django_filters.MultipleChoiceFilter(
        choices=[*GROUP_LABELS.items(), (ALL, _("all")), *State.choices], method="by_state", label=_("State")
    )

    @cached_property
    def scope_now(self) -> Scope:
        given = self.given.get("scope")
        return Scope(given) if given in SCOPE_LABELS else Scope.ALL

    def by_state(self, jobs: JobQuerySet, name: str, wanted: list[str]) -> JobQuerySet:
        if self.ALL in wanted:
            return jobs
        return super().by_state(jobs, name, wanted or [Group.WAITING, Group.RUNNING])

    @property
    def found(self) -> JobQuerySet:
        """By everything but the scope: the page counts all of them."""
        jobs: Any = self.queryset
        self.is_valid()  # fills cleaned_data with what is valid; the rest filters nothing
        wanted = self.form.cleaned_data
        for name, each in self.filters.items():
            if name == "state":
                jobs = self.by_state(jobs, name, wanted.get(name) or [])
            elif name != "scope":
                jobs = each.filter(jobs, wanted.get(name))
        return cast(JobQuerySet, jobs)
