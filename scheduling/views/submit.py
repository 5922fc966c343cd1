from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from portal.kit.access import May
from portal.kit.errors import NotAllowed, NotFound, PortalError
from portal.kit.http import PortalRequest, render_part
from scheduling.forms.repairs import repaired
from scheduling.forms.submit import FORM, SCRIPT, SubmitForm, opened, reopened
from scheduling.models import Job
from scheduling.queries.jobs import job_for
from scheduling.services import jobs, presets
from scheduling.views.submit_panel import Panel, panel_of, refusal

PAGE = "scheduling/submit.html"
PANEL = "panel"
UNREAD = {"script", "command", "upload"}  # a field in error: what was sent is not known in full, nothing is made of it


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: PortalRequest) -> HttpResponse:
    """Whoever may submit for a team; others are told that they may not."""
    if request.method != "POST":
        return _open(request)
    return _send(request, _sent(request))


def _sent(request: PortalRequest) -> SubmitForm:
    form = SubmitForm(request.POST, request.FILES, user=request.user)
    if not form.teams:
        raise NotAllowed(code="may_submit_nowhere")
    return form


def _open(request: PortalRequest) -> HttpResponse:
    slug, number = request.GET.get("preset"), request.GET.get("from")
    job = _job(request, number) if number else None
    text = job.script if job else presets.preset(slug).script if slug else presets.OPENING.script
    form = opened(request.user, text=text, job=job)
    return _page(request, form, first=True, fresh=not slug and job is None)


def _send(request: PortalRequest, form: SubmitForm) -> HttpResponse:
    if form.is_valid():
        try:
            job, made = _submit(request, form)
        except PortalError as error:
            form.add_error(None, refusal(error))
        else:
            return _to_job(request, job, made=made)
    return _page(request, form, status=422)


def _submit(request: PortalRequest, form: SubmitForm) -> tuple[Job, bool]:
    data, key, digest = form.cleaned_data, *form.once()
    origin = _job(request, str(data["resubmit_of"])) if data["resubmit_of"] else None
    panel = panel_of(request.user, form)
    return jobs.submit_once(
        request.user,
        key=key,
        digest=digest,
        make=lambda: jobs.submit(
            request.user,
            team=data["team"],
            project=data["project"],
            reading=panel.reading,
            own_only=data["own"],
            resubmit_of=origin,
        ),
    )


def _to_job(request: PortalRequest, job: Job, *, made: bool) -> HttpResponse:
    told = gettext("Job %(job)s is in the queue.") if made else gettext("This was submitted already, as job %(job)s.")
    messages.success(request, told % {"job": job.pk})
    return HttpResponseClientRedirect(f"/jobs/{job.pk}/") if request.htmx else redirect("job", number=job.pk)


@login_required
@require_POST
def submit_preview(request: PortalRequest) -> HttpResponse:
    """What the script would mean. Also takes an upload, a repair, and the change between script and form."""
    form = _sent(request)
    if not form.is_valid() and UNREAD & set(form.errors):
        return _page(request, form, status=422)
    changed = _changed(request, form)
    if changed is None:
        return _page(request, form, part=PANEL if request.htmx.target == PANEL else "form")
    return _page(request, changed)


def _changed(request: PortalRequest, form: SubmitForm) -> SubmitForm | None:
    """None where the script and the way to edit it stay as they are."""
    mode, text = form.cleaned_data["mode"], form.sent
    number = request.POST.get("repair", "")
    if number.isdecimal():
        findings = panel_of(request.user, form).reading.findings
        text = repaired(text, findings[int(number)]) if int(number) < len(findings) else text
    to = request.POST.get("to")
    mode = to if to in (SCRIPT, FORM) else mode
    if number or to or form.cleaned_data.get("upload") is not None:
        return reopened(form, user=request.user, text=text, mode=mode)
    return None


@login_required
@require_GET
def preset(request: HttpRequest, slug: str) -> HttpResponse:
    """A preset as it is, for the editor or for a file. Presets are the same for everybody who is signed in."""
    return HttpResponse(presets.preset(slug).script, content_type="text/plain; charset=utf-8")


def _job(request: PortalRequest, number: str) -> Job:
    if not number.isdecimal() or len(number) > 15:
        raise NotFound()
    return job_for(request.user, int(number), May.SEE)


def _page(
    request: PortalRequest,
    form: SubmitForm,
    *,
    part: str = "form",
    first: bool = False,
    fresh: bool = False,
    status: int = 200,
) -> HttpResponse:
    """`first`: the page is shown at once and asks for the rest by itself, since that takes a look at the whole pool."""
    form.is_valid()
    panel: Panel | None = panel_of(request.user, form, reckon=not first) if form.teams else None
    context = {"form": form, "panel": panel, "presets": presets.PRESETS, "first": first, "fresh": fresh}
    return render_part(request, PAGE, part, context, status=status)
