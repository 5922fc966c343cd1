from scheduling.views.job import job, job_cancel, job_hold, job_release, job_resubmit
from scheduling.views.job_log import job_log
from scheduling.views.queue import queue, queue_cancel, queue_rows
from scheduling.views.submit import preset, submit, submit_preview

__all__ = [
    "job",
    "job_cancel",
    "job_hold",
    "job_log",
    "job_release",
    "job_resubmit",
    "preset",
    "queue",
    "queue_cancel",
    "queue_rows",
    "submit",
    "submit_preview",
]
