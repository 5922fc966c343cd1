"""The queue's answer to "where am I?", and how it is with the pool."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from npu_inventory.models import Pool
from portal.kit.grains import as_text
from portal.kit.times import short
from scheduling.queries.queue import Standing, Tally
from scheduling.texts.sentence import joined


def heading(standing: Standing, *, now: datetime) -> str:
    job = standing.next
    if job is not None:
        place = "" if job.place is None else place_in_line(job.place)
        return _next(place).format(time=_start(job.expected_at, now), place=place)
    if standing.running:
        return ngettext("Your job is running", "Your {n} jobs are running", standing.running).format(n=standing.running)
    if standing.starting:
        return ngettext("Your job is starting", "Your {n} jobs are starting", standing.starting).format(
            n=standing.starting
        )
    return _("You have no job waiting or running")


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


def pool_sentence(pool: Pool, *, used: int, capacity: int, waits: Tally) -> str:
    sentences = [
        _("Pool {pool}: {used} of {capacity} NPUs in use, {idle} idle.").format(
            pool=pool, used=as_text(used), capacity=as_text(capacity), idle=as_text(max(0, capacity - used))
        )
    ]
    if waits.jobs:
        template = ngettext("One job waits for {npus} NPUs.", "{n} jobs wait for {npus} NPUs.", waits.jobs)
        sentences.append(template.format(n=waits.jobs, npus=as_text(waits.grains)))
    else:
        sentences.append(_("No job waits."))
    return joined(sentences)
