from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from portal.boards import home as board
from portal.boards.teams import team_for
from portal.kit import clock
from portal.kit.access import May
from portal.kit.http import PortalRequest, render_part
from scheduling.queries.jobs import job_for

# What somebody has put aside lives as long as the session: it is about a day's failures, and nobody else's business.
PUT_ASIDE, STEPS_DONE, MOST_ASIDE = "home_put_aside", "home_steps_done", 100


@require_GET
@login_required
def home(request: PortalRequest) -> HttpResponse:
    now = clock.now()
    read = board.read(
        request.user,
        now=now,
        put_aside=request.session.get(PUT_ASIDE, []),
        steps_done=bool(request.session.get(STEPS_DONE)),
    )
    return render_part(request, "portal/home.html", "now", {"home": read, "now": now})


@require_POST
@login_required
def home_put_aside(request: PortalRequest, number: int) -> HttpResponse:
    job = job_for(request.user, number, May.SEE)
    request.session[PUT_ASIDE] = [*request.session.get(PUT_ASIDE, []), job.pk][-MOST_ASIDE:]
    return redirect("home")


@require_POST
@login_required
def home_steps(request: PortalRequest) -> HttpResponse:
    """The third step, or the wish to see them no more."""
    request.session[STEPS_DONE] = True
    slug = request.POST.get("team")
    return redirect("team", team_for(request.user, slug).slug) if slug else redirect("home")
