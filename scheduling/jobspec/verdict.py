"""Would the cluster take it? What the job asks for against what the site is known to have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scheduling.jobspec.draft import Draft
from scheduling.jobspec.findings import Finding, Kind, Severity
from scheduling.jobspec.given import Given
from scheduling.jobspec.layout import GPU, NOT_AVAILABLE, NPU
from scheduling.jobspec.site import Partition, Site
from scheduling.jobspec.spec import Component
from scheduling.jobspec.values import Device

_FEATURE = re.compile(r"[A-Za-z_][\w.=-]*", re.ASCII)
_GPU_OPTIONS = ("gpus-per-node", "gpus", "gpus-per-task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One component with the words it was made from."""

    component: Component
    draft: Draft
    seconds: int | None
    """Of the time limit; None = none was given, and so the partition's default applies."""
    unlimited: bool

    @property
    def site(self) -> Site:
        return self.draft.site


def on_component(asked: Asked) -> Iterator[Finding]:
    yield from _names(asked)
    yield from _gres_kinds(asked)
    partitions = asked.site.partitions_for(asked.component.partition)
    verdicts = [list(_on_partition(asked, each)) for each in partitions]
    if verdicts:  # of several partitions the one that takes it decides
        yield from min(verdicts, key=lambda each: (sum(f.severity is Severity.ERROR for f in each), len(each)))


def _names(asked: Asked) -> Iterator[Finding]:
    site, draft, component = asked.site, asked.draft, asked.component
    if site.partitions and component.partition is not None:
        known = [each.name for each in site.partitions]
        for name in component.partition.split(","):
            if name not in known:
                facts: dict[str, str | int] = {"value": name, "known": " ".join(known)}
                message = f"invalid partition specified: {name}"
                yield draft.where("partition").finding(Kind.INVALID_PARTITION, message, facts=facts)
    if site.nodes:
        for option, nodes in (("nodelist", component.nodelist), ("exclude", component.exclude)):
            unknown = next((node for node in nodes if node not in site.nodes), None)
            if unknown is not None:
                message = "Invalid node name specified"
                yield draft.where(option).finding(Kind.UNKNOWN_NODE, message, facts={"node": unknown})
    if site.features is not None and component.constraint:
        for feature in _FEATURE.findall(component.constraint):
            if feature not in site.features or "!" in component.constraint:
                facts = {"feature": feature, "known": " ".join(sorted(site.features))}
                message = "Invalid feature specification"
                yield draft.where("constraint").finding(Kind.UNKNOWN_FEATURE, message, facts=facts)
                break


def _gres_kinds(asked: Asked) -> Iterator[Finding]:
    kinds = asked.site.gres_kinds
    message = "Invalid generic resource (gres) specification"
    where = asked.draft.where("gres")
    if {"gpu", "shard"} <= {device.name for device, given in _devices(asked) if given is where}:
        yield where.finding(Kind.INVALID_GRES, message, facts={"value": where.value or ""})
    told: list[Given] = []
    for device, given in _devices(asked):
        if kinds is None or device.name in kinds or given in told:
            continue
        told.append(given)
        facts: dict[str, str | int] = {"value": device.name, "known": " ".join(sorted(kinds))}
        lower = device.name.lower()
        repair = (given.value or "").replace(device.name, lower) if lower in kinds else None
        if repair is None and device.name == GPU and NPU in kinds and given.option == "gres":
            repair = f"{NPU}:{device.count}"
        yield given.finding(Kind.INVALID_GRES, message, repair=repair, facts=facts)


def _devices(asked: Asked) -> Iterator[tuple[Device, Given]]:
    """Those per node, and those in all as if all stood on one node of each."""
    draft = asked.draft
    for device in draft.get("gres", tuple) or ():
        yield device, draft.where("gres")
    for option in _GPU_OPTIONS:
        for device in draft.get(option, tuple) or ():
            per_node = device.count if option == "gpus-per-node" else 1
            yield Device(name=GPU, type=device.type, count=per_node), draft.where(option)


