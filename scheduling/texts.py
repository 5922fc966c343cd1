"""Sentences for the reasons, findings and refusals of scheduling, in the reader's language.

The parts below hold codes and facts; only here, at the edge, do they become words.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REFUSALS: Mapping[str, Promise] = {
    "not_in_this_state": _("Job %(job)s is in a state (%(state)s) in which this cannot be done."),
    "moved_on": _("Job %(job)s changed at this very moment. Look again and repeat the step if it still makes sense."),
}
