"""What the submit page says about a script: its findings, what it takes, when it would start, what it would cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

import accounting.texts
import scheduling.texts
from accounting.models import Project, Team, User
from npu_inventory.models import NPU
from portal.kit import clock
from portal.kit.errors import PortalError
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import jobspec
from scheduling.forms import header
from scheduling.forms.repairs import mended
from scheduling.forms.submit import FORM, SubmitForm
from scheduling.queries.site import site_for
from scheduling.services import simulate
from scheduling.services.simulate import Preview
from scheduling.texts.facts import in_words
from scheduling.texts.findings import repair_label, say
from scheduling.views import submit_words as words

ROUNDS = 3  # a mended line may show the next mistake in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One finding as the page shows it."""

    number: int
    level: str
    line: int
    field: str
    """In the form: which of its fields is meant."""
    text: str
    wording: str
    """Slurm's own."""
    repair: str
    """What the repairing button says; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One of the two ways to start: with loans, or only on what the team owns."""

    own: bool
    chosen: bool
    preview: Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """The team's bar when the job runs, in grains."""

    own: int
    borrowed: int
    capacity: int
    fits: bool
    """Beside what the team uses now; else some of that must end first."""


@dataclass(slots=True, kw_only=True)
class Panel:
    text: str
    reading: jobspec.Reading
    said: list[Said]
    preview: Preview | None = None
    reckoned: tuple[int, ...] = ()
    """Lines that were taken as repaired to reckon at all."""
    refusal: str = ""
    ways: list[Way] = field(default_factory=list)
    bar: Bar | None = None
    why: SafeString | str = ""

    @property
    def cores(self) -> int:
        return self.preview.job.cpus_per_node * self.preview.job.nodes_min if self.preview else 0

    @property
    def before_and_after(self) -> SafeString | str:
        return words.before_and_after(self.preview, fits=self.bar.fits) if self.preview and self.bar else ""

    @property
    def bracket(self) -> str:
        return words.bracket(self.preview) if self.preview else ""

    @property
    def lenders(self) -> str:
        return words.lenders(self.preview) if self.preview else ""

    @property
    def price(self) -> str:
        return words.price(self.preview) if self.preview else ""

    @property
    def spoken(self) -> str:
        return words.spoken(self.preview, errors=len(self.errors))

    @property
    def errors(self) -> list[Said]:
        return [each for each in self.said if each.level == "error"]

    @property
    def grave(self) -> list[Said]:
        return [each for each in self.said if each.level != "note"]

    @property
    def notes(self) -> list[Said]:
        return [each for each in self.said if each.level == "note"]

    @property
    def blocked(self) -> str:
        """Why Submit is off."""
        if self.refusal:
            return gettext("This cannot be submitted")
        lines = sorted({each.line for each in self.errors if each.line})
        if len(lines) == 1:
            return gettext("Mend line %(line)s first") % {"line": lines[0]}
        if self.errors:
            count = len(self.errors)
            return ngettext("Mend the error first", "Mend the %(count)s errors first", count) % {"count": count}
        return ""

    @property
    def spec(self) -> jobspec.JobSpec | None:
        return self.reading.spec


def panel_of(user: User, form: SubmitForm, *, reckon: bool = True) -> Panel:
    """Call on a form that was validated, its other fields may be in error. Without `reckon` only the script is read."""
    team, project = form.for_team, form.cleaned_data.get("project")
    site = site_for(user, team)
    form.offer_partitions(site)
    text = form.sent
    unread = form.errors.get("script") or form.errors.get("command")
    if unread:
        return Panel(text="", reading=jobspec.Reading(spec=None), said=[], refusal=" ".join(map(str, unread)))
    reading = jobspec.read(text, site)
    panel = Panel(text=text, reading=reading, said=_said(reading, text, form))
    usable, panel.reckoned = _usable(text, reading, site)
    if not reckon or team is None or usable.spec is None or usable.errors:
        return panel
    try:
        _reckon(panel, user=user, team=team, project=project, reading=usable, own=form.cleaned_data["own"])
    except PortalError as error:
        panel.refusal = refusal(error)
    return panel


def _usable(text: str, reading: jobspec.Reading, site: jobspec.Site) -> tuple[jobspec.Reading, tuple[int, ...]]:
    """The reading, or where its errors can be repaired the one of the repaired script, and the lines repaired."""
    lines: list[int] = []
    for _ in range(ROUNDS):
        if not reading.errors or any(not _repairable(each) for each in reading.errors):
            break
        lines += [each.line for each in reading.errors]
        text = mended(text, reading.errors)
        reading = jobspec.read(text, site)
    return reading, tuple(sorted(set(lines)))


def _reckon(
    panel: Panel, *, user: User, team: Team, project: Project | None, reading: jobspec.Reading, own: bool
) -> None:
    preview = simulate.preview(user, team=team, project=project, reading=reading, own_only=own)
    panel.preview = preview
    panel.why = words.why(preview, user=user)
    if preview.never is not None:
        panel.refusal = sentence(preview.never.code, preview.never.facts)
    if preview.other is not None:
        pair = {own: preview, not own: preview.other}
        panel.ways = [Way(own=each, chosen=each == own, preview=pair[each]) for each in (False, True)]
    capacity = NPU.objects.filter(node__pool=preview.job.pool_id, in_service=True).count() * GRAINS_PER_NPU
    reach = capacity if preview.may_borrow is None else preview.guaranteed + preview.may_borrow
    after = min(preview.used_after, reach)
    panel.bar = Bar(
        own=min(after, preview.guaranteed),
        borrowed=max(0, after - preview.guaranteed),
        capacity=capacity,
        fits=preview.used_after <= reach,
    )


def _said(reading: jobspec.Reading, text: str, form: SubmitForm) -> list[Said]:
    in_form = form.cleaned_data.get("mode") == FORM
    order = list(jobspec.Severity)
    said = [
        Said(
            number=number,
            level={"info": "note"}.get(finding.severity.value, finding.severity.value),
            line=finding.line,
            field=header.field_at(text, line=finding.line, column=finding.column) if in_form and finding.line else "",
            text=say(finding.kind, finding.facts),
            wording=finding.message,
            repair=_label(finding),
        )
        for number, finding in enumerate(reading.findings)
    ]
    return sorted(said, key=lambda each: (order.index(reading.findings[each.number].severity), each.line))


def _repairable(finding: jobspec.Finding) -> bool:
    return finding.repair is not None or finding.kind is jobspec.Kind.DOS_LINE_BREAKS


def _label(finding: jobspec.Finding) -> str:
    if finding.kind is jobspec.Kind.DOS_LINE_BREAKS:
        return gettext("Convert the line ends")
    return "" if finding.repair is None else repair_label(finding.repair)


def refusal(error: PortalError) -> str:
    return error.message or sentence(error.code, error.facts)


def sentence(code: str, facts: Mapping[str, Any]) -> str:
    text = str({**accounting.texts.REFUSALS, **scheduling.texts.REFUSALS}[code])
    return text % in_words(facts, now=clock.now()) if facts else text