def _on_partition(asked: Asked, partition: Partition) -> Iterator[Finding]:
    if not partition.open:
        yield asked.draft.where("partition").finding(
            Kind.PARTITION_CLOSED,
            "Required partition not available (inactive or drain)",
            severity=Severity.WARNING,
            facts={"partition": partition.name},
        )
    yield from _time(asked, partition)
    yield from _nodes(asked, partition)
    yield from _features(asked, partition)
    yield from _gres(asked, partition)
    yield from _gpus_in_all(asked, partition)
    yield from _cpus(asked, partition)
    yield from _memory(asked, partition)


def _limit_severity(site: Site) -> Severity:
    return Severity.ERROR if site.enforce_part_limits else Severity.WARNING


def _time(asked: Asked, partition: Partition) -> Iterator[Finding]:
    most = partition.max_seconds
    if most is None or not (asked.unlimited or (asked.seconds or 0) > most):
        return
    facts: dict[str, str | int] = {"max_seconds": most, "partition": partition.name}
    if not asked.unlimited:
        facts["wanted_seconds"] = asked.seconds or 0
    yield asked.draft.where("time").finding(
        Kind.EXCEEDS_PARTITION_TIME,
        "Requested time limit is invalid (missing or exceeds some limit)",
        severity=_limit_severity(asked.site),
        facts=facts,
    )


def _nodes(asked: Asked, partition: Partition) -> Iterator[Finding]:
    component = asked.component
    if not partition.nodes:
        return
    foreign = [node for node in component.nodelist if node in asked.site.nodes - set(partition.nodes)]
    if foreign:
        yield asked.draft.where("nodelist").finding(
            Kind.NODES_NOT_IN_PARTITION,
            NOT_AVAILABLE,
            facts={"nodes": " ".join(foreign), "partition": partition.name},
        )
    yield from _excluded(asked, partition)
    if component.nodes_min > len(partition.nodes):
        follows = component.tasks_per_node is not None and not asked.draft.has("nodes")  # then it is refused at once
        yield asked.draft.where("nodes", "nodelist", "ntasks").finding(
            Kind.EXCEEDS_PARTITION,
            NOT_AVAILABLE if follows else "Node count specification invalid",
            severity=Severity.ERROR if follows else _limit_severity(asked.site),
            facts=_too_much("node", component.nodes_min, len(partition.nodes), partition),
        )


def _features(asked: Asked, partition: Partition) -> Iterator[Finding]:
    """Plain lists only: all of a&b must be there. Of what holds "or" and counts the cluster judges itself."""
    constraint, known = asked.component.constraint or "", asked.site.features
    wanted = constraint.replace(",", "&").split("&")
    if known is None or not set(wanted) <= known or set(wanted) <= partition.features:
        return
    missing = next(each for each in wanted if each not in partition.features)
    yield asked.draft.where("constraint").finding(
        Kind.UNKNOWN_FEATURE,
        NOT_AVAILABLE,
        facts={"feature": missing, "known": " ".join(sorted(partition.features)), "partition": partition.name},
    )


def _excluded(asked: Asked, partition: Partition) -> Iterator[Finding]:
    component, where = asked.component, asked.draft.where("exclude")
    excluded = set(component.exclude)
    if excluded & set(component.nodelist):
        value = where.value or ""
        message = "Invalid node name specified"
        yield where.finding(Kind.INVALID_NODELIST, message, facts={"option": "exclude", "value": value})
        return
    left = len(set(partition.nodes) - excluded)
    if left < component.nodes_min <= len(partition.nodes):
        yield where.finding(
            Kind.EXCEEDS_PARTITION, NOT_AVAILABLE, facts=_too_much("node", component.nodes_min, left, partition)
        )


