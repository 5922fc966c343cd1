"""A specification written as an sbatch script; `sbatch.read` gets the same specification back from it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scheduling.jobspec.amounts import time_text
from scheduling.jobspec.foreign import TRANSLATED
from scheduling.jobspec.lines import MAGIC, OLD_MAGIC
from scheduling.jobspec.spec import DEFAULT_ARRAY_OUTPUT, DEFAULT_OUTPUT, Component, Dependency, JobSpec
from scheduling.jobspec.tokens import BLANKS

_SAFE = re.compile(r"[^\s\"'\\#\0]+")
_DEFAULT_SHEBANG = "#!/bin/bash"


def to_script(spec: JobSpec) -> str:
    """The script's own first line and commands under a header made anew; its old directives are left out."""
    shebang, body = _without_header(spec.script)
    lines = [shebang]
    for place, part in enumerate(spec.components):
        if place:
            lines.append(f"{MAGIC} hetjob")
        options = list(_of_component(part, before=spec.components[place - 1] if place else None))
        if not place:
            options = [*_of_job(spec), *options, *spec.extra]
            if any(line.startswith(TRANSLATED) for line in body):  # sbatch reads those even behind commands
                options.append(("ignore-pbs", None))
        lines += [f"{MAGIC} --{name}" + ("" if value is None else f"={_quoted(value)}") for name, value in options]
    return "\n".join([*lines, *body]) + ("" if body else "\n")


def _without_header(script: str) -> tuple[str, list[str]]:
    lines = script.split("\n") if script else []
    shebang = lines.pop(0) if lines and lines[0].startswith("#!") else _DEFAULT_SHEBANG
    kept: list[str] = []
    while lines:
        first = next((letter for letter in lines[0] if letter not in BLANKS), "#")
        if first != "#":
            break
        line = lines.pop(0)
        if not line.startswith((MAGIC, OLD_MAGIC, *TRANSLATED)):
            kept.append(line)
    return shebang, kept + lines


def _quoted(value: str) -> str:
    if "\n" in value or "\0" in value:
        raise ValueError("A directive cannot hold a line break or a NUL character")
    if _SAFE.fullmatch(value) or not value:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


Options = Iterator[tuple[str, str | None]]


def _of_job(spec: JobSpec) -> Options:
    texts = (("job-name", spec.name), ("account", spec.account), ("qos", spec.qos), ("comment", spec.comment),
             ("reservation", spec.reservation), ("begin", spec.begin), ("mail-user", spec.mail_user))  # fmt: skip
    yield from ((name, value) for name, value in texts if value)
    if spec.time_unlimited:
        yield "time", "UNLIMITED"
    elif spec.time_limit_seconds:
        yield "time", time_text(spec.time_limit_seconds)
    if spec.output != (DEFAULT_OUTPUT if spec.array is None else DEFAULT_ARRAY_OUTPUT):
        yield "output", spec.output
    if spec.error:
        yield "error", spec.error
    if spec.array is not None:
        yield "array", spec.array.text
    if spec.dependency:
        yield "dependency", ("?" if spec.dependency_any else ",").join(map(_dependency, spec.dependency))
    if spec.requeue is not None:
        yield ("requeue" if spec.requeue else "no-requeue"), None
    if spec.signal is not None:
        yield "signal", spec.signal.text
    if spec.mail_type:
        yield "mail-type", ",".join(spec.mail_type)


def _dependency(each: Dependency) -> str:
    delay = f"+{each.delay_minutes}" if each.delay_minutes else ""
    return ":".join([each.type, *(f"{job}{delay}" for job in each.jobs)])


def _of_component(part: Component, *, before: Component | None) -> Options:
    if part.partition and (before is None or part.partition != before.partition):
        yield "partition", part.partition
    nodes = _nodes(part)
    if nodes:
        yield "nodes", nodes
    nodes_follow = part.nodes_max is None and part.nodes_min > 1 and not part.nodelist
    if nodes_follow or part.tasks != part.nodes_min * (part.tasks_per_node or 1):
        yield "ntasks", str(part.tasks)
    if part.tasks_per_node is not None:
        yield "ntasks-per-node", str(part.tasks_per_node)
    if part.cpus_per_task != 1:
        yield "cpus-per-task", str(part.cpus_per_task)
    gres = ",".join(_gres(part))
    if gres:
        yield "gres", gres
    yield from _gpus(part)
    if part.mem_mb_per_node is not None and (before is None or part.mem_mb_per_node != before.mem_mb_per_node):
        yield "mem", f"{part.mem_mb_per_node}M" if part.mem_mb_per_node else "0"
    if part.mem_mb_per_cpu is not None and (before is None or part.mem_mb_per_cpu != before.mem_mb_per_cpu):
        yield "mem-per-cpu", f"{part.mem_mb_per_cpu}M"
    if part.exclusive:
        yield "exclusive", None if part.exclusive_scope == "node" else part.exclusive_scope
    if part.constraint:
        yield "constraint", part.constraint
    if part.nodelist:
        yield "nodelist", ",".join(part.nodelist)
    if part.exclude:
        yield "exclude", ",".join(part.exclude)


def _nodes(part: Component) -> str:
    if part.nodes_max == part.nodes_min:
        return str(part.nodes_min)
    if part.nodes_max is not None:
        return f"{part.nodes_min}-{part.nodes_max}"
    return ""  # follows from the node list, the tasks or the devices


def _gres(part: Component) -> Iterator[str]:
    if part.npus_per_node:
        yield f"npu:{part.npu_type}:{part.npus_per_node}" if part.npu_type else f"npu:{part.npus_per_node}"
    yield from (f"{name}:{count}" for name, count in part.other_gres)


def _gpus(part: Component) -> Options:
    kind = f"{part.gpu_type}:" if part.gpu_type else ""
    if part.gpus_per_node is not None:
        yield "gpus-per-node", f"{kind}{part.gpus_per_node}"
    elif part.total_gpus:
        yield "gpus", f"{kind}{part.total_gpus}"
