"""The preview of a job in words and numbers, for the submit page."""

from __future__ import annotations

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from accounting.models import User
from portal.kit import clock, grains, money
from portal.kit.access import May
from portal.kit.times import duration, short
from scheduling.models import Job
from scheduling.services.simulate import Preview
from scheduling.texts import reasons
from scheduling.texts.sentence import comma, joined

NBSP = "\u00a0"


def before_and_after(preview: Preview, *, fits: bool) -> SafeString:
    if not fits:
        return format_html(gettext("{before} used now, some must end first"), before=_bold(preview.used_before))
    words = gettext("{before} before it, {after} with it")
    return format_html(words, before=_bold(preview.used_before), after=_bold(preview.used_after))


def bracket(preview: Preview) -> str:
    """What of the job is whose, said under the bar."""
    split = preview.split
    if split is None:
        return ""
    borrowed = split.elastic + split.borrowed
    if not borrowed:
        return gettext("The bracket is this job: {own} own.").format(own=grains.as_text(split.guaranteed))
    if not split.guaranteed:
        return gettext("The bracket is this job: {borrowed} borrowed.").format(borrowed=grains.as_text(borrowed))
    words = gettext("The bracket is this job: {own} own, {borrowed} borrowed.")
    return words.format(own=grains.as_text(split.guaranteed), borrowed=grains.as_text(borrowed))


def lenders(preview: Preview) -> str:
    elastic = gettext("the elastic pool")
    return comma().join(f"{name or elastic} {grains.as_text(amount)}" for name, amount in preview.lenders)


def why(preview: Preview, *, user: User) -> SafeString | str:
    """Why it would not start now, what its expected start rests on."""
    if preview.starts_now or preview.never is not None:
        return ""
    now, job = clock.now(), _as_waiting(preview)
    told = reasons.waiting(job, now=now)
    seen = set(Job.objects.where(user, May.SEE).filter(pk__in=told.jobs).values_list("pk", flat=True))
    starts = reasons.start(job, now=now) if preview.expected_at is not None else told.then
    return mark_safe(joined(each.html(seen) for each in (told.short, starts) if each))  # each is escaped already


def _as_waiting(preview: Preview) -> Job:
    """The unsaved job with what a pass would have said of it."""
    job = preview.job
    job.wait_reason, job.wait_facts, job.place = preview.reason, dict(preview.facts), preview.place
    job.expected_at, job.expected_on, job.expected_after = preview.expected_at, preview.assumption, list(preview.after)
    return job


def price(preview: Preview) -> str:
    """How the cost is reckoned: "24 h × (6 × ¥ 4.00 + 10 × ¥ 3.20)"."""
    seconds = preview.job.time_limit_seconds
    parts = [f"{grains.as_text(line.grains)} × {_money(line.micro_per_npu_hour)}" for line in preview.cost]
    if not parts:
        return ""
    total = parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"
    if seconds is None:
        return gettext("{sum} for each hour").format(sum=total)
    return f"{duration(seconds)} × {total}"


def spoken(preview: Preview | None, *, errors: int) -> str:
    """The panel in one sentence, for who cannot see it change."""
    found = ngettext("{n} error", "{n} errors", errors).format(n=errors) if errors else gettext("no errors")
    if preview is None:
        return found
    starts = gettext("starts now") if preview.starts_now else gettext("start not known")
    if preview.expected_at is not None and not preview.starts_now:
        starts = gettext("starts about {time}").format(time=short(preview.expected_at, clock.now()))
    cost = "" if preview.cost_micro is None else gettext("costs at most {cost}").format(cost=_money(preview.cost_micro))
    takes = gettext("takes {npus} NPU").format(npus=grains.as_text(preview.grains))
    return comma().join(filter(None, [takes, starts, cost, found]))


def _money(micro: int) -> str:
    return f"{settings.CURRENCY_SIGN}{NBSP}{money.as_text(micro)}"


def _bold(amount: int) -> SafeString:
    return format_html("<b>{}</b>", grains.as_text(amount))
