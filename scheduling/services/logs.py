"""Parts of a run's log, through the backend that has it. Whoever calls has looked the job up with `May.SEE`."""

from __future__ import annotations

import structlog

from portal.kit.errors import Away, Invalid, NotFound
from scheduling.backends.base import BackendError, LogPart, RunRef
from scheduling.connect import backend_of
from scheduling.models import Job

STREAMS = ("output", "error")
LONGEST = 1 << 20
log = structlog.get_logger(__name__)


def tail(
    job: Job, *, stream: str = "output", offset: int = -16_384, limit: int = 65_536, attempt: int | None = None
) -> LogPart:
    """From `offset` bytes on (negative: from the end), at most `limit`. Of the latest attempt unless one is named.

    A job that has not run yet has an empty log, not an error. Away if the cluster does not answer.
    """
    if stream not in STREAMS:
        raise Invalid(code="no_such_stream", field="stream", facts={"known": ", ".join(STREAMS)})
    if not 1 <= limit <= LONGEST:
        raise Invalid(code="log_limit", field="limit", facts={"most": LONGEST})
    runs = job.runs.exclude(backend_id="").select_related("cluster").order_by("-attempt", "-id")
    run = (runs if attempt is None else runs.filter(attempt=attempt)).first()
    if run is None:
        if attempt is not None:
            raise NotFound()
        return LogPart(text="", offset=0, next_offset=0, size=0, exists=False)
    ref = RunRef(run=run.uuid, backend_id=run.backend_id)
    try:
        return backend_of(run.cluster).log(ref, stream, offset=offset, limit=limit)
    except BackendError as error:
        log.info("log_away", cluster=run.cluster.name, job=job.pk, code=error.code, detail=error.detail)
        raise Away() from error
