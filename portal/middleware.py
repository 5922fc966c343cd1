"""What every request passes: the person's language and zone, and refusals turned into pages that teach."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django_htmx.http import trigger_client_event

from portal.kit.errors import PortalError
from scheduling.texts import refusal

Handler = Callable[[HttpRequest], HttpResponse]


class PersonMiddleware:
    """A signed-in person's own language and time zone win over the browser's."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if user.is_authenticated and user.language:
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language() or user.language
        zone = user.time_zone if user.is_authenticated and user.time_zone else settings.ORGANISATION_TIME_ZONE
        with timezone.override(ZoneInfo(zone)):
            return self.get_response(request)


class RefusalMiddleware:
    """A `PortalError` out of a view: a page with its sentence, or for htmx a toast that leaves the page as it was."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, PortalError):
            return None
        text = refusal(error)
        if getattr(request, "htmx", False):
            response = HttpResponse(status=error.status)
            response["HX-Reswap"] = "none"
            return trigger_client_event(response, "toast", {"text": text, "tone": "bad"})
        template = "404.html" if error.status == 404 else "refusal.html"
        return render(request, template, {"error": error, "text": text}, status=error.status)
