from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from accounting import calendar

SHANGHAI = ZoneInfo("Asia/Shanghai")


def test_a_week_begins_on_monday_where_the_organisation_is() -> None:
    sunday_evening_in_utc = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)  # Monday 04:00 in Shanghai
    week = calendar.week_of(sunday_evening_in_utc, SHANGHAI)
    assert week.first_day == date(2026, 11, 30)
    assert week.start == datetime(2026, 11, 29, 16, 0, tzinfo=UTC)
    assert week.end - week.start == timedelta(days=7)


def test_a_month_ends_where_the_next_begins() -> None:
    month = calendar.month_of(datetime(2026, 12, 31, 15, 59, tzinfo=UTC), SHANGHAI)
    assert (month.first_day, month.end) == (date(2026, 12, 1), datetime(2026, 12, 31, 16, 0, tzinfo=UTC))


@pytest.mark.parametrize("day, hours", [(date(2026, 3, 29), 7 * 24 - 1), (date(2026, 10, 25), 7 * 24 + 1)])
def test_weeks_across_daylight_saving_are_an_hour_shorter_or_longer(day: date, hours: int) -> None:
    zone = ZoneInfo("Europe/Berlin")
    week = calendar.week_of(datetime(day.year, day.month, day.day, 12, tzinfo=UTC), zone)
    assert week.end - week.start == timedelta(hours=hours)
