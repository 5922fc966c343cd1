"""Finds jobs, teams, people, nodes and pages, each only as far as this person may see them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.models import Team, User
from npu_inventory.models import Node
from portal.boards.quotas import queue_url
from portal.kit.access import May
from scheduling.models import Job, State

PAGES: tuple[tuple[str, str | Promise, str], ...] = (
    ("home", gettext_lazy("Home"), "home"),
    ("submit", gettext_lazy("Submit a job"), "plus"),
    ("queue", gettext_lazy("Queue"), "list-details"),
    ("teams", gettext_lazy("All teams"), "users"),
    ("clusters", gettext_lazy("Clusters"), "server-2"),
    ("profile", gettext_lazy("Profile and tokens"), "user"),
    ("api_docs", gettext_lazy("API"), "api"),
)
LONGEST = 100
MAX_NUMBER = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    url: str
    title: str
    note: str = ""
    icon: str = "arrow-right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    label: str
    hits: list[Hit]
    more_url: str = ""
    """Where all of them are, not only the first."""


def find(user: User, text: str, *, most: int) -> list[Group]:
    """At most `most` of each kind; groups without a hit are left out."""
    text = text.strip().lstrip("#")[:LONGEST].replace("\x00", "")
    if not text:
        return []
    groups = [
        Group(label=_("Jobs"), hits=_jobs(user, text, most), more_url=queue_url(scope="all", state="all", text=text)),
        Group(label=_("Teams"), hits=_teams(text, most)),
        Group(label=_("People"), hits=_people(user, text, most)),
        Group(label=_("Cluster nodes"), hits=_nodes(text, most)),
        Group(label=_("Pages of the portal"), hits=_pages(text)),
    ]
    return [group for group in groups if group.hits]


def _jobs(user: User, text: str, most: int) -> list[Hit]:
    wanted = Q(name__icontains=text)
    if text.isdecimal() and int(text) <= MAX_NUMBER:
        wanted |= Q(pk=int(text))
    jobs = Job.objects.where(user, May.SEE).filter(wanted).select_related("team").order_by("-id")[:most]
    return [
        Hit(
            url=reverse("job", args=[job.pk]),
            title=f"{job.pk} {job.name}",
            note=f"{State(job.state).label} · {job.team.name}",
            icon="stack-2",
        )
        for job in jobs
    ]


def _teams(text: str, most: int) -> list[Hit]:
    teams = Team.objects.filter(Q(name__icontains=text) | Q(slug__icontains=text), active=True)[:most]
    return [Hit(url=reverse("team", args=[team.slug]), title=team.name, icon="users") for team in teams]


def _people(user: User, text: str, most: int) -> list[Hit]:
    """Of the teams whose people this person may know; the hit leads to the row in the team."""
    teams = Team.objects.where(user, May.SEE_USAGE).filter(active=True)
    people = User.objects.filter(memberships__team__in=teams, is_active=True).filter(
        Q(name__icontains=text) | Q(username__icontains=text)
    )
    found: dict[int, Hit] = {}
    for person in people.values_list("pk", "username", "name", "memberships__team__slug", "memberships__team__name")[
        : 4 * most
    ]:
        key, username, name, slug, team = person
        url = f"{reverse('team', args=[slug])}#member-{username}"
        found.setdefault(key, Hit(url=url, title=name or username, note=team, icon="user"))
    return list(found.values())[:most]


def _nodes(text: str, most: int) -> list[Hit]:
    nodes = Node.objects.filter(name__icontains=text, cluster__enabled=True).select_related("cluster")[:most]
    return [
        Hit(
            url=reverse("node", args=[node.cluster.name, node.name]),
            title=node.name,
            note=str(node.cluster),
            icon="server-2",
        )
        for node in nodes
    ]


def _pages(text: str) -> list[Hit]:
    hits = []
    for route, word, icon in PAGES:
        if text.casefold() not in str(word).casefold():
            continue
        try:
            hits.append(Hit(url=reverse(route), title=str(word), icon=icon))
        except NoReverseMatch:
            continue
    return hits
