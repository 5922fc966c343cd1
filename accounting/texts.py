"""Sentences of this app's refusals, by code. `%(name)s` are the error's facts."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REFUSALS: Mapping[str, Promise] = {
    "not_found": _("There is nothing here, or it is not for you to see."),
    "not_allowed": _("Your role does not allow this."),
    "conflict": _("Somebody else changed this meanwhile. Look again and repeat the step if it still makes sense."),
    "invalid": _("Something in what you sent is not right."),
    "fault": _("Something broke on our side. If it stays so, tell support this number: %(error)s."),
    "unreadable": _("What was sent cannot be read as JSON: it is nested too deeply."),
    "limit_reached": _("A limit is reached."),
    "token_name": _("Give the token a name of at most 80 characters, so that you can tell it from others later."),
    "token_expiry_past": _("The token would have expired already. Choose a later day."),
    "period_empty": _("The period ends before it begins."),
    "guarantees_exceed_pool": _("The guarantees on %(pool)s would exceed what it has."),
    "no_such_person": _("There is nobody here who signs in as “%(username)s”."),
    "member_already": _("%(person)s is in the team already."),
    "team_role": _("Choose viewer, member or lead."),
    "last_lead": _("%(team)s would have no lead left. Make somebody else lead first."),
    "project_name": _("Give the project a name of at most 80 characters."),
    "project_exists": _("The team has a project called “%(project)s” already; it may be archived."),
    "default_project_stays": _("Jobs without a project are booked on “%(project)s”, so it cannot be archived."),
    "drain_reason": _("Say in at most 200 characters why, so that others know when to expect it back."),
    "node_moved_on": _("%(node)s is not in the state any more in which this can be done. Look again."),
    "demo_password": _("In the demo passwords stay as they are, so that everybody can sign in."),
}
