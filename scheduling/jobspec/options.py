"""The options of sbatch 22.05, and which of several an abbreviation means (as getopt_long decides)."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum


class Takes(Enum):
    NOTHING = 0
    A_VALUE = 1
    MAYBE = 2  # only glued on: --exclusive=user


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    name: str
    takes: Takes
    means: str
    """Its own name, or for an alias that of what it stands for."""
    since: tuple[int, ...] = ()


# A letter after a slash is the short form.
_TAKE_A_VALUE = """
account/A acctg-freq array/a bb bbf begin/b chdir/D cluster-constraint clusters/M comment constraint/C container core-spec/S
cores-per-socket cpu-freq cpus-per-gpu cpus-per-task/c deadline delay-boot dependency/d distribution/m error/e exclude/x
export export-file extra-node-info/B gid gpu-bind gpu-freq gpus/G gpus-per-node gpus-per-socket gpus-per-task gres
gres-flags hint input/i job-name/J kill-on-invalid-dep licenses/L mail-type mail-user mcs-label mem mem-bind mem-per-cpu
mem-per-gpu mincpus network nodefile/F nodelist/w nodes/N ntasks/n ntasks-per-core ntasks-per-gpu ntasks-per-node
ntasks-per-socket open-mode output/o partition/p power prefer priority profile qos/q reservation signal sockets-per-node
switches thread-spec threads-per-core time/t time-min tmp uid wait-all-nodes wckey wrap
"""
_MAY_TAKE_A_VALUE = "exclusive get-user-env nice no-kill/k propagate"
_TAKE_NOTHING = """
batch contiguous help/h hold/H ignore-pbs no-requeue overcommit/O oversubscribe/s parsable quiet/Q reboot requeue spread-job
test-only usage/u use-min-nodes verbose/v version/V wait/W
"""
_ALIASES = {"cluster": "clusters", "tasks-per-node": "ntasks-per-node"}
_NEWER = {  # the first release that has it, as far as release notes tell
    "oom-kill-step": ((24, 5), Takes.MAYBE),
    "segment": ((24, 11), Takes.A_VALUE),
    "stepmgr": ((24, 5), Takes.NOTHING),
    "tres-bind": ((23, 2), Takes.A_VALUE),
    "tres-per-task": ((23, 2), Takes.A_VALUE),
}


def _tables() -> tuple[dict[str, Option], dict[str, Option]]:
    long: dict[str, Option] = {}
    short: dict[str, Option] = {}
    groups = ((_TAKE_A_VALUE, Takes.A_VALUE), (_MAY_TAKE_A_VALUE, Takes.MAYBE), (_TAKE_NOTHING, Takes.NOTHING))
    for names, takes in groups:
        for entry in names.split():
            name, _, letter = entry.partition("/")
            long[name] = Option(name=name, takes=takes, means=name)
            if letter:
                short[letter] = long[name]
    for alias, means in _ALIASES.items():
        long[alias] = Option(name=alias, takes=long[means].takes, means=means)
    for name, (since, takes) in _NEWER.items():
        long[name] = Option(name=name, takes=takes, means=name, since=since)
    return dict(sorted(long.items())), short


LONG, SHORT = _tables()


def candidates(name: str, version: tuple[int, ...] | None) -> list[Option]:
    """One if the name says which, several if an abbreviation is ambiguous, none if there is no such option."""
    here = {key: each for key, each in LONG.items() if not each.since or version is None or version >= each.since}
    if name in here:
        return [here[name]]
    found = [each for key, each in here.items() if key.startswith(name)]
    return found[:1] if len({each.means for each in found}) == 1 else found


def closest(name: str) -> str | None:
    found = get_close_matches(name, LONG, n=1, cutoff=0.75)
    return found[0] if found else None
