"""Numbers, times and states in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

from portal.kit import clock
from portal.kit import times as kit_times
from portal.kit.grains import from_npus
from portal.templatetags import bars, kit, times
from scheduling.models import State

NOW = datetime(2026, 12, 1, 6, 5, tzinfo=UTC)  # a Tuesday, 14:05 in Shanghai


@pytest.fixture(autouse=True)
def _in_shanghai(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)
    with timezone.override("Asia/Shanghai"), translation.override("en"):
        yield


def draw(text, **context):
    return Template(text).render(Context(context))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (7_500, "2 h 05 min"),
        (86_400, "24 h"),
        (172_799, "47 h 59 min"),
        (172_800, "2 d"),
        (320_400, "3 d 17 h"),
        (timedelta(minutes=5), "5 min"),
        (None, "–"),
    ],
)
def test_duration(seconds, words):
    assert kit_times.duration(seconds) == words


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (5, "5 s ago"),
        (600, "10 min ago"),
        (7_300, "2 h ago"),
        (86_400, "1 day ago"),
        (5 * 86_400, "5 days ago"),
        (-540, "in 9 min"),
        (-9_300, "in 2 h 35 min"),
        (-338_400, "in 3 d 22 h"),
        (40 * 86_400, "22 Oct 14:05"),
    ],
)
def test_relative(ago, words):
    assert times.relative(NOW - timedelta(seconds=ago), NOW) == words


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (datetime(2026, 12, 1, 8, 40, tzinfo=UTC), "16:40"),
        (datetime(2026, 12, 2, 2, 22, tzinfo=UTC), "Wed 10:22"),
        (datetime(2026, 11, 30, 13, 14, tzinfo=UTC), "30 Nov 21:14"),
        (datetime(2027, 2, 27, 16, 0, tzinfo=UTC), "28 Feb 2027 00:00"),
    ],
)
def test_clock_is_short_and_in_the_readers_zone(moment, words):
    assert f">{words}</time>" in times.clock(moment)


def test_chinese_dates_are_numbers():
    with translation.override("zh-hans"):
        assert kit_times.short(datetime(2026, 11, 30, 13, 14, tzinfo=UTC), NOW) == "11-30 21:14"
        assert kit_times.short(datetime(2025, 11, 30, 13, 14, tzinfo=UTC), NOW) == "2025-11-30 21:14"


def test_day_is_a_date_for_today_too():
    assert ">1 Dec 2026</time>" in times.day(NOW)
    with translation.override("zh-hans"):
        assert ">2026-12-01</time>" in times.day(NOW)


def test_exact_time_and_zone_stand_on_hover():
    assert 'title="2026-12-01 14:05:00 UTC+8"' in times.when(NOW)
    with timezone.override("Asia/Kolkata"):
        assert times.exact(NOW) == "2026-12-01 11:35:00 UTC+5:30"
    with timezone.override("America/New_York"):
        assert times.exact(NOW) == "2026-12-01 01:05:00 UTC-5"


@pytest.mark.parametrize("state", State.values)
def test_every_state_has_a_badge_with_its_word(state):
    html = draw("{% badge state %}", state=State(state))
    assert str(State(state).label) in html
    assert "<svg" in html


def test_unknown_icon_fails_loudly():
    with pytest.raises(FileNotFoundError):
        draw('{% icon "no-such-icon" %}')
    with pytest.raises(ValueError, match="name of an icon"):
        draw('{% icon "../../package" %}')


def test_amount_and_money_as_people_write_them():
    assert draw("{% amount a %}|{% amount none %}", a=from_npus("24/7"), none=None) == "3.43|–"
    assert draw("{% money m %}", m=1_152_000_000) == "¥\u00a01,152.00"
    texts = [draw("{% column_amount a %}", a=from_npus(npus)) for npus in ("0.8", "8.7", "4", "24/7", "0")]
    assert texts == ["0.80", "8.70", "4.00", "3.43", "0.00"]
    assert draw("{% npu_hours h %}", h=from_npus("29.7") * 3_600) == "29.7 NPU·h"


def parts(bar):
    return [(part.kind, part.x, part.width) for part in bar["parts"]]


def team(**npus):
    return bars.team_bar(**{key: None if value is None else from_npus(value) for key, value in npus.items()})


def test_below_its_guarantee_a_team_shows_own_lent_free_and_what_it_may_borrow():
    bar = team(own=16, borrowed=0, lent=6, free=3, guaranteed=25, may_borrow=25)
    assert parts(bar) == [("own", "0%", "32%"), ("lent", "32%", "12%"), ("free", "44%", "6%"), ("rest", "50%", "50%")]
    assert bar["mark"] == "50%"
    assert bar["label"] == "own 16 of 25, borrowed 0 of at most 25, lent 6, free 3"


def test_above_it_borrowed_stands_behind_the_mark():
    bar = team(own=30, borrowed=12, lent=0, free=0, guaranteed=30, may_borrow=20)
    assert parts(bar) == [("own", "0%", "60%"), ("borrowed", "60%", "24%"), ("rest", "84%", "16%")]


def test_without_a_guarantee_there_is_no_mark_and_all_is_borrowed():
    bar = team(own=0, borrowed=8, guaranteed=0, may_borrow=32)
    assert bar["mark"] == ""
    assert [entry.kind for entry in bar["entries"]] == ["borrowed"]


def test_without_a_borrow_limit_the_bar_is_as_long_as_the_pool():
    bar = team(own=5, borrowed=3, guaranteed=5, may_borrow=None, capacity=16)
    assert parts(bar)[-1] == ("rest", "50%", "50%")
    assert "at most" not in bar["label"]


def test_a_jobs_bracket_covers_the_last_of_what_is_used():
    bar = team(own=30, borrowed=10, guaranteed=30, may_borrow=20, job=16)
    assert bar["bracket"] == {"from": "48%", "to": "80%"}


def test_a_bar_without_anything_is_empty():
    assert parts(team(own=0, borrowed=0, guaranteed=0, may_borrow=0)) == []


@pytest.mark.parametrize(("part", "total"), [(1, 3), (2, 3), (33_600, 7 * 33_600), (5, 5), (10**15 + 1, 3 * 10**15)])
def test_percentages_are_exact_to_four_decimals(part, total):
    shown = Fraction(bars.percent(part, total).removesuffix("%"))
    assert abs(shown - Fraction(100 * part, total)) <= Fraction(1, 20_000)


def test_initials_follow_the_pages_script():
    assert kit.initials("Lin Yue") == "LY"
    assert kit.initials("林悦") == "悦"
    assert kit.initials("林悦 Lin Yue") == "LY"
    with translation.override("zh-hans"):
        assert kit.initials("林悦 Lin Yue") == "悦"
    assert kit.initials("x_1") == "X"
    assert kit.initials("") == ""
