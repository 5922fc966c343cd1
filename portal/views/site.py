"""What all pages share: their context, the sentence of a refusal, sign-in, language, the error pages."""

from __future__ import annotations

from typing import Any

import structlog
from allauth.account.adapter import get_adapter
from allauth.account.forms import LoginForm
from allauth.account.views import LoginView
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounting.models import User
from portal.kit.api import of_portal_error
from portal.kit.errors import Fault, NotFound, PortalError
from scheduling.texts import refusal

API = "/api/"


def site_context(request: HttpRequest) -> dict[str, Any]:
    return {"demo": settings.DEMO, "currency": settings.CURRENCY_SIGN}


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)


class SignIn(LoginView):  # type: ignore[misc]  # allauth has no types
    """allauth's: limits failed tries, rotates the session. In the demo its people are offered, each by one click."""

    template_name = "account/login.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        people = settings.DEMO_PEOPLE if settings.DEMO else []
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"people": people, "demo_password": settings.DEMO_PASSWORD if people else ""}

    def form_valid(self, form: LoginForm) -> HttpResponse:
        """One who has left gets the answer of a wrong password; allauth would lead to a page that is not mounted."""
        answer: HttpResponse
        if form.user.is_active:
            answer = super().form_valid(form)
        else:
            form.add_error(None, get_adapter().validation_error("username_password_mismatch"))
            answer = self.form_invalid(form)
        return answer


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Kept on the person; for one who is not signed in by a cookie."""
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure()):
        back = "/"
    response = redirect(back)
    code = request.POST.get("language", "")
    if code not in dict(settings.LANGUAGES):
        return response
    translation.activate(code)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=365 * 86_400,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(language=code)
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A page that helps; for a script the one shape that all refusals of the API have."""
    if request.path.startswith(API):
        return _for_a_script(NotFound())
    return render(request, "404.html", status=404)


def _for_a_script(error: PortalError) -> JsonResponse:
    return JsonResponse(of_portal_error(error, refusal(error)), status=error.status)


def server_error(request: HttpRequest) -> HttpResponse:
    """A fault of ours. Its id is in the log beside the trace, and in a header for the toast of a live part."""
    error_id = structlog.contextvars.get_contextvars().get("request_id", "")
    if request.path.startswith(API):
        response: HttpResponse = _for_a_script(Fault(facts={"error": error_id}))
    else:
        response = render(request, "500.html", {"error_id": error_id}, status=500)
    response["X-Request-ID"] = error_id
    return response


@require_GET
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """For a proxy or a supervisor: this process answers and its database does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain")
