"""The log of a job: its last lines, which follow; words looked for in it; the whole as a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from portal.kit.access import May
from portal.kit.errors import Away
from portal.kit.http import PortalRequest
from scheduling.backends.base import LogPart
from scheduling.models import Job, Run
from scheduling.queries.jobs import job_for
from scheduling.services import logs
from scheduling.texts import loglines, refusal

TAIL_BYTES = 32_768
STEP_BYTES = 262_144
SEARCHED_BYTES = 16 << 20
MOST_HITS = 200
LONGEST_WORD = 200
LONGEST_LINE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """A window on one stream of one attempt. `away`: the cluster did not answer."""

    stream: str
    attempt: int | None
    attempts: tuple[int, ...]
    separate_errors: bool
    wanted: str
    lines: list[loglines.LogLine]
    hits: list[tuple[int, str]]
    searched_all: bool
    more_url: str
    file_url: str
    size: int
    cut: bool
    away: bool


@login_required
@require_GET
def job_log(request: PortalRequest, number: int) -> HttpResponseBase:
    """What the log has got since `offset`, as lines, 204 if nothing; with `download` all of it as a file. For those who may
    see the job."""
    found = job_for(request.user, number, May.SEE)
    stream, attempt = _stream(request.GET), _attempt(request.GET)
    if "download" in request.GET:
        return _file(found, stream=stream, attempt=attempt)
    offset = request.GET.get("offset", "0")
    start = int(offset) if offset.isdecimal() and len(offset) < 19 else -TAIL_BYTES
    part = safe_tail(found, stream=stream, offset=start, attempt=attempt)
    text, after = _settled(part, ended=found.is_ended) if part else ("", max(start, 0))
    over = found.is_ended and part is not None and after >= part.size
    was_away = "away" in request.GET
    if not over and (was_away if part is None else not (text or was_away) and after == start):
        return HttpResponse(status=204)  # nothing is swapped, and the same question comes again
    address = _address(found, stream=stream, attempt=attempt, offset=after, away=part is None)
    words = {
        "lines": loglines.lines_of(text),
        "more_url": "" if over else address,
        "told": refusal(Away()) if part is None else "",
        "size": part.size if part and over else 0,
    }
    return render(request, "kit/log_lines.html#lines", words)


def log_view(job: Job, runs: list[Run], query: QueryDict) -> LogView:
    stream, attempt = _stream(query), _attempt(query)
    wanted = query.get("find", "").strip()[:LONGEST_WORD]
    part = safe_tail(job, stream=stream, offset=-TAIL_BYTES, attempt=attempt)
    hits, searched_all = _search(job, stream=stream, attempt=attempt, wanted=wanted) if wanted and part else ([], True)
    text, after = _settled(part, ended=job.is_ended, cut=part.offset > 0) if part else ("", 0)
    follows = not wanted and not (job.is_ended and part and after >= part.size)
    return LogView(
        stream=stream,
        attempt=attempt,
        attempts=tuple(run.attempt for run in runs),
        separate_errors=bool(job.spec.get("error")),
        wanted=wanted,
        lines=loglines.lines_of(text),
        hits=hits,
        searched_all=searched_all,
        more_url=_address(job, stream=stream, attempt=attempt, offset=after) if follows else "",
        file_url=f"{_address(job, stream=stream, attempt=attempt)}&download=1",
        size=part.size if part else 0,
        cut=bool(part and part.offset),
        away=part is None,
    )


def safe_tail(job: Job, *, stream: str, offset: int, attempt: int | None = None) -> LogPart | None:
    """None when the cluster does not answer: its jobs' pages stay up."""
    try:
        return logs.tail(job, stream=stream, offset=offset, attempt=attempt)
    except Away:
        return None


def _settled(part: LogPart, *, ended: bool, cut: bool = False) -> tuple[str, int]:
    """The part up to its last whole line, and the offset behind that. What is being written waits for the next look,
    unless it is long or draws over itself, as progress bars do. `cut`: it begins within a line, which is left out."""
    text = part.text.partition("\n")[2] if cut else part.text
    whole, newline, rest = text.rpartition("\n")
    if ended or not rest or len(rest) > LONGEST_LINE or "\r" in rest or "\ufffd" in rest:
        return text, part.next_offset
    return whole + newline, part.next_offset - len(rest.encode())


def _parts(job: Job, *, stream: str, attempt: int | None, most: int | None = None) -> Iterator[str]:
    offset = 0
    while most is None or offset < most:
        part = logs.tail(job, stream=stream, offset=offset, limit=STEP_BYTES, attempt=attempt)
        if not part.text or part.next_offset <= offset:
            return
        yield part.text
        offset = part.next_offset


def _search(job: Job, *, stream: str, attempt: int | None, wanted: str) -> tuple[list[tuple[int, str]], bool]:
    """Numbered lines, and whether all of the log was looked at."""
    try:
        text = "".join(_parts(job, stream=stream, attempt=attempt, most=SEARCHED_BYTES))
    except Away:
        return [], False
    found = loglines.matches(enumerate(loglines.plain(text).split("\n"), start=1), wanted)
    return found[:MOST_HITS], len(found) <= MOST_HITS and len(text) < SEARCHED_BYTES


def _file(job: Job, *, stream: str, attempt: int | None) -> HttpResponseBase:
    """Streamed piece by piece, so that a large one needs no memory. If the cluster goes away meanwhile it ends early."""
    logs.tail(job, stream=stream, offset=0, limit=1, attempt=attempt)  # refuses before an answer has begun
    pieces = _as_far_as_it_goes(_parts(job, stream=stream, attempt=attempt))
    response = StreamingHttpResponse(pieces, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{job.pk}.{"err" if stream == "error" else "out"}"'
    return response


def _as_far_as_it_goes(pieces: Iterator[str]) -> Iterator[str]:
    with suppress(Away):
        yield from pieces


def _address(job: Job, *, stream: str, attempt: int | None, offset: int | None = None, away: bool = False) -> str:
    """`away`: that the cluster does not answer is told already, so it is not said again and gone when it answers."""
    given = {"stream": stream, "attempt": attempt, "offset": offset, "away": 1 if away else None}
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return f"{reverse('job_log', args=[job.pk])}?{query}"


def _stream(query: QueryDict) -> str:
    return "error" if query.get("stream") == "error" else "output"


def _attempt(query: QueryDict) -> int | None:
    given = query.get("attempt", "")
    return int(given) if given.isdecimal() and len(given) < 6 else None
