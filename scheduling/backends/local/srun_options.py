"""The command line of srun: what a step needs from it, and what can be passed over."""

from __future__ import annotations

import sys

SHORT = {
    "n": "ntasks",
    "N": "nodes",
    "c": "cpus-per-task",
    "l": "label",
    "o": "output",
    "e": "error",
    "w": "nodelist",
    "D": "chdir",
    "K": "kill-on-bad-exit",
}
TAKES_NO_VALUE = {"label", "unbuffered", "exclusive", "exact", "overlap", "quiet", "verbose", "no-kill", "contiguous"}
TAKES_NO_VALUE |= {"oversubscribe", "overcommit", "disable-status", "preserve-env", "immediate", "kill-on-bad-exit"}
TAKES_NO_VALUE |= {"use-min-nodes", "spread-job"}
SHORT_NO_VALUE = "ukOQvsXEHI"
SHORT_WITH_VALUE = "AaBCdGgiJLMmPpqrRStTWxZ"
PASSED_OVER = {
    "account",
    "bcast",
    "begin",
    "comment",
    "constraint",
    "core-spec",
    "cpu-bind",
    "cpu-freq",
    "cpus-per-gpu",
}
PASSED_OVER |= {"distribution", "exclude", "export", "gpu-bind", "gpus", "gpus-per-node", "gpus-per-task", "gres"}
PASSED_OVER |= {"gres-flags", "hint", "input", "job-name", "jobid", "mem", "mem-bind", "mem-per-cpu", "mem-per-gpu"}
PASSED_OVER |= {
    "mpi",
    "network",
    "ntasks-per-core",
    "ntasks-per-gpu",
    "ntasks-per-socket",
    "partition",
    "qos",
    "relative",
}
PASSED_OVER |= {"signal", "threads-per-core", "time", "tres-per-task", "wait", "open-mode", "nice", "reservation"}
UNDERSTOOD = {*SHORT.values(), "ntasks-per-node"}


class Mistake(ValueError):
    pass


class Options:
    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.command: list[str] = []
        self.ignored: list[str] = []

    def number(self, name: str) -> int | None:
        """The lower bound where a range is given (-N 1-2)."""
        if name not in self.values:
            return None
        text = self.values[name].partition("-")[0]
        if not text.isdigit() or int(text) < 1:
            raise Mistake(f'Invalid numeric value "{self.values[name]}" for --{name}.')
        return int(text)

    def is_set(self, name: str) -> bool:
        return self.values.get(name, "0") != "0"


def read(arguments: list[str]) -> Options:
    options, rest = Options(), list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        argument = rest.pop(0)
        if argument == "--":
            break
        if argument.startswith("--"):
            _read_long(argument[2:], rest, options)
        else:
            _read_short(argument[1:], rest, options)
    options.command = rest
    if not rest:
        raise Mistake("No command given to execute.")
    return options


def _read_long(argument: str, rest: list[str], options: Options) -> None:
    name, equals, value = argument.partition("=")
    if name in TAKES_NO_VALUE:
        value = value if equals else "1"
    elif not equals:
        if name not in UNDERSTOOD and name not in PASSED_OVER:
            raise Mistake(f"unrecognized option '--{name}'")
        if not rest:
            raise Mistake(f"option '--{name}' requires an argument")
        value = rest.pop(0)
    if name in UNDERSTOOD:
        options.values[name] = value
    elif name not in TAKES_NO_VALUE:
        options.ignored.append(f"--{name}")


def _read_short(letters: str, rest: list[str], options: Options) -> None:
    letter, value = letters[0], letters[1:]
    name = SHORT.get(letter, "")
    if name in TAKES_NO_VALUE:
        options.values[name] = value if value.isdigit() else "1"
        if value and not value.isdigit():
            _read_short(value, rest, options)
    elif letter in SHORT_NO_VALUE:
        if value and not value.isdigit():
            _read_short(value, rest, options)
    elif name or letter in SHORT_WITH_VALUE:
        value = value.removeprefix("=") or (rest.pop(0) if rest else "")
        if name:
            options.values[name] = value
        else:
            options.ignored.append(f"-{letter}")
    else:
        raise Mistake(f"invalid option -- '{letter}'")


def note_ignored(options: Options) -> None:
    """--export and --mpi=... change nothing here and need no word; a smaller share of the NPUs does."""
    told = [name for name in options.ignored if name not in ("--export", "--mpi", "--cpu-bind", "--distribution", "-m")]
    if told:
        sys.stderr.write(f"srun: note: ignored here: {', '.join(told)}\n")
