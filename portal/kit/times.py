"""Times and durations in words, in the reader's language and zone."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import get_language, gettext

NONE = "–"
MINUTE, HOUR, DAY = 60, 3_600, 86_400

# Only English pages name months; strftime would follow the machine's locale.
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def duration(seconds: int | timedelta | None) -> str:
    """ "45 s", "55 min", "2 h 05 min", "24 h", "3 d 17 h"; rounded down."""
    if seconds is None:
        return NONE
    if isinstance(seconds, timedelta):
        seconds = seconds // timedelta(seconds=1)
    if seconds < MINUTE:
        return gettext("{n} s").format(n=max(seconds, 0))
    if seconds < HOUR:
        return gettext("{n} min").format(n=seconds // MINUTE)
    if seconds < 2 * DAY:
        hours, minutes = divmod(seconds // MINUTE, 60)
        if not minutes:
            return gettext("{n} h").format(n=hours)
        return gettext("{h} h {m} min").format(h=hours, m=f"{minutes:02}")
    days, hours = divmod(seconds // HOUR, 24)
    if not hours:
        return gettext("{n} d").format(n=days)
    return gettext("{d} d {h} h").format(d=days, h=hours)


def short(moment: datetime, now: datetime) -> str:
    """ "16:40" today, "Wed 10:22" within the next six days, "30 Nov 21:14" this year, else with the year."""
    there, here = timezone.localtime(moment), timezone.localtime(now)
    days = (there.date() - here.date()).days
    at = f"{there:%H:%M}"
    if days == 0:
        return at
    if 0 < days <= 6:
        return f"{weekday(there.weekday())} {at}"
    if there.year == here.year:
        return f"{day_of_year(there)} {at}"
    return f"{date(there)} {at}"


def weekday(number: int) -> str:
    names = (
        gettext("Mon"),
        gettext("Tue"),
        gettext("Wed"),
        gettext("Thu"),
        gettext("Fri"),
        gettext("Sat"),
        gettext("Sun"),
    )
    return names[number]


def day_of_year(there: datetime) -> str:
    return f"{there:%m-%d}" if is_chinese() else f"{there.day} {MONTHS[there.month - 1]}"


def date(there: datetime) -> str:
    return f"{there:%Y-%m-%d}" if is_chinese() else f"{there.day} {MONTHS[there.month - 1]} {there.year}"


def is_chinese() -> bool:
    return (get_language() or "").startswith("zh")
