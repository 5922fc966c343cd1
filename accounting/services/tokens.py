"""Keys for scripts."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from accounting.models import AccountingEvent, Token, User
from portal.kit import clock
from portal.kit.errors import Invalid, NotFound

PREFIX = "npu_"
USED_PRECISION = timedelta(minutes=1)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


@transaction.atomic
def make(
    user: User, *, name: str, scope: str = Token.Scope.WRITE, expires_at: datetime | None = None, by: User | None = None
) -> tuple[Token, str]:
    """The row and the key itself, which exists nowhere else from here on."""
    name = name.strip()
    if not name or len(name) > 80:
        raise Invalid(code="token_name", field="name")
    if expires_at is not None and expires_at <= clock.now():
        raise Invalid(code="token_expiry_past", field="expires_at")
    key = PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        user=user,
        name=name,
        digest=_digest(key),
        hint=key[:10],
        scope=scope,
        made_at=clock.now(),
        expires_at=expires_at,
    )
    AccountingEvent.objects.create(at=clock.now(), by=by or user, what="token_made", about=f"{user.username}: {name}")
    return token, key


@transaction.atomic
def revoke(user: User, token_id: int) -> None:
    now = clock.now()
    token = Token.objects.filter(pk=token_id, user=user).first()
    if token is None:
        raise NotFound()
    if Token.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=now):
        AccountingEvent.objects.create(at=now, by=user, what="token_revoked", about=f"{user.username}: {token.name}")


def owner_of(key: str) -> Token | None:
    """The token behind a key, if it may still be used. Its last use is kept to the minute, so that reads stay reads."""
    now = clock.now()
    token = (
        Token.objects.select_related("user")
        .filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), digest=_digest(key), revoked_at__isnull=True)
        .first()
    )
    if token is None or not token.user.is_active:
        return None
    if token.used_at is None or now - token.used_at > USED_PRECISION:
        Token.objects.filter(pk=token.pk).update(used_at=now)
    return token
