"""Weeks and months in the organisation's time zone, across daylight saving too. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Period:
    """[start, end), both aware and in UTC, and the first day by the calendar."""

    first_day: date
    start: datetime
    end: datetime


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """When this day begins there; where the clocks jump over midnight, the first moment that exists."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def week_of(moment: datetime, zone: ZoneInfo) -> Period:
    """Monday to Monday."""
    day = moment.astimezone(zone).date()
    return _period(day - timedelta(days=day.weekday()), day + timedelta(days=7 - day.weekday()), zone)


def month_of(moment: datetime, zone: ZoneInfo) -> Period:
    first = moment.astimezone(zone).date().replace(day=1)
    return _period(first, (first + timedelta(days=32)).replace(day=1), zone)


def _period(first: date, after: date, zone: ZoneInfo) -> Period:
    return Period(first, midnight(first, zone), midnight(after, zone))