def _gres(asked: Asked, partition: Partition) -> Iterator[Finding]:
    kinds = asked.site.gres_kinds
    if partition.gres is None:
        return
    for device, given in _devices(asked):
        if device.count == 0 or (kinds is not None and device.name not in kinds):
            continue
        there = partition.gres_named(device.name)
        if there is None or there.count == 0 or (device.type and there.types and device.type not in there.types):
            facts: dict[str, str | int] = {"gres": device.name, "partition": partition.name}
            if device.type:
                facts["type"] = device.type
            repair = _other_device(device, given, partition)
            yield given.finding(Kind.GRES_NOT_AVAILABLE, NOT_AVAILABLE, repair=repair, facts=facts)
        elif device.count > there.count:
            yield given.finding(
                Kind.EXCEEDS_NODE,
                NOT_AVAILABLE,
                repair=re.sub(rf"\b{device.count}\b", str(there.count), given.value or "", count=1),
                facts=_too_much(device.name, device.count, there.count, partition),
            )


def _gpus_in_all(asked: Asked, partition: Partition) -> Iterator[Finding]:
    there, component = partition.gres_named(GPU), asked.component
    if there is None or not partition.nodes or component.gpus_per_node is not None:
        return
    available = there.count * min(component.nodes_max or len(partition.nodes), len(partition.nodes))
    if component.total_gpus > available > 0:
        yield asked.draft.where("gpus", "gpus-per-task").finding(
            Kind.EXCEEDS_PARTITION, NOT_AVAILABLE, facts=_too_much(GPU, component.total_gpus, available, partition)
        )


def _other_device(device: Device, given: Given, partition: Partition) -> str | None:
    """The same wish in NPUs, or without the type that the nodes do not have."""
    if given.option != "gres" or not given.value or "," in given.value:
        return None
    npus = partition.gres_named(NPU)
    if device.name in (GPU, NPU) and npus and npus.count:
        return f"{NPU}:{min(device.count, npus.count)}"
    return None


def _cpus(asked: Asked, partition: Partition) -> Iterator[Finding]:
    component, draft, per_node = asked.component, asked.draft, partition.cpus_per_node
    if not per_node or "overcommit" in draft.extra:
        return
    if component.cpus_per_task > per_node:
        yield draft.where("cpus-per-task").finding(
            Kind.EXCEEDS_NODE,
            "CPU count per node can not be satisfied",
            repair=str(per_node),
            facts=_too_much("cpu", component.cpus_per_task, per_node, partition),
        )
        return
    on_a_node = _cpus_on_a_node(component)
    if on_a_node > per_node:
        yield draft.where("ntasks-per-node", "ntasks", "cpus-per-task").finding(
            Kind.EXCEEDS_NODE, NOT_AVAILABLE, facts=_too_much("cpu", on_a_node, per_node, partition)
        )
        return
    available = per_node * min(component.nodes_max or len(partition.nodes), len(partition.nodes))
    if component.nodes_min <= len(partition.nodes) and component.total_cpus > available:
        yield draft.where("ntasks", "cpus-per-task").finding(
            Kind.EXCEEDS_PARTITION,
            NOT_AVAILABLE,
            severity=_limit_severity(asked.site),
            facts=_too_much("cpu", component.total_cpus, available, partition),
        )


def _cpus_on_a_node(component: Component) -> int:
    """On the fullest of its nodes, at the least."""
    least = (component.tasks_per_node or 1) * component.cpus_per_task
    if component.nodes_min == component.nodes_max:
        least = max(least, -(-component.total_cpus // component.nodes_min))
    return least


def _memory(asked: Asked, partition: Partition) -> Iterator[Finding]:
    component, available = asked.component, partition.memory_mb_per_node
    wanted = component.mem_mb_per_node or (component.mem_mb_per_cpu or 0) * _cpus_on_a_node(component)
    if available and wanted > available:
        yield asked.draft.where("mem", "mem-per-cpu").finding(
            Kind.EXCEEDS_NODE,
            "Memory specification can not be satisfied" if component.mem_mb_per_node else NOT_AVAILABLE,
            repair=f"{available}M" if component.mem_mb_per_node else None,
            facts=_too_much("memory_mb", wanted, available, partition),
        )


def _too_much(resource: str, wanted: int, available: int, partition: Partition) -> dict[str, str | int]:
    return {"resource": resource, "wanted": wanted, "available": available, "partition": partition.name}
