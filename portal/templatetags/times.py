"""Times and durations in words. static/js/times.js keeps `<time>` fresh with the same ones (`script_words`)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext

from portal.kit import clock as kit_clock

NONE = "–"
MINUTE, HOUR, DAY = 60, 3_600, 86_400


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


def relative(moment: datetime, now: datetime) -> str:
    """ "34 s ago", "2 h ago", "5 days ago", "in 2 h 35 min"; beyond a month the date."""
    seconds = (now - moment) // timedelta(seconds=1)
    if abs(seconds) >= 31 * DAY:
        return short(moment, now)
    if seconds < 0:
        return gettext("in {time}").format(time=duration(-seconds))
    if seconds < MINUTE:
        return gettext("{n} s ago").format(n=seconds)
    if seconds < HOUR:
        return gettext("{n} min ago").format(n=seconds // MINUTE)
    if seconds < DAY:
        return gettext("{n} h ago").format(n=seconds // HOUR)
    days = seconds // DAY
    return ngettext("{n} day ago", "{n} days ago", days).format(n=days)


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


# Only English pages name months; strftime would follow the machine's locale.
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def is_chinese() -> bool:
    return (get_language() or "").startswith("zh")


def exact(moment: datetime) -> str:
    """ "2026-12-01 14:05:09 UTC+8", in the reader's zone."""
    there = timezone.localtime(moment)
    minutes = (there.utcoffset() or timedelta()) // timedelta(minutes=1)
    sign, (hours, rest) = ("-" if minutes < 0 else "+"), divmod(abs(minutes), 60)
    zone = f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "") if minutes else "UTC"
    return f"{there:%Y-%m-%d %H:%M:%S} {zone}"


def element(moment: datetime, text: str, live: str) -> SafeString:
    return format_html(
        '<time datetime="{}" title="{}"{}>{}</time>',
        moment.isoformat(),
        exact(moment),
        format_html(' data-live="{}"', live) if live else "",
        text,
    )


def when(moment: datetime | None) -> SafeString | str:
    """Relative, kept fresh in the browser; the exact time on hover."""
    return NONE if moment is None else element(moment, relative(moment, kit_clock.now()), "relative")


def clock(moment: datetime | None) -> SafeString | str:
    """Short and absolute; the exact time on hover."""
    return NONE if moment is None else element(moment, short(moment, kit_clock.now()), "")


def since(moment: datetime | None) -> SafeString | str:
    """How long it has lasted, counted on in the browser."""
    if moment is None:
        return NONE
    return element(moment, duration(kit_clock.now() - moment), "since")


def script_words() -> dict[str, str]:
    """What the scripts say, in the page's language. The keys are static/js's."""
    return {
        "seconds": gettext("{n} s"),
        "minutes": gettext("{n} min"),
        "hours": gettext("{n} h"),
        "hours_minutes": gettext("{h} h {m} min"),
        "days": gettext("{n} d"),
        "days_hours": gettext("{d} d {h} h"),
        "in": gettext("in {time}"),
        "seconds_ago": gettext("{n} s ago"),
        "minutes_ago": gettext("{n} min ago"),
        "hours_ago": gettext("{n} h ago"),
        "day_ago": ngettext("{n} day ago", "{n} days ago", 1),
        "days_ago": ngettext("{n} day ago", "{n} days ago", 2),
        "copied": gettext("Copied"),
        "not_copied": gettext("Could not copy; select the text and copy it yourself."),
        "new_rows": gettext("{n} new, show"),
        "moved_rows": gettext("New order, show"),
        "failed": gettext("That did not work. Try again; if it stays so, tell support this number: {id}"),
        "unreachable": gettext("The portal has not answered since {time}. What you see may be old."),
    }
