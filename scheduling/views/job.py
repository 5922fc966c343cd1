"""One job: why it waits, how it runs, what it says, what it costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from portal.kit.access import May
from portal.kit.http import PortalRequest
from scheduling.models import Job
from scheduling.queries.jobs import job_for
from scheduling.services import jobs
from scheduling.views.job_page import read
from scheduling.views.queue import confirm_cancel
from scheduling.views.steps import answered

STOP_POLLING = 286  # htmx swaps the answer in and asks no more


@login_required
@require_GET
def job(request: PortalRequest, number: int) -> HttpResponse:
    """For those who may see it. Its live part asks with what it has `seen`."""
    found = job_for(request.user, number, May.SEE)
    query = request.GET.copy()
    seen = query.pop("seen", [""])[-1]
    page = read(request.user, found, query)
    if not request.htmx:
        return render(request, "scheduling/job.html", page.context())
    if seen == page.fingerprint:
        return HttpResponse(status=204)
    return render(request, "scheduling/job.html#live", page.context(), status=STOP_POLLING if found.is_ended else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def job_cancel(request: PortalRequest, number: int) -> HttpResponse:
    """Asked first: what would be lost. Sent: it is cancelled."""
    found = job_for(request.user, number, May.OPERATE)
    if request.method != "POST":
        return confirm_cancel(request, [number], action=reverse("job_cancel", args=[number]))
    done = jobs.cancel(found, by=request.user)
    text = _("Job {job} is cancelled.") if done.is_ended else _("Job {job} is asked to stop.")
    return answered(request, text.format(job=number), to=reverse("job", args=[number]))


@login_required
@require_POST
def job_hold(request: PortalRequest, number: int) -> HttpResponse:
    return _step(request, number, jobs.hold, _("Job {job} is held; release it to queue it again."))


@login_required
@require_POST
def job_release(request: PortalRequest, number: int) -> HttpResponse:
    return _step(request, number, jobs.release, _("Job {job} is queued again."))


def _step(request: PortalRequest, number: int, step: Callable[..., Job], text: str) -> HttpResponse:
    found = job_for(request.user, number, May.OPERATE)
    partial(step, found)(by=request.user)
    return answered(request, text.format(job=number), to=reverse("job", args=[number]))


@login_required
@require_GET
def job_resubmit(request: PortalRequest, number: int) -> HttpResponse:
    """To the submit page, filled with this job."""
    found = job_for(request.user, number, May.SEE)
    return redirect(f"{reverse('submit')}?from={found.pk}")
