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
    "limit_reached": _("A limit is reached."),
    "token_name": _("Give the token a name of at most 80 characters, so that you can tell it from others later."),
    "token_expiry_past": _("The token would have expired already. Choose a later day."),
    "guarantees_exceed_pool": _("The guarantees on %(pool)s would exceed what it has."),
}
