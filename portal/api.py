"""The REST API's root: its addresses, its errors, its document."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response

from portal.kit.api import one_error_shape
from portal.views import refusal_text


def on_error(error: Exception, context: dict[str, Any]) -> Response | None:
    return one_error_shape(error, context, sentence=refusal_text)
