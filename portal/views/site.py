"""What all pages share: their context, the sentence of a refusal, the error pages."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

import accounting.texts
import scheduling.texts
from portal.kit.errors import PortalError


def site_context(request: HttpRequest) -> dict[str, Any]:
    return {"demo": settings.DEMO, "currency": settings.CURRENCY_SIGN}


def refusal_text(error: PortalError) -> str:
    """In the reader's language; every code has a sentence (a test walks them)."""
    if error.message:
        return error.message
    sentence = {**accounting.texts.REFUSALS, **scheduling.texts.REFUSALS}[error.code]
    return str(sentence) % error.facts if error.facts else str(sentence)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)
