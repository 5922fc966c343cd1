from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.forms import BaseForm
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounting.forms import ProfileForm, TokenForm, time_zones
from accounting.models import User
from accounting.services import tokens
from portal.kit import clock
from portal.kit.errors import NotAllowed
from portal.kit.http import PortalRequest


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def profile(request: PortalRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request)
    # A copy: what a refused form has put on it must not show in the page's head.
    form = ProfileForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _page(request, status=422, profile_form=form)
    user = form.save()
    if user.language:
        translation.activate(user.language)
    messages.success(request, _("Saved."))
    return redirect("profile")


@sensitive_post_parameters()
@require_POST
@login_required
def profile_password(request: PortalRequest) -> HttpResponse:
    if settings.DEMO:
        raise NotAllowed(code="demo_password")
    form = PasswordChangeForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, status=422, password_form=form)
    update_session_auth_hash(request, form.save())
    messages.success(request, _("The password is changed. Other browsers of yours are signed out."))
    return redirect("profile")


@require_POST
@login_required
def token_make(request: PortalRequest) -> HttpResponse:
    """Answers with the page instead of a redirect: the key is shown in this one answer and kept nowhere."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, status=422, token_form=form)
    data = form.cleaned_data
    token, key = tokens.make(request.user, name=data["name"], scope=data["scope"], expires_at=data["expires_at"])
    return _page(request, made=token, key=key)


@require_POST
@login_required
def token_revoke(request: PortalRequest, token: int) -> HttpResponse:
    tokens.revoke(request.user, token)
    messages.success(request, _("Revoked. Scripts that use it are refused from now on."))
    return redirect("profile")


@never_cache
def _page(request: PortalRequest, *, status: int = 200, **given: Any) -> HttpResponse:
    context: dict[str, Any] = {
        "tokens": request.user.tokens.filter(revoked_at__isnull=True),
        "memberships": request.user.memberships.select_related("team"),
        "now": clock.now(),
        "time_zones": time_zones(),
        "organisation_time_zone": settings.ORGANISATION_TIME_ZONE,
    }
    for name, make in _FORMS.items():
        context[name] = given.pop(name, None) or make(request.user)
    return render(request, "accounting/profile.html", context | given, status=status)


_FORMS: dict[str, Callable[[User], BaseForm]] = {
    "profile_form": lambda user: ProfileForm(instance=user),
    "password_form": PasswordChangeForm,
    "token_form": lambda user: TokenForm(),
}
