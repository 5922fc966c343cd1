"""Names and limits of the whole job: account, QOS, reservation, cluster, and what the backend cannot do."""

from __future__ import annotations

from collections.abc import Iterator

from scheduling.jobspec.draft import Draft
from scheduling.jobspec.findings import Finding, Kind, Severity
from scheduling.jobspec.site import Account, Qos
from scheduling.jobspec.spec import JobSpec

_NODES = ("nodes", "nodelist", "ntasks")
_NPUS = ("gres", "nodes")
_CPUS = ("cpus-per-task", "ntasks", "ntasks-per-node", "nodes")
_MEMORY = ("mem", "mem-per-cpu", *_CPUS)


def on_job(spec: JobSpec, draft: Draft) -> Iterator[Finding]:
    yield from _account(spec, draft)
    yield from _qos(spec, draft)
    yield from _other_names(spec, draft)
    yield from _abilities(spec, draft)


def _account(spec: JobSpec, draft: Draft) -> Iterator[Finding]:
    accounts = {each.name: each for each in draft.site.accounts}
    if not accounts:
        return
    default = next((each.name for each in draft.site.accounts if each.default), None)
    given = draft.get("account", str)
    name = default if given is None else given
    if name is not None and name not in accounts:
        message = "Invalid account or account/partition combination specified"
        yield draft.where("account").finding(Kind.INVALID_ACCOUNT, message, facts={"value": name})
    elif name is not None:
        yield from _account_limits(spec, draft, accounts[name])


def _account_limits(spec: JobSpec, draft: Draft, account: Account) -> Iterator[Finding]:
    memory = sum(each.total_mem_mb or 0 for each in spec.components)
    checks = (
        (Kind.EXCEEDS_ACCOUNT_NODES, "AssocMaxNodePerJobLimit", spec.nodes_min, account.max_nodes_per_job, _NODES),
        (Kind.EXCEEDS_ACCOUNT_NPUS, "AssocMaxGRESPerJob", spec.total_npus, account.max_npus_per_job, _NPUS),
        (Kind.EXCEEDS_ACCOUNT_NPUS, "AssocGrpGRES", spec.total_npus, account.max_npus, _NPUS),
        (Kind.EXCEEDS_ACCOUNT_CPUS, "AssocGrpCpuLimit", spec.total_cpus, account.max_cpus, _CPUS),
        (Kind.EXCEEDS_ACCOUNT_MEMORY, "AssocGrpMemLimit", memory, account.max_memory_mb, _MEMORY),
    )
    told: set[Kind] = set()
    for kind, reason, wanted, most, options in checks:
        if most is not None and wanted > most and kind not in told:
            told.add(kind)
            facts: dict[str, str | int] = {"account": account.name, "wanted": wanted, "max": most}
            yield draft.where(*options).finding(kind, reason, severity=Severity.WARNING, facts=facts)
    if account.max_seconds is not None and _longer(spec, account.max_seconds):
        yield draft.where("time").finding(
            Kind.EXCEEDS_ACCOUNT_TIME,
            "AssocMaxWallDurationPerJobLimit",
            severity=Severity.WARNING,
            facts=_time_facts(spec, account.max_seconds) | {"account": account.name},
        )


def _qos(spec: JobSpec, draft: Draft) -> Iterator[Finding]:
    known = {each.name: each for each in draft.site.qos}
    name = draft.get("qos", str)
    if not known or name is None:
        return
    if name not in known:
        yield draft.where("qos").finding(Kind.INVALID_QOS, "Invalid qos specification", facts={"value": name})
        return
    yield from _qos_limits(spec, draft, known[name])


def _qos_limits(spec: JobSpec, draft: Draft, qos: Qos) -> Iterator[Finding]:
    severity = Severity.ERROR if qos.deny_on_limit else Severity.WARNING
    npus = spec.total_npus
    if qos.min_npus_per_job and npus < qos.min_npus_per_job and "gres" not in draft.broken:
        facts: dict[str, str | int] = {"qos": qos.name, "wanted": npus, "min": qos.min_npus_per_job}
        where = draft.where("qos")
        yield where.finding(Kind.BELOW_QOS_MINIMUM, "QOSMinGRES", severity=severity, facts=facts)
    if qos.max_npus is not None and npus > qos.max_npus:
        facts = {"qos": qos.name, "wanted": npus, "max": qos.max_npus}
        where = draft.where(*_NPUS)
        yield where.finding(Kind.EXCEEDS_QOS_NPUS, "QOSMaxGRESPerUser", severity=severity, facts=facts)
    if qos.max_seconds is not None and _longer(spec, qos.max_seconds):
        facts = _time_facts(spec, qos.max_seconds) | {"qos": qos.name}
        message = "QOSMaxWallDurationPerJobLimit"
        yield draft.where("time").finding(Kind.EXCEEDS_QOS_TIME, message, severity=severity, facts=facts)


def _longer(spec: JobSpec, most: int) -> bool:
    return spec.time_unlimited or (spec.time_limit_seconds or 0) > most


def _time_facts(spec: JobSpec, most: int) -> dict[str, str | int]:
    wanted = {} if spec.time_limit_seconds is None else {"wanted_seconds": spec.time_limit_seconds}
    return {"max_seconds": most, **wanted}


def _other_names(spec: JobSpec, draft: Draft) -> Iterator[Finding]:
    site = draft.site
    if site.reservations is not None and spec.reservation:
        for name in spec.reservation.split(","):
            if name not in site.reservations:
                where, message = draft.where("reservation"), "Requested reservation is invalid"
                yield where.finding(Kind.INVALID_RESERVATION, message, facts={"value": name})
    clusters = draft.get("clusters", str)
    if site.cluster_name is not None and clusters is not None and clusters != "all":
        for name in clusters.split(","):
            if name != site.cluster_name:
                message = f"No cluster '{name}' known by database."
                yield draft.where("clusters").finding(Kind.INVALID_CLUSTER, message, facts={"value": name})


def _abilities(spec: JobSpec, draft: Draft) -> Iterator[Finding]:
    wanted = (
        ("arrays", "array", spec.array is not None),
        ("dependencies", "dependency", bool(spec.dependency)),
        ("heterogeneous", "hetjob", spec.heterogeneous),
    )
    for ability, option, asked in wanted:
        if asked and ability in draft.site.lacks:
            message = f"This cluster cannot do it: {ability}"
            yield draft.where(option).finding(Kind.NOT_SUPPORTED_HERE, message, facts={"ability": ability})
    if spec.array is not None and spec.heterogeneous:
        yield draft.where("array").finding(
            Kind.INVALID_ARRAY,
            "Invalid job array specification",
            facts={"value": spec.array.text, "why": "heterogeneous"},
        )
