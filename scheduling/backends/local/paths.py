"""Names of output files: Slurm's patterns, and a way to open them that never leaves the job's folder."""

from __future__ import annotations

import contextlib
import os
import re

NO_ARRAY_INDEX = 4294967294
"""What Slurm puts for %a in a job that is no array."""
DISCARD = "/dev/null"

_FIELD = re.compile(r"%(\d*)([A-Za-z%])")


class OutsideFolder(ValueError):
    """The path would leave the job's folder."""


def expand(
    pattern: str,
    *,
    job: int,
    name: str,
    user: str,
    node: str,
    node_index: int = 0,
    task: int = 0,
    step: str = "batch",
    array_index: int | None = None,
) -> str:
    """A backslash anywhere switches the replacement off, as in Slurm. Unknown fields stay as they are."""
    if "\\" in pattern:
        return pattern.replace("\\", "")
    numbers = {"j": job, "A": job, "a": NO_ARRAY_INDEX if array_index is None else array_index}
    numbers |= {"b": (array_index or 0) % 10, "n": node_index, "t": task}
    words = {"x": name, "u": user, "N": node, "s": step, "%": "%"}

    def field(match: re.Match[str]) -> str:
        width, letter = min(int(match[1] or 0), 10), match[2]
        if letter == "J":
            return f"{job:0{width}d}.{step}"
        if letter in numbers:
            return f"{numbers[letter]:0{width}d}"
        return words.get(letter, match[0])

    return _FIELD.sub(field, pattern)


def confine(path: str, *, folder: str) -> str:
    """The path relative to the folder; empty for /dev/null.

    An absolute path from another cluster (/home/me/logs/7.out) is laid below the folder (home/me/logs/7.out), so that
    the script runs here unchanged. One that climbs out by ".." is refused.
    """
    if path == DISCARD:
        return ""
    if "\0" in path or ".." in path.split("/"):
        raise OutsideFolder(path)
    inside = path[len(folder) + 1 :] if path.startswith(folder + "/") else path
    parts = [part for part in inside.split("/") if part not in ("", ".")]
    if not parts or path.endswith("/"):
        raise OutsideFolder(path)
    return "/".join(parts)


def open_parent(relative: str, *, folder: str) -> int:
    """Descriptor of the file's folder, made on the way. A symbolic link on the way is refused by an OSError."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    here = os.open(folder, flags)
    for part in relative.split("/")[:-1]:
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, mode=0o755, dir_fd=here)
            below = os.open(part, flags, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def link_into(source: str, relative: str, *, folder: str) -> None:
    """Shows the file under this name too. What an earlier attempt left there gives way; its own run keeps it."""
    parent = open_parent(relative, folder=folder)
    name = relative.rpartition("/")[2]
    draft = f".{name[:100]}.{os.getpid()}"
    try:
        os.link(source, draft, dst_dir_fd=parent)
        try:
            os.rename(draft, name, src_dir_fd=parent, dst_dir_fd=parent)
        except OSError:
            os.unlink(draft, dir_fd=parent)
            raise
    finally:
        os.close(parent)


def open_inside(relative: str, *, folder: str) -> int:
    parent = open_parent(relative, folder=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(relative.rpartition("/")[2], flags, 0o644, dir_fd=parent)
    finally:
        os.close(parent)
