"""Sentences of this app's refusals, by code. `%(name)s` are the error's facts in words (`texts.facts.in_words`)."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

import accounting.texts
from portal.kit import clock
from portal.kit.errors import PortalError
from scheduling.texts.facts import in_words

REFUSALS: Mapping[str, Promise] = {
    # steps with a job
    "not_in_this_state": _("Job %(job)s is in a state (%(state)s) in which this cannot be done."),
    "moved_on": _("Job %(job)s changed at this very moment. Look again and repeat the step if it still makes sense."),
    "held_by_operator": _("An operator holds job %(job)s; only an operator can release it."),
    "no_jobs_chosen": _("Choose at least one job first."),
    # submitting
    "may_not_submit": _("You may not submit jobs for %(team)s. A lead of the team can make you a member."),
    "may_submit_nowhere": _("You are in no team for which you may submit. A team's lead can make you a member."),
    "no_project": _("%(team)s has no such project, or it is closed. Choose another of the team’s projects."),
    "no_quota": _(
        "%(team)s has no quota on any pool, so its jobs could never start. A lead of the team can ask for one."
    ),
    "no_such_partition": _("%(asked)s is no partition that you may use. There are: %(known)s."),
    "local_not_allowed": _(
        "Partition %(partition)s leads to the built-in backend, which runs scripts as the portal's own user and is not"
        " allowed here. An operator can allow it by the setting LOCAL_BACKEND_ALLOWED."
    ),
    "script_has_errors": _("The script has errors (%(count)s). Mend the lines that are marked, then send it again."),
    "npus_per_job": _("A job of this team may have at most %(limit)s NPUs; this one asks for %(asked)s."),
    "waiting_jobs": _(
        "The team has %(waiting)s jobs waiting already, and may have %(limit)s at most. Wait for some to start, or cancel some."
    ),
    "never_time_limit": _("It asks for %(seconds)s, but partition %(partition)s allows at most %(max_seconds)s."),
    "never_impossible": _(
        "No set of nodes of partition %(partition)s could ever hold it: it asks for %(nodes)s nodes with %(per_node)s"
        " NPUs, %(cpus)s cores and %(memory_mb)s of memory each; %(nodes_fit)s could hold that, and the largest has"
        " %(largest_node)s NPUs."
    ),
    "never_beyond_potential": _(
        "It asks for %(asked)s NPUs, more than the team could ever have here (%(potential)s of %(capacity)s)."
        " Ask for less, or have the team’s lead ask for more quota."
    ),
    # keys of scripts
    "idempotency_key": _("The Idempotency-Key must have 1 to 200 characters."),
    "key_used_for_other_body": _("This Idempotency-Key came with another body before. Use a new key for a new job."),
    # logs and clusters
    "no_such_stream": _("There is no such log. There are: %(known)s."),
    "log_limit": _("Ask for 1 to %(most)s bytes at a time."),
    "away": _("The cluster does not answer at present. Try again in a moment."),
    "which_team": _("Say for which team: %(known)s."),
}


def refusal(error: PortalError) -> str:
    """The sentence of a refusal in the reader's language; every code has one (a test walks them)."""
    if error.message:
        return error.message
    sentence = str({**accounting.texts.REFUSALS, **REFUSALS}[error.code])
    return sentence % in_words(error.facts, now=clock.now()) if error.facts else sentence
