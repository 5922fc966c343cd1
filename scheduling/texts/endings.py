"""How a job ended, in one sentence, and what to do about it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from portal.kit.times import duration
from scheduling.models import Job, State
from scheduling.texts.sentence import Sentence, Told

Facts = Mapping[str, Any]


def ending(job: Job, *, by: str = "", clue: str = "") -> Told:
    """`by`: who cancelled it, if the reader may know. `clue`: the line of its log that names the cause."""
    facts = job.ended_facts | {"exit_code": job.exit_code}
    words = {
        "time": _lasted(job),
        "limit": duration(job.time_limit_seconds),
        "code": "" if job.exit_code is None else str(job.exit_code),
        "signal": _signal(facts.get("signal")),
        "detail": str(facts.get("detail") or "").rstrip("."),
        "by": by,
        "clue": clue,
    }
    first, step = _sentence(job, facts, words)
    quoted = bool(clue) and job.state == State.FAILED
    more = (Sentence(_("Its log says: “{clue}”"), words),) if quoted else ()
    if quoted and step == _log_may_say():
        step = ""
    return Told(Sentence(first, words), more=more, next_step=Sentence(step, words) if step else None)


def _log_may_say() -> str:
    return _("Its log's last lines may say why.")


def _sentence(job: Job, facts: Facts, words: Mapping[str, str]) -> tuple[str, str]:
    match job.state:
        case State.SUCCEEDED:
            return _("Succeeded after {time}."), ""
        case State.CANCELLED:
            return _cancelled(job, words), ""
        case State.TIMED_OUT:
            return (
                _("Stopped at its time limit of {limit}."),
                _("Resubmit it with a longer limit, or let it go on from its last checkpoint."),
            )
        case _:
            return _failed(job, facts)


def _cancelled(job: Job, words: Mapping[str, str]) -> str:
    if job.started_at is None:
        return _("Cancelled by {by} before it started.") if words["by"] else _("Cancelled before it started.")
    return _("Cancelled by {by} after {time}.") if words["by"] else _("Cancelled after {time}.")


def _failed(job: Job, facts: Facts) -> tuple[str, str]:
    if job.ended_why in FAILURES:
        return FAILURES[job.ended_why]()
    if facts.get("signal"):
        return _("Killed by signal {signal} after {time}."), _log_may_say()
    if job.exit_code is not None and job.exit_code in EXIT_CODES:
        return EXIT_CODES[job.exit_code]()
    if job.exit_code is not None:
        return _("Failed after {time} with exit code {code}."), _log_may_say()
    if facts.get("detail"):
        return _("Failed: {detail}."), ""
    return _("Failed after {time}."), _log_may_say()


FAILURES: Mapping[str, Callable[[], tuple[str, str]]] = {
    "process_gone": lambda: (
        _("Its process vanished without a trace after {time}: killed from outside, or the machine restarted."),
        _("Resubmit it; if it happens again, an operator should look at the node."),
    ),
    "unreadable_state": lambda: (
        _("Stopped after {time}: the cluster's own notes on it were damaged, perhaps by the job itself."),
        _("Resubmit it; if it happens again, check that its script writes only in its own folder."),
    ),
    "unknown_run": lambda: (
        _("Its cluster lost it: it knows nothing of this run any more."),
        _("Resubmit it; if it happens again, an operator should look at the cluster."),
    ),
    "oom": lambda: (
        _("Ran out of memory after {time}."),
        _("Resubmit it with more memory (--mem) or a smaller batch."),
    ),
    "node_failed": lambda: (_("A node that it ran on failed after {time}."), _("Resubmit it.")),
    "output_path": lambda: (
        _("Never began: its log file could not be made ({detail})."),
        _("Resubmit it with another --output or --error."),
    ),
    "fault": lambda: (
        _("Never began: the portal could not send it to its cluster."),
        _("An operator finds the fault in the portal's log. Resubmit it when it is mended."),
    ),
    "refused": lambda: (_("The cluster refused it: {detail}."), _("Resubmit it with what the cluster asks for.")),
    "local_not_allowed": lambda: (_("The cluster refused it: {detail}."), _("An operator has to allow it.")),
}

EXIT_CODES: Mapping[int, Callable[[], tuple[str, str]]] = {
    126: lambda: (
        _("Failed after {time} with exit code 126: a command could not be executed."),
        _("Check that the program is executable, and resubmit."),
    ),
    127: lambda: (
        _("Failed after {time} with exit code 127: a command was not found."),
        _("Check the environment that the script sets up, and resubmit."),
    ),
    137: lambda: (
        _("Failed after {time} with exit code 137: a process was killed, often for want of memory."),
        _("Resubmit it with more memory (--mem) or a smaller batch."),
    ),
    139: lambda: (
        _("Failed after {time} with exit code 139: a program crashed (segmentation fault)."),
        _log_may_say(),
    ),
}


def _lasted(job: Job) -> str:
    if job.started_at is None or job.ended_at is None:
        return duration(0)
    return duration(job.ended_at - job.started_at)


def _signal(number: Any) -> str:
    try:
        return signal.Signals(number).name if number else ""
    except ValueError:
        return str(number)
