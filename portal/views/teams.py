from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounting import exports
from accounting.forms import MemberForm, ProjectForm, RoleForm
from accounting.models import Team
from accounting.services import teams as service
from portal.boards import teams as board
from portal.boards.teams import team_for
from portal.boards.usage import PERIODS, team_usage
from portal.kit import clock
from portal.kit.access import May
from portal.kit.errors import Invalid, NotFound, PortalError
from portal.kit.http import PortalRequest, render_part
from scheduling.texts import refusal


@require_GET
@login_required
def teams(request: PortalRequest) -> HttpResponse:
    return render(request, "portal/teams.html", {"page": board.all_teams(request.user), "nav": "team"})


@require_GET
@login_required
def my_team(request: PortalRequest) -> HttpResponse:
    """Where the section "Team" leads: to the own one, or to the list for who has none."""
    first = Team.objects.filter(members=request.user, active=True).first()
    return redirect("team", first.slug) if first else redirect("teams")


@require_GET
@login_required
def team(request: PortalRequest, slug: str) -> HttpResponse:
    return _page(request, team_for(request.user, slug))


@require_GET
@login_required
def team_usage_csv(request: PortalRequest, slug: str) -> HttpResponse:
    found = team_for(request.user, slug, May.SEE_USAGE)
    period, by = request.GET.get("period", "week"), request.GET.get("by", "project")
    if period not in PERIODS or by not in ("project", "person"):
        raise NotFound()
    usage = team_usage(found, period, now=clock.now())
    content = exports.usage_csv(
        usage.by_project if by == "project" else usage.by_person,
        first_column=_("Project") if by == "project" else _("Person"),
        with_cost=request.user.may(May.SEE_MONEY, found),
        currency=settings.CURRENCY_SIGN,
    )
    name = f"{found.slug}-{period}-{usage.period.first_day}-by-{by}.csv"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=disposition)


@require_POST
@login_required
def member_add(request: PortalRequest, slug: str) -> HttpResponse:
    found = team_for(request.user, slug, May.MANAGE)
    form = MemberForm(request.POST)
    if _done(form, lambda data: service.add_member(found, **data, by=request.user)):
        messages.success(request, _("Added to the team."))
        return redirect("team", found.slug)
    return _page(request, found, member_form=form)


@require_POST
@login_required
def member_role(request: PortalRequest, slug: str) -> HttpResponse:
    found = team_for(request.user, slug, May.MANAGE)
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Invalid(code="team_role")
    service.change_role(found, **form.cleaned_data, by=request.user)
    messages.success(request, _("The role is changed."))
    return redirect("team", found.slug)


@require_POST
@login_required
def member_remove(request: PortalRequest, slug: str, username: str) -> HttpResponse:
    found = team_for(request.user, slug, May.MANAGE)
    person = service.remove_member(found, username=username, by=request.user)
    messages.success(request, _("{person} is no longer in {team}.").format(person=person, team=found))
    return redirect("team", found.slug)


@require_POST
@login_required
def project_add(request: PortalRequest, slug: str) -> HttpResponse:
    found = team_for(request.user, slug, May.MANAGE)
    form = ProjectForm(request.POST)
    if _done(form, lambda data: service.add_project(found, **data, by=request.user)):
        messages.success(request, _("The project is there; jobs can be booked on it now."))
        return redirect("team", found.slug)
    return _page(request, found, project_form=form)


@require_POST
@login_required
def project_archive(request: PortalRequest, slug: str, project: str) -> HttpResponse:
    found = team_for(request.user, slug, May.MANAGE)
    service.archive_project(found, slug=project, by=request.user)
    messages.success(request, _("Archived. Its usage stays in the reports; it can be restored below."))
    return redirect("team", found.slug)


@require_POST
@login_required
def project_restore(request: PortalRequest, slug: str, project: str) -> HttpResponse:
    found = team_for(request.user, slug, May.MANAGE)
    service.restore_project(found, slug=project, by=request.user)
    messages.success(request, _("Restored; jobs can be booked on it again."))
    return redirect("team", found.slug)


def _page(request: PortalRequest, found: Team, **bound: forms.Form) -> HttpResponse:
    """With a form that was refused it opens on that form, filled as it was sent."""
    period = request.GET.get("period", "week")
    page = board.team_page(request.user, found, period=period if period in PERIODS else "week", now=clock.now())
    context = {"page": page, "team": found, "member_form": MemberForm(), "project_form": ProjectForm()} | bound
    return render_part(request, "portal/team.html", "usage", context, status=422 if bound else 200)


def _done(form: forms.Form, step: Callable[[dict[str, Any]], object]) -> bool:
    """Takes the step if the form is right; what the step refuses at a field becomes that field's error."""
    if not form.is_valid():
        return False
    try:
        step(form.cleaned_data)
    except PortalError as error:
        form.add_error(error.field if error.field in form.fields else None, refusal(error))
        return False
    return True
