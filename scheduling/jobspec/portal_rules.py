"""What the portal adds to Slurm's own verdict: log folders, paths outside the job's folder, options it sets itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname, normpath

from scheduling.jobspec.draft import Draft
from scheduling.jobspec.findings import Finding, Kind, Severity
from scheduling.jobspec.spec import JobSpec

_OWNED = ("account", "qos", "comment")
_MAIL = ("mail-type", "mail-user")
_NOWHERE = "/dev/null"
_FIELD = re.compile(r"%(\d*)([A-Za-z%])")
_MOST_OF_A_NUMBER = 10
LONGEST_NAME = 255
"""Bytes of a file's name, on every file system that clusters have."""
_SHOWN = 200


def on_job(spec: JobSpec, draft: Draft) -> Iterator[Finding]:
    for option in _OWNED:
        if option in draft.site.portal_owns and draft.has(option):
            value = draft.get(option, str) or ""
            yield draft.where(option).finding(
                Kind.SET_BY_PORTAL,
                f"--{option} is set by the portal; yours is ignored",
                severity=Severity.WARNING,
                facts={"option": option, "value": value},
            )
    for option in _MAIL:
        if "mail" in draft.site.portal_owns and draft.has(option):
            yield draft.where(option).finding(
                Kind.MAIL_BECOMES_NOTICE,
                "The portal sends the notice; the cluster is not told",
                severity=Severity.INFO,
                facts={"option": option, "value": draft.where(option).value or ""},
            )
    told: set[str] = set()
    for option, path in (("output", spec.output), ("error", spec.error)):
        if path is not None and draft.has(option):
            yield from _path(option, path, draft, told)


def _refused(option: str, path: str, draft: Draft) -> Finding | None:
    """What the cluster's own rule for log files would refuse once the job is admitted, with the job's name put in."""
    where = draft.where(option)
    made = _filled(path, name=draft.get("job-name", str) or "")
    parts = made.split("/")
    facts: dict[str, str | int] = {"option": option, "path": made[:_SHOWN]}
    if made.startswith("/") or ".." in parts:
        return where.finding(Kind.PATH_OUTSIDE, "The file lies outside the job's folder", facts=facts)
    if parts[-1] == "" or all(part in ("", ".") for part in parts):
        return where.finding(Kind.PATH_NAMES_NO_FILE, "Is a directory", facts=facts)
    if any(len(part.encode(errors="replace")) > LONGEST_NAME for part in parts):
        facts = {"option": option, "limit": LONGEST_NAME}
        return where.finding(Kind.PATH_PART_TOO_LONG, "File name too long", facts=facts)
    return None


def _filled(pattern: str, *, name: str) -> str:
    """With the name in the place of %x and numbers as long as they are at least; a backslash leaves all as it is."""
    if "\\" in pattern:
        return pattern.replace("\\", "")

    def field(match: re.Match[str]) -> str:
        if match[2] in "jAJantb":
            return "0" * max(1, min(int(match[1] or 0), _MOST_OF_A_NUMBER))
        return {"x": name, "%": "%"}.get(match[2], match[0])

    return _FIELD.sub(field, pattern)


def _path(option: str, path: str, draft: Draft, told: set[str]) -> Iterator[Finding]:
    site, where = draft.site, draft.where(option)
    if path in ("", "none", _NOWHERE):
        return
    if site.paths_inside_only:
        refused = _refused(option, path, draft)
        if refused is not None:
            yield refused
            return
    plain = normpath(path)
    if plain.startswith("/") or plain == ".." or plain.startswith("../"):
        severity = Severity.ERROR if site.paths_inside_only else Severity.INFO
        message = "The file lies outside the job's folder"
        yield where.finding(Kind.PATH_OUTSIDE, message, severity=severity, facts={"option": option, "path": path})
        return
    folder = dirname(plain)
    if not folder or folder in told:
        return
    told.add(folder)
    facts: dict[str, str | int] = {"option": option, "folder": folder}
    if site.makes_folders:
        message = f'The folder "{folder}" will be made; Slurm itself would fail without a word'
        yield where.finding(Kind.FOLDER_WILL_BE_MADE, message, severity=Severity.INFO, facts=facts)
    else:
        message = f'The folder "{folder}" must exist; Slurm makes none and the job fails without a word'
        yield where.finding(Kind.FOLDER_MAY_BE_MISSING, message, severity=Severity.WARNING, facts=facts)
