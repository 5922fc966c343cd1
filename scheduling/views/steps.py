"""How a step with jobs is answered: by a toast for htmx, whose pages then renew themselves, else by a message and a page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.http import trigger_client_event

from portal.kit.http import PortalRequest

CHANGED = "jobs-changed"  # the live parts of queue and job listen to it


def answered(request: PortalRequest, text: str, *, to: str, tone: str = "ok") -> HttpResponse:
    if request.htmx:
        response = trigger_client_event(HttpResponse(status=204), "toast", {"text": text, "tone": tone})
        return trigger_client_event(response, CHANGED, {})
    messages.add_message(request, messages.SUCCESS if tone == "ok" else messages.WARNING, text)
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return redirect(wanted if ours else to)
