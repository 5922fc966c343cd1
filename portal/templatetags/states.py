"""The one badge per state: icon, word and tone, never colour alone."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from portal.templatetags.icons import icon


class Face(NamedTuple):
    icon: str
    tone: str
    word: str | Promise


FACES = {
    # jobs and runs
    "queued": Face("clock", "mute", _("Queued")),
    "held": Face("player-pause", "mute", _("Held")),
    "admitted": Face("circle-dashed-check", "mute", _("Admitted")),
    "submitted": Face("send", "mute", _("Submitted")),
    "running": Face("player-play", "accent", _("Running")),
    "stopping": Face("player-stop", "warn", _("Stopping")),
    "succeeded": Face("circle-check", "ok", _("Succeeded")),
    "failed": Face("circle-x", "bad", _("Failed")),
    "timed_out": Face("clock-x", "bad", _("Timed out")),
    "cancelled": Face("ban", "mute", _("Cancelled")),
    "put_back": Face("rotate-clockwise-2", "warn", _("Put back")),
    "recalled": Face("arrow-back-up", "warn", _("Recalled")),
    # nodes, cards and clusters
    "healthy": Face("circle-check", "ok", _("Healthy")),
    "sick": Face("alert-triangle", "bad", _("Sick")),
    "out_of_service": Face("tool", "warn", _("Out of service")),
    "draining": Face("player-pause", "warn", _("Draining")),
    "away": Face("plug-connected-x", "bad", _("Not reached")),
    "unknown": Face("help-circle", "mute", _("Unknown")),
}


def badge(state: str, tone: str = "") -> SafeString:
    """`tone` overrides the state's own, as for what a budget holds (warn)."""
    face = FACES[str(state)]
    return format_html(
        '<span class="state {}">{}<span>{}</span></span>', tone or face.tone, icon(face.icon, 14), face.word
    )
