"""Children that do not outlive whoever started them, even if that one is killed with -9 (Linux)."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def end_with_parent() -> None:
    """For `Popen(preexec_fn=…)`. The kernel watches the thread that forks, so only the main thread may start children."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
