"""The local backend: runs job scripts as processes of this machine, each under a small supervisor of its own.

Everything it knows stands in files under one root folder, so any worker may die at any moment:

    root/runs/<run>/        one execution: order.json, started.json, end.json, its logs, its private programs
    root/jobs/<number>/     the working folder of a job, the same for each attempt (checkpoints stay)

`backend` is the face for the portal. `supervisor`, `srun` and `scontrol` are started as programs of their own without
site-packages and import only the light modules here.

Jobs run as the user that the portal runs as. That is right for a demo and a one-person machine and wrong elsewhere.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scheduling.backends.local.backend import LocalBackend as LocalBackend


def __getattr__(name: str) -> object:
    """Only who asks for the face pays for it: each start of a supervisor passes through this file."""
    if name == "LocalBackend":
        from scheduling.backends.local.backend import LocalBackend

        return LocalBackend
    raise AttributeError(name)
