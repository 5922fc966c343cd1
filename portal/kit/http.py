"""Requests as views see them, and the one answer to "page or part?"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

if TYPE_CHECKING:
    from django.contrib.auth.models import _User  # the checker's name for the project's own user model


class PortalRequest(HttpRequest):
    """After `login_required`: somebody is signed in."""

    user: _User
    htmx: HtmxDetails


def render_part(
    request: HttpRequest,
    page: str,
    part: str,
    context: Mapping[str, Any] | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """The page, or only its named part where htmx asks for a part (and neither boosts a link nor restores history)."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # set by django-htmx's middleware
    partial = htmx and not htmx.boosted and not htmx.history_restore_request
    response = render(request, f"{page}#{part}" if partial else page, dict(context or {}), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response
