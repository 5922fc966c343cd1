"""A small scontrol inside a job: `show hostnames`, which scripts use to find their first node."""

from __future__ import annotations

import os
import sys

from scheduling.backends.local import hostlist


def main(arguments: list[str]) -> None:
    match arguments[1:]:  # the first is the run's folder
        case ["show", "hostname" | "hostnames", *rest]:
            text = rest[0] if rest else os.environ.get("SLURM_JOB_NODELIST", "")
            sys.stdout.write("".join(f"{name}\n" for name in hostlist.expand(text)))
        case ["show", "hostlist", names]:
            sys.stdout.write(hostlist.fold(names.split(",")) + "\n")
        case _:
            sys.stderr.write("scontrol: error: here only 'show hostnames' and 'show hostlist' work\n")
            sys.exit(1)
