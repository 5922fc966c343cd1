"""Who is in a team and what its usage is booked on. Callers look the team up for somebody who may manage it."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from accounting.models import AccountingEvent, Membership, Project, Team, User
from portal.kit import clock
from portal.kit.access import OVER_TEAM, Role
from portal.kit.errors import Conflict, Invalid, NotFound


@transaction.atomic
def add_member(team: Team, *, username: str, role: str, by: User) -> Membership:
    person = User.objects.filter(username=username.strip(), is_active=True).first()
    if person is None:
        raise Invalid(code="no_such_person", field="username", facts={"username": username})
    try:
        with transaction.atomic():
            membership = Membership.objects.create(team=team, user=person, role=_known(role))
    except IntegrityError:
        raise Conflict(code="member_already", field="username", facts={"person": str(person)}) from None
    _record(team, by=by, what="member_added", about=person.username, role=membership.role)
    return membership


@transaction.atomic
def change_role(team: Team, *, username: str, role: str, by: User) -> Membership:
    membership = _membership(team, username)
    was, membership.role = membership.role, _known(role)
    if was == membership.role:
        return membership
    if was == Role.LEAD:
        _keep_a_lead(team)
    membership.save(update_fields=["role"])
    _record(team, by=by, what="role_changed", about=username, was=was, role=membership.role)
    return membership


@transaction.atomic
def remove_member(team: Team, *, username: str, by: User) -> User:
    """The person's jobs stay the team's and run on."""
    membership = _membership(team, username)
    if membership.role == Role.LEAD:
        _keep_a_lead(team)
    membership.delete()
    _record(team, by=by, what="member_removed", about=username, role=membership.role)
    return membership.user


@transaction.atomic
def add_project(team: Team, *, name: str, by: User) -> Project:
    """Its short name, for scripts and files, follows from the name; a name without Latin letters gets a number."""
    name = name.strip()
    if not name or len(name) > 80:
        raise Invalid(code="project_name", field="name")
    slug = slugify(name)[:40] or f"project-{team.projects.count() + 1}"
    try:
        with transaction.atomic():
            project = Project.objects.create(team=team, name=name, slug=slug)
    except IntegrityError:
        raise Conflict(code="project_exists", field="name", facts={"project": name}) from None
    _record(team, by=by, what="project_added", about=name)
    return project


@transaction.atomic
def archive_project(team: Team, *, slug: str, by: User) -> Project:
    """Nothing new is booked on it; what it used stays in every report."""
    project = _project(team, slug)
    if project.is_default:
        raise Conflict(code="default_project_stays", facts={"project": project.name})
    if Project.objects.filter(pk=project.pk, active=True).update(active=False):
        project.active = False
        _record(team, by=by, what="project_archived", about=project.name)
    return project


@transaction.atomic
def restore_project(team: Team, *, slug: str, by: User) -> Project:
    project = _project(team, slug)
    if Project.objects.filter(pk=project.pk, active=False).update(active=True):
        project.active = True
        _record(team, by=by, what="project_restored", about=project.name)
    return project


def _membership(team: Team, username: str) -> Membership:
    membership = team.memberships.select_related("user").filter(user__username=username).first()
    if membership is None:
        raise NotFound()
    return membership


def _project(team: Team, slug: str) -> Project:
    project = team.projects.filter(slug=slug).first()
    if project is None:
        raise NotFound()
    return project


def _known(role: str) -> str:
    if role not in OVER_TEAM:
        raise Invalid(code="team_role", field="role")
    return role


def _keep_a_lead(team: Team) -> None:
    """Called before a lead goes. The team's row is locked, so that two leads cannot remove each other at once."""
    Team.objects.select_for_update().get(pk=team.pk)
    if team.memberships.filter(role=Role.LEAD).count() < 2:
        raise Conflict(code="last_lead", facts={"team": team.name})


def _record(team: Team, *, by: User, what: str, about: str, **facts: Any) -> None:
    AccountingEvent.objects.create(at=clock.now(), by=by, team=team, what=what, about=about, facts=facts)
