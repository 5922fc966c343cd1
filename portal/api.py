"""The REST API's root: its addresses, its errors and its document. The page that shows it is `views.api_page`."""

from __future__ import annotations

from typing import Any

from django.urls import include, path
from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from portal.kit.api import one_error_shape
from portal.views import api_page
from scheduling.texts import refusal


def on_error(error: Exception, context: dict[str, Any]) -> Response | None:
    return one_error_shape(error, context, sentence=refusal)


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself, untyped
    target_class = "portal.identity.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token made on the profile page."}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself, untyped
    target_class = "portal.identity.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "portal_session"}


class MeShape(serializers.Serializer[Any]):
    username = serializers.CharField()
    name = serializers.CharField()
    teams = serializers.DictField(child=serializers.CharField(), help_text=_("Role by the team's short name"))
    roles = serializers.ListField(child=serializers.CharField(), help_text=_("Over the centre"))


class Me(APIView):
    @extend_schema(operation_id="me", summary=_("Who the token belongs to: the first thing to try"), responses=MeShape)
    def get(self, request: Request) -> Response:
        user: Any = request.user
        return Response(
            {
                "username": user.username,
                "name": str(user),
                "teams": {m.team.slug: m.role for m in user.memberships.select_related("team")},
                "roles": sorted(user.centre_roles),
            }
        )


class Document(SpectacularAPIView):
    """OpenAPI, for anybody who is signed in or has a token."""

    permission_classes = [permissions.IsAuthenticated]


urlpatterns = [
    path("v1/me", Me.as_view(), name="api_me"),
    path("v1/", include("scheduling.api.urls")),
    path("v1/", include("accounting.api.urls")),
    path("v1/openapi", Document.as_view(), name="api_document"),
    path("docs", api_page.api_page, name="api_docs"),
]
