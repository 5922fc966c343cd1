"""Starting the programs of this package without site-packages, so that they are small and quick."""

from __future__ import annotations

import select
import subprocess
from pathlib import Path

from scheduling.backends.local import state

_SOURCES = str(Path(__file__).resolve().parents[3])
_CODE = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from scheduling.backends.local.{program} import main; main(sys.argv[1:])"
)


def command(program: str, *arguments: str, python: str) -> list[str]:
    """-I and -S: neither the caller's PYTHON* variables nor installed packages have a say."""
    return [python, "-I", "-S", "-c", _CODE.format(program=program), _SOURCES, *arguments]


def supervisor(run: state.RunFolder, *, python: str, patience: float) -> None:
    """Starts a supervisor that owes nothing to this process and waits until its claim is on disk (it closes a pipe then).

    Any number may be started for a run: one gets the claim, the others go. If the patience ends first the supervisor
    may still come; whoever looks next sees it or starts another.
    """
    with open(run.supervisor_log, "ab") as log:
        child = subprocess.Popen(
            command("supervisor", run.path, python=python),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=run.path,
            env={"LANG": "C.UTF-8"},
            start_new_session=True,
            umask=0o077,
        )
    with child:  # it forks and leaves at once: the supervisor proper is nobody's child
        assert child.stdout is not None
        closed = select.poll()
        closed.register(child.stdout, select.POLLIN)
        closed.poll(patience * 1000)
