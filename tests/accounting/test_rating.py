from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from accounting.rating import PriceList, PriceStep, Stretch
from portal.kit import money
from portal.kit.grains import GRAINS_PER_NPU

DAY = 86_400


def stretch(since: int, until: int, npus: int = 1) -> Stretch:
    return Stretch(pool=1, source="guaranteed", grains=npus * GRAINS_PER_NPU, since=since, until=until)


def prices(*steps: tuple[int, int]) -> PriceList:
    return PriceList({(1, "guaranteed"): [PriceStep(*step) for step in steps]})


def test_an_npu_for_an_hour_costs_the_price() -> None:
    assert prices((0, 4_000_000)).cost(stretch(3600, 7200)) == 4_000_000


def test_a_change_of_price_cuts_the_stretch() -> None:
    assert prices((0, 4_000_000), (5400, 2_000_000)).cost(stretch(3600, 7200)) == 3_000_000


def test_before_the_first_price_use_is_free() -> None:
    assert prices((7200, 4_000_000)).cost(stretch(0, 7200)) == 0


def test_one_second_of_one_npu_is_an_exact_fraction() -> None:
    assert prices((0, 1_000_000)).cost(stretch(0, 1)) == Fraction(1_000_000, 3600)


def test_within_cuts_to_a_period_and_never_turns_negative() -> None:
    assert stretch(10, 20).within(15, 30).grain_seconds == 5 * GRAINS_PER_NPU
    assert stretch(10, 20).within(30, 40).grain_seconds == 0


@given(
    cuts=st.lists(st.integers(0, DAY), max_size=5),
    steps=st.lists(st.tuples(st.integers(0, DAY), st.integers(0, 10**9)), max_size=4, unique_by=lambda step: step[0]),
)
def test_cutting_a_stretch_changes_nothing(cuts: list[int], steps: list[tuple[int, int]]) -> None:
    edges = sorted({0, DAY, *cuts})
    listed = prices(*steps)
    parts = sum(listed.cost(stretch(since, until)) for since, until in pairwise(edges))
    assert parts == listed.cost(stretch(0, DAY))


def test_halves_are_rounded_away_from_zero() -> None:
    assert [money.round_micro(Fraction(n, 2)) for n in (1, 3, -1, -3)] == [1, 2, -1, -2]
    assert money.as_text(1_152_000_000) == "1,152.00"
    assert money.as_text(-5_000) == "-0.01"


def test_at_most_bounds_every_way_to_be_charged() -> None:
    """A loan that becomes own when a sibling ends costs more than it began with; the bound knows that beforehand."""
    prices_of = {"guaranteed": 4_000_000, "elastic": 3_200_000, "borrowed": 3_000_000}
    listed = PriceList({(1, source): [PriceStep(0, micro)] for source, micro in prices_of.items()})
    sizes = {"pool": 1, "grains": 8 * GRAINS_PER_NPU, "guaranteed": 5 * GRAINS_PER_NPU, "since": 0, "until": 3600}
    parts = listed.at_most(own_only=False, **sizes)
    assert [(stretch.source, stretch.grains // GRAINS_PER_NPU) for stretch, _ in parts] == [
        ("guaranteed", 5),
        ("elastic", 3),
    ]
    assert sum(cost for _, cost in parts) == 5 * 4_000_000 + 3 * 3_200_000
