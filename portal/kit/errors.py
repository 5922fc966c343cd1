"""Errors that people see. They carry a code and facts; the sentences stand in `texts.py` of each app and are made at the edge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class PortalError(Exception):
    """Root of every refusal that a user can act on. `code` is stable and part of the API."""

    code = "error"
    status = 400

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        field: str | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message or code or self.code)
        self.message = message
        self.code = code or self.code
        self.field = field
        self.facts = dict(facts or {})


class NotFound(PortalError):
    """Also what a stranger gets: that a thing exists is not told."""

    code = "not_found"
    status = 404


class NotAllowed(PortalError):
    code = "not_allowed"
    status = 403


class Conflict(PortalError):
    """The thing moved on while the request was under way, or the step is not one of those its state allows."""

    code = "conflict"
    status = 409


class Invalid(PortalError):
    """Bad input. `findings` holds one entry per mistake where there are several (lines of a script)."""

    code = "invalid"
    status = 422

    def __init__(self, message: str = "", *, findings: tuple[Any, ...] = (), **kwargs: Any) -> None:
        super().__init__(message, **kwargs)
        self.findings = findings


class LimitReached(PortalError):
    code = "limit_reached"
    status = 409


class Away(PortalError):
    """Something beyond the portal does not answer now; the same request may go through later."""

    code = "away"
    status = 503


class Fault(PortalError):
    """Ours, not the user's: told with the number under which the log has it."""

    code = "fault"
    status = 500
