"""The last step of a child between fork and exec."""

from __future__ import annotations

import errno
import os
import signal
import time


def execute(program: str, arguments: list[str], environment: dict[str, str]) -> None:
    """Becomes the program, with no signal blocked or ignored. Returns only by an OSError."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if signal.getsignal(number) not in (signal.SIG_DFL, None):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    environment = environment | {"SLURM_TASK_PID": str(os.getpid())}
    for _ in range(100):
        try:
            os.execvpe(program, arguments, environment)
        except OSError as exc:
            if exc.errno != errno.ETXTBSY:  # another process holds the file open for writing: free in a moment
                raise
        time.sleep(0.01)
    raise OSError(errno.ETXTBSY, os.strerror(errno.ETXTBSY))
