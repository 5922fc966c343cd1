"""Who is there: passwords by allauth, tokens for scripts."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from rest_framework import authentication, exceptions, permissions
from rest_framework.request import Request

from accounting.models import Token, User
from accounting.services import tokens


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """People are made by the organisation, not by themselves."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer npu_…`"""

    keyword = "Bearer"

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        words = authentication.get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise exceptions.AuthenticationFailed(_("The Authorization header must be “Bearer” and one token."))
        token = tokens.owner_of(words[1].decode("latin-1"))
        if token is None:
            raise exceptions.AuthenticationFailed(_("This token is unknown, expired or revoked."))
        if token.scope == Token.Scope.READ and request.method not in permissions.SAFE_METHODS:
            raise exceptions.PermissionDenied(_("This token may only read."))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return self.keyword


class SessionAuthentication(authentication.SessionAuthentication):
    """For the API's own page; asks for the CSRF token as forms do."""

    def authenticate_header(self, request: Request) -> str:
        return TokenAuthentication.keyword
