"""The queue's answer to "where am I?", and how it is with the pool."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from npu_inventory.models import Pool
from portal.kit.grains import as_text
from portal.kit.times import short
from scheduling.models import Job
from scheduling.queries.present import Figures
from scheduling.texts.sentence import joined


def heading(job: Job | None, figures: Figures, *, submits: bool, now: datetime) -> str:
    """`job`: the person's own one that starts next."""
    if job is not None:
        place = "" if job.place is None else place_in_line(job.place)
        return _next(place).format(time=_start(job.expected_at, now), place=place)
    if figures.running:
        return ngettext("Your job is running", "Your {n} jobs are running", figures.running).format(n=figures.running)
    if figures.starting:
        return ngettext("Your job is starting", "Your {n} jobs are starting", figures.starting).format(
            n=figures.starting
        )
    return _("You have no job waiting or running") if submits else _everybody(figures)


def _everybody(figures: Figures) -> str:
    """For those who only look."""
    waiting = ngettext("One job waits", "{n} jobs wait", figures.waiting).format(n=figures.waiting)
    running = ngettext("one runs", "{n} run", figures.holding).format(n=figures.holding)
    return _("{waiting}, {running}").format(waiting=waiting, running=running)


def _start(moment: datetime | None, now: datetime) -> str:
    if moment is None:
        return _("waits; when it starts cannot be told yet")
    if moment <= now:
        return _("starts any moment now")
    return _("starts at about {time}").format(time=short(moment, now))


def _next(place: str) -> str:
    return _("Your next job {time}, {place}") if place else _("Your next job {time}")


def place_in_line(place: int) -> str:
    words = (
        _("first in line"),
        _("second in line"),
        _("third in line"),
        _("fourth in line"),
        _("fifth in line"),
        _("sixth in line"),
        _("seventh in line"),
        _("eighth in line"),
        _("ninth in line"),
        _("tenth in line"),
    )
    return words[place - 1] if place <= len(words) else _("number {n} in line").format(n=place)


def pool_sentence(pool: Pool, figures: Figures) -> str:
    sentences = [
        _("Pool {pool}: {used} of {capacity} NPUs in use, {idle} idle.").format(
            pool=pool,
            used=as_text(figures.own + figures.borrowed),
            capacity=as_text(figures.capacity),
            idle=as_text(figures.free),
        )
    ]
    if figures.waiting:
        template = ngettext("One job waits for {npus} NPUs.", "{n} jobs wait for {npus} NPUs.", figures.waiting)
        sentences.append(template.format(n=figures.waiting, npus=as_text(figures.waiting_grains)))
    else:
        sentences.append(_("No job waits."))
    return joined(sentences)
