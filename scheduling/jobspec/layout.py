"""From options to what is asked for: nodes, tasks, CPUs, devices, memory. The defaults are those of sbatch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scheduling.jobspec.amounts import NodeCount
from scheduling.jobspec.draft import Draft
from scheduling.jobspec.findings import Finding, Kind, Severity
from scheduling.jobspec.given import Given
from scheduling.jobspec.spec import Component
from scheduling.jobspec.values import Device

NPU, GPU = "npu", "gpu"
NOT_AVAILABLE = "Requested node configuration is not available"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nodes:
    least: int
    most: int | None
    nodelist: tuple[str, ...]


def component(draft: Draft) -> tuple[Component, list[Finding]]:
    findings: list[Finding] = []
    per_node = draft.get("ntasks-per-node", int)
    nodes = _nodes(draft, findings)
    tasks = draft.get("ntasks", int) or _default_tasks(draft, nodes, per_node)
    if per_node and nodes.most and nodes.most * per_node < tasks:
        findings.append(_impossible(draft, tasks=tasks, nodes=nodes.most, per_node=per_node))
    cpus_per_task = draft.get("cpus-per-task", int) or 1
    total_cpus = nodes.least if "overcommit" in draft.extra else max(tasks * cpus_per_task, nodes.least)
    npus = [each for each in _gres(draft) if each.name == NPU]
    gpus_per_node, total_gpus, gpu_type = _gpus(draft, nodes=nodes.least, tasks=tasks)
    mem, mem_per_cpu = draft.get("mem", int), draft.get("mem-per-cpu", int)
    findings += _conflicts(draft)
    exclusive = draft.get("exclusive", str)
    return Component(
        nodes_min=nodes.least,
        nodes_max=nodes.most,
        tasks=tasks,
        tasks_per_node=per_node,
        cpus_per_task=cpus_per_task,
        total_cpus=total_cpus,
        npus_per_node=sum(each.count for each in npus),
        total_npus=sum(each.count for each in npus) * nodes.least,
        npu_type=_common_type(npus),
        gpus_per_node=gpus_per_node,
        total_gpus=total_gpus,
        gpu_type=gpu_type,
        other_gres=tuple((_label(each), each.count) for each in _gres(draft) if each.name not in (NPU, GPU)),
        mem_mb_per_node=mem,
        mem_mb_per_cpu=mem_per_cpu,
        mem_all_of_node=mem == 0 or mem_per_cpu == 0,
        total_mem_mb=_total_memory(draft, nodes=nodes.least, cpus=total_cpus),
        exclusive=exclusive is not None,
        exclusive_scope=exclusive or "node",
        constraint=draft.get("constraint", str) or None,
        nodelist=nodes.nodelist,
        exclude=draft.get("exclude", tuple) or (),
        partition=draft.get("partition", str) or None,
    ), findings


def _nodes(draft: Draft, findings: list[Finding]) -> _Nodes:
    given = draft.get("nodes", NodeCount)
    nodelist: tuple[str, ...] = draft.get("nodelist", tuple) or ()
    least = given.least if given else 1
    most = given.most if given else None
    if most and len(nodelist) > most:
        findings.append(_too_many_named(draft, nodes=len(nodelist), most=most))
    least = max(least, len(nodelist))
    tasks, per_node = draft.get("ntasks", int), draft.get("ntasks-per-node", int)
    if given is None and not nodelist and tasks and per_node:
        least = -(-tasks // per_node)
    if most is None or _nodes_for_size(draft) <= most:
        least = max(least, _nodes_for_size(draft))
    if tasks and tasks < least:
        findings.append(_fewer_tasks(draft, tasks=tasks, nodes=least))
        least = most = tasks
        nodelist = nodelist[:tasks]
    return _Nodes(least=least, most=most, nodelist=nodelist)


def _nodes_for_size(draft: Draft) -> int:
    """How many nodes it takes at the least: tasks or GPUs beyond what one node of the partition has."""
    partition = next(iter(draft.site.partitions_for(draft.get("partition", str) or None)), None)
    if partition is None:
        return 1
    nodes = 1
    per_task = draft.get("cpus-per-task", int) or 1
    tasks_on_a_node = (partition.cpus_per_node or 0) // per_task
    memory = (draft.get("mem-per-cpu", int) or 0) * per_task
    if memory and partition.memory_mb_per_node:
        tasks_on_a_node = min(tasks_on_a_node, partition.memory_mb_per_node // memory)
    if tasks_on_a_node and "overcommit" not in draft.extra:
        nodes = -(-(draft.get("ntasks", int) or 1) // tasks_on_a_node)
    there = partition.gres_named(GPU)
    if there is not None and there.count:
        nodes = max(nodes, -(-sum(each.count for each in draft.get("gpus", tuple) or ()) // there.count))
    return nodes


def _default_tasks(draft: Draft, nodes: _Nodes, per_node: int | None) -> int:
    if per_node:
        return nodes.least * per_node
    per_gpu = draft.get("ntasks-per-gpu", int)
    _, gpus, _ = _gpus(draft, nodes=nodes.least, tasks=0)
    if per_gpu and gpus:
        return per_gpu * gpus
    per_task: int = sum(each.count for each in draft.get("gpus-per-task", tuple) or ())
    if per_task and gpus:
        return max(gpus // per_task, 1)
    return nodes.least


def _gres(draft: Draft) -> tuple[Device, ...]:
    return draft.get("gres", tuple) or ()


def _gpus(draft: Draft, *, nodes: int, tasks: int) -> tuple[int | None, int, str | None]:
    """Per node (None where it is left open), in all, type."""
    per_node: list[Device] = [each for each in _gres(draft) if each.name == GPU]
    per_node += draft.get("gpus-per-node", tuple) or ()
    if per_node:
        count = sum(each.count for each in per_node)
        return count, count * nodes, _common_type(per_node)
    total: tuple[Device, ...] = draft.get("gpus", tuple) or ()
    if total:
        return None, sum(each.count for each in total), _common_type(total)
    per_task: tuple[Device, ...] = draft.get("gpus-per-task", tuple) or ()
    return None, sum(each.count for each in per_task) * tasks, _common_type(per_task)


def _common_type(devices: list[Device] | tuple[Device, ...]) -> str | None:
    types = {each.type for each in devices}
    return types.pop() if len(types) == 1 else None


def _label(device: Device) -> str:
    return f"{device.name}:{device.type}" if device.type else device.name


def _total_memory(draft: Draft, *, nodes: int, cpus: int) -> int | None:
    mem, per_cpu = draft.get("mem", int), draft.get("mem-per-cpu", int)
    if mem:
        return mem * nodes
    if per_cpu:
        return per_cpu * cpus
    if mem is None and per_cpu is None:
        default = draft.site.def_mem_mb_per_cpu
        return default * cpus if default is not None else None
    partitions = draft.site.partitions_for(draft.get("partition", str) or None)
    size = partitions[0].memory_mb_per_node if partitions else None
    return size * nodes if size is not None else None


def _conflicts(draft: Draft) -> Iterator[Finding]:
    nodes = draft.get("nodes", NodeCount)
    counted = any(draft.has(option) for option in ("ntasks", "ntasks-per-node", "gpus"))
    if draft.has("gpus-per-task") and not counted and (nodes is None or nodes.least != nodes.most):
        yield draft.where("gpus-per-task").finding(
            Kind.CONFLICTING_OPTIONS,
            "Failed to validate job spec. --gpus-per-task used without either --gpus or -n/--ntasks is not allowed.",
            facts={"options": "gpus-per-task"},
        )
    if draft.has("ntasks-per-gpu") and draft.has("ntasks-per-node"):
        yield draft.where("ntasks-per-gpu").finding(
            Kind.CONFLICTING_OPTIONS,
            "--ntasks-per-node is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU",
            facts={"options": "ntasks-per-node ntasks-per-gpu"},
        )
    given = [option for option in ("mem", "mem-per-cpu", "mem-per-gpu") if draft.has(option)]
    if len(given) > 1:
        last = max((draft.where(option) for option in given), key=lambda each: (each.line, each.column))
        yield last.finding(
            Kind.CONFLICTING_OPTIONS,
            "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.",
            facts={"options": " ".join(given)},
        )


def _impossible(draft: Draft, *, tasks: int, nodes: int, per_node: int) -> Finding:
    where: Given = draft.where("ntasks-per-node")
    return where.finding(
        Kind.IMPOSSIBLE_LAYOUT,
        NOT_AVAILABLE,
        repair=str(-(-tasks // nodes)),
        facts={"tasks": tasks, "nodes": nodes, "tasks_per_node": per_node},
    )


def _fewer_tasks(draft: Draft, *, tasks: int, nodes: int) -> Finding:
    return draft.where("ntasks").finding(
        Kind.FEWER_TASKS_THAN_NODES,
        f"can't run {tasks} processes on {nodes} nodes, setting nnodes to {tasks}",
        severity=Severity.WARNING,
        facts={"tasks": tasks, "nodes": nodes},
    )


def _too_many_named(draft: Draft, *, nodes: int, most: int) -> Finding:
    return draft.where("nodes").finding(
        Kind.INVALID_NODES,
        f"invalid number of nodes (-N {nodes}-{most})",
        repair=str(nodes),
        facts={"value": draft.where("nodes").value or ""},
    )
