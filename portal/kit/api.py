"""The REST API's habits: one error shape, one way to page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.pagination import PageNumberPagination
from rest_framework.response import Response
from rest_framework.views import exception_handler

from portal.kit.errors import Invalid, PortalError


class Pages(PageNumberPagination):
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 500


def one_error_shape(
    error: Exception, context: dict[str, Any], *, sentence: Callable[[PortalError], str]
) -> Response | None:
    """`{code, message, fields, findings}` for every refusal, whoever raised it. Anything else is a fault of ours: 500.

    `sentence` puts a `PortalError` into words: the site knows them, the kit does not.
    """
    if isinstance(error, PortalError):
        return Response(of_portal_error(error, sentence(error)), status=error.status)
    response = exception_handler(error, context)
    if response is None:
        return None
    code, message, fields = "error", "", {}
    match error:
        case exceptions.ValidationError():
            code, response.status_code = "invalid", status.HTTP_422_UNPROCESSABLE_ENTITY
            fields = _field_errors(error.detail)
            message = "; ".join(f"{name}: {' '.join(texts)}" for name, texts in fields.items())
        case exceptions.APIException():
            code = {"not_authenticated": "not_signed_in", "authentication_failed": "bad_token"}.get(
                error.default_code, error.default_code
            )
            message = str(error.detail)
        case Http404():
            code, message = "not_found", str(response.data["detail"])
        case PermissionDenied():
            code, message = "not_allowed", str(response.data["detail"])
    response.data = {"code": code, "message": message, "fields": fields, "findings": []}
    return response


def of_portal_error(error: PortalError, message: str) -> dict[str, Any]:
    findings = [dict(finding) for finding in error.findings] if isinstance(error, Invalid) else []
    return {
        "code": error.code,
        "message": message,
        "fields": {error.field: [message]} if error.field else {},
        "findings": findings,
    }


def _field_errors(detail: Any) -> dict[str, list[str]]:
    if isinstance(detail, dict):
        return {str(name): [str(text) for text in _flat(texts)] for name, texts in detail.items()}
    return {"non_field_errors": [str(text) for text in _flat(detail)]}


def _flat(detail: Any) -> list[Any]:
    if isinstance(detail, dict):
        return [text for texts in detail.values() for text in _flat(texts)]
    if isinstance(detail, list):
        return [text for entry in detail for text in _flat(entry)]
    return [detail]
