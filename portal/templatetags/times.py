"""Times in words as elements of a page. static/js/times.js keeps `<time>` fresh with the same ones (`script_words`)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from portal.kit import clock as kit_clock
from portal.kit.times import DAY, HOUR, MINUTE, NONE, date, duration, short


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


def day(moment: datetime | None) -> SafeString | str:
    """The date alone, where the time of day tells nothing; exact on hover."""
    return NONE if moment is None else element(moment, date(timezone.localtime(moment)), "")


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
