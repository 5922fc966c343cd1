"""From the options of one or several components to the specification and the site's verdict on it."""

from __future__ import annotations

from collections.abc import Sequence

from scheduling.jobspec import limits, portal_rules, verdict
from scheduling.jobspec.draft import Draft
from scheduling.jobspec.findings import Finding
from scheduling.jobspec.given import Given
from scheduling.jobspec.layout import component
from scheduling.jobspec.site import Site
from scheduling.jobspec.spec import DEFAULT_ARRAY_OUTPUT, DEFAULT_OUTPUT, Array, Component, JobSpec, Signal
from scheduling.jobspec.values import Dependencies


def assemble(parts: Sequence[Sequence[Given]], *, script: str, site: Site) -> tuple[JobSpec, list[Finding]]:
    """One list of options per component, in order, since a component keeps what the one before it said."""
    draft = Draft(site)
    components: list[Component] = []
    findings: list[Finding] = []
    for place, options in enumerate(parts):
        if place:
            draft.next_component()
        for given in options:
            findings += draft.take(given)
        made, doubts = component(draft)
        components.append(made)
        findings += doubts
        limit = draft.get("time", int)
        asked = verdict.Asked(component=made, draft=draft, seconds=limit or None, unlimited=limit == 0)
        findings += verdict.on_component(asked)
    spec = _spec(draft, tuple(components), script)
    findings += limits.on_job(spec, draft)
    findings += portal_rules.on_job(spec, draft)
    return spec, findings


def _spec(draft: Draft, components: tuple[Component, ...], script: str) -> JobSpec:
    limit = draft.get("time", int)
    array = draft.get("array", Array)
    waits_for = draft.get("dependency", Dependencies) or Dependencies(all=())
    return JobSpec(
        name=draft.get("job-name", str) or None,
        account=draft.get("account", str) or None,
        qos=draft.get("qos", str) or None,
        components=components,
        time_limit_seconds=limit or None,
        time_unlimited=limit == 0,
        output=draft.get("output", str) or (DEFAULT_OUTPUT if array is None else DEFAULT_ARRAY_OUTPUT),
        error=draft.get("error", str) or None,
        array=array,
        dependency=waits_for.all,
        dependency_any=waits_for.any_is_enough,
        requeue=draft.get("requeue", bool),
        signal=draft.get("signal", Signal),
        mail_type=draft.get("mail-type", tuple) or (),
        mail_user=draft.get("mail-user", str) or None,
        comment=draft.get("comment", str) or None,
        reservation=draft.get("reservation", str) or None,
        begin=draft.get("begin", str) or None,
        script=script,
        extra=tuple(draft.extra.items()),
    )
