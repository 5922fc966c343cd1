"""Why a job waits, in one sentence with its numbers, what takes the obstacle away, and what its owner can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.kit import clock
from portal.kit.times import short
from scheduling.engine.decisions import Assumption, Reason
from scheduling.models import Job, State
from scheduling.texts import states
from scheduling.texts.endings import ending
from scheduling.texts.facts import in_words
from scheduling.texts.sentence import Numbers, Sentence, Told

Facts = Mapping[str, Any]
Words = Mapping[str, str | Numbers]

A_PASS = 60  # seconds by which a start may come after the end that lets it


def told(job: Job, *, now: datetime | None = None) -> Told:
    """The one sentence about a job in any state. Call with its team, pool and partition selected."""
    now = now or clock.now()
    if job.state == State.QUEUED:
        return waiting(job, now=now)
    if job.is_ended:
        return ending(job)
    return states.told(job, now=now)


def waiting(job: Job, *, now: datetime) -> Told:
    if job.wait_reason not in SENTENCES:
        return Told(states.unjudged(job))
    reason, facts = Reason(job.wait_reason), job.wait_facts
    words: Words = {**in_words(facts, now=now), "team": job.team.name, "partition": job.partition.name}
    short_form = Sentence(SENTENCES[reason](facts), words)
    more = [Sentence(text, words) for text in (_team_line(reason, facts), _closed(facts)) if text]
    begin = start(job, now=now)
    step = NEXT_STEPS.get(reason)
    then = Sentence(_then(facts), words) if facts.get("next_job") else None
    if then and begin and _later(job, facts):
        then = begin  # what then gets free is not for this job
    elif begin:
        more.append(begin)
    return Told(
        short_form,
        then=then,
        more=tuple(more),
        next_step=Sentence(step(facts), words) if step else None,
    )


def _then(facts: Facts) -> str:
    if "next_idle" in facts:
        return _("{next_job} ends by {next_at}, then {next_idle} are idle.")
    return _("Fits when {next_job} reaches its limit at {next_at}.")


def _team_line(reason: Reason, facts: Facts) -> str:
    """What the team has, where the short form does not say it already."""
    if "used" not in facts or reason in (Reason.OWN_FULL, Reason.BORROW_LIMIT):
        return ""
    if facts["may_borrow"] == "unlimited":
        return _("{team} uses {used}, is guaranteed {guaranteed} and may borrow without limit.")
    return _("{team} uses {used}, is guaranteed {guaranteed} and may borrow {may_borrow}.")


def _closed(facts: Facts) -> str:
    count = facts.get("closed", 0)
    return ngettext("One node takes no jobs now.", "{closed} nodes take no jobs now.", count) if count else ""


def _later(job: Job, facts: Facts) -> bool:
    """Whether others start in between, so that the obstacle's end is not yet this job's start."""
    return job.expected_at is None or clock.epoch(job.expected_at) > facts["next_at"] + A_PASS


def start(job: Job, *, now: datetime) -> Sentence | None:
    """The expected start and the assumption behind it."""
    after = Numbers(tuple(job.expected_after))
    if job.expected_at is None:
        if job.expected_on == Assumption.UNKNOWN and after.jobs:
            return Sentence(_("When it starts cannot be told: it waits for {jobs}."), {"jobs": after})
        return None
    if job.expected_at <= now:
        return Sentence(_("It should start with the next pass, within seconds."))
    words: Words = {"time": short(job.expected_at, now), "jobs": after}
    if not after.jobs:
        return Sentence(_("It should start at about {time}."), words)
    template = ngettext(
        "It should start at about {time}, when {jobs} has reached its limit; sooner if it ends sooner.",
        "It should start at about {time}, when {jobs} have reached their limits; sooner if they end sooner.",
        len(after.jobs),
    )
    return Sentence(template, words)


def _impossible(facts: Facts) -> str:
    if facts["per_node"] > facts["largest_node"]:
        return _("Asks for {per_node} NPUs on one node; the largest node of {partition} has {largest_node}.")
    if facts["nodes_fit"]:
        return ngettext(
            "Asks for {nodes} nodes like that; {partition} has one that could hold it.",
            "Asks for {nodes} nodes like that; {partition} has {nodes_fit} that could hold it.",
            facts["nodes_fit"],
        )
    return _("No node of {partition} could give it {per_node} NPUs with {cpus} cores and {memory_mb} of memory.")


def _beyond(facts: Facts) -> str:
    if facts["may_borrow"] == 0:
        return _("Needs {asked} of its own team’s NPUs, but {team} is guaranteed only {guaranteed}.")
    return _("Needs {asked}, but {team} could never have more than {potential} of the {capacity} in this pool.")


def _borrow_limit(facts: Facts) -> str:
    if facts["borrowed"]:
        return _("{limit_of} borrows {borrowed} of at most {may_borrow}; this needs {asked}.")
    return _("{limit_of} uses {used} of {guaranteed} and may borrow {may_borrow}; this needs {asked}.")


def _fragmented(facts: Facts) -> str:
    if facts["whole_node"]:
        return ngettext(
            "{idle} idle, but this wants a node of its own, and none is empty.",
            "{idle} idle, but this wants {nodes} nodes of its own, and not that many are empty.",
            facts["nodes"],
        )
    if len([piece for piece in facts["pieces"] if piece]) < 2:
        return ngettext(
            "{idle} idle, at most {largest_piece} on one node; this needs {per_node} on one node.",
            "{idle} idle, at most {largest_piece} on one node; this needs {per_node} on each of {nodes} nodes.",
            facts["nodes"],
        )
    return ngettext(
        "{idle} idle, but as {pieces}; this needs {per_node} on one node.",
        "{idle} idle, but as {pieces}; this needs {per_node} on each of {nodes} nodes.",
        facts["nodes"],
    )


def _node_resources(facts: Facts) -> str:
    if facts["cpus"] > facts["cpus_free"]:
        return _("NPUs are idle, but beside them at most {cpus_free} cores; this needs {cpus} on a node.")
    if facts["memory_mb"] > facts["memory_mb_free"]:
        return _("NPUs are idle, but beside them at most {memory_mb_free} of memory; this needs {memory_mb} on a node.")
    return _("NPUs are idle, but only {nodes_fit} of the {nodes} nodes that it needs have the cores and memory too.")


SENTENCES: Mapping[str, Callable[[Facts], str]] = {
    Reason.CLUSTER_AWAY: lambda f: _("Its cluster has not answered since {since}."),
    Reason.PARTITION_CLOSED: lambda f: _("Partition {partition} takes no jobs now."),
    Reason.NOT_YET: lambda f: _("Starts no sooner than {until}."),
    Reason.TIME_LIMIT: lambda f: _("Asks for {seconds}; partition {partition} allows at most {max_seconds}."),
    Reason.IMPOSSIBLE: _impossible,
    Reason.BEYOND_POTENTIAL: _beyond,
    Reason.RUNNING_LIMIT: lambda f: _("{team} runs {running} of at most {may_run} jobs at once."),
    Reason.OWN_FULL: lambda f: _(
        "{team} uses {used} of its own {guaranteed}; this needs {asked} and was told not to borrow."
    ),
    Reason.BORROW_LIMIT: _borrow_limit,
    Reason.NOTHING_TO_LEND: lambda f: _(
        "Needs {asked}; of {idle} idle {kept} are kept by teams that do not lend them."
    ),
    Reason.POOL_FULL: lambda f: _("Needs {asked}; the pool has {idle} idle of {capacity}."),
    Reason.FRAGMENTED: _fragmented,
    Reason.NODE_RESOURCES: _node_resources,
    Reason.OWNER_WAITS: lambda f: _("What is idle is kept for a team that takes back its guarantee."),
    Reason.RESERVED: lambda f: _("Starting it now would delay a job for which nodes are reserved."),
}

_PATIENCE: Callable[[Facts], str] = lambda f: _("Nothing to do: it starts by itself.")  # noqa: E731  # a table of one kind

NEXT_STEPS: Mapping[str, Callable[[Facts], str]] = {
    Reason.CLUSTER_AWAY: lambda f: _("Nothing to do: it keeps its place and goes on when the cluster answers again."),
    Reason.PARTITION_CLOSED: lambda f: _("Wait until an operator opens it, or resubmit to another partition."),
    Reason.NOT_YET: _PATIENCE,
    Reason.TIME_LIMIT: lambda f: _("Resubmit it with a limit of at most {max_seconds}."),
    Reason.IMPOSSIBLE: lambda f: _("Resubmit it with fewer NPUs, cores or nodes, or to another partition."),
    Reason.BEYOND_POTENTIAL: lambda f: _("Resubmit it smaller, or have the team’s lead ask for more quota."),
    Reason.RUNNING_LIMIT: lambda f: _("It starts when one of the team’s running jobs ends."),
    Reason.OWN_FULL: lambda f: _("Resubmit it with borrowing allowed to use what is idle: {idle} now."),
    Reason.BORROW_LIMIT: lambda f: _(
        "It starts when the team gives something back; the team’s lead can ask for more quota."
    ),
    Reason.NOTHING_TO_LEND: lambda f: _("A smaller job may start sooner; the team’s lead can ask for more quota."),
    Reason.POOL_FULL: lambda f: _("A job with fewer NPUs may start sooner."),
    Reason.FRAGMENTED: lambda f: (
        _("With at most {largest_piece} NPUs on a node it could start now.")
        if not f["whole_node"] and f["largest_piece"]
        else _("It starts when a whole node gets free.")
    ),
    Reason.NODE_RESOURCES: lambda f: _("Asking for fewer cores or less memory may let it start sooner."),
    Reason.OWNER_WAITS: _PATIENCE,
    Reason.RESERVED: lambda f: _("With a shorter time limit it may fit in before the reservation."),
}
