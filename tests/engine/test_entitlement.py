"""The quota tree against its plain meaning, in small whole numbers."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

from scheduling.engine.entitlement import QuotaTree, available, over_borrow_limit, own_room, potential, reachable
from scheduling.engine.situation import Share
from tests.engine.build import POOL
from tests.engine.strategies import NUMBERS, Digits

TEAMS = (1, 2, 3, 4)


def tree_of(numbers: Sequence[int], *, spare: int, used: Sequence[int]) -> QuotaTree:
    """Teams 1 and 2 in group 8, 3 in group 7 which is in group 8, 4 alone."""
    groups = {1: 8, 2: 8, 3: 7, 4: None}
    shares = []
    for team, number in zip((1, 2, 3, 4, 7, 8), numbers, strict=True):
        digits = Digits(number)
        shares.append(
            Share(
                team=team,
                pool=POOL,
                name=f"{team}",
                is_group=team > 4,
                group=8 if team == 7 else groups.get(team),
                guaranteed=digits.upto(5),
                may_borrow=digits.pick(None, digits.upto(4)),
                may_lend=digits.pick(None, digits.upto(4)),
            )
        )
    tree = QuotaTree(shares, teams=(), capacity=sum(share.guaranteed for share in shares) + spare)
    for team, amount in zip(TEAMS, used, strict=True):
        tree.add(team, amount)
    return tree


TREES = st.builds(
    tree_of,
    st.lists(NUMBERS, min_size=6, max_size=6),
    spare=st.integers(0, 4),
    used=st.lists(st.integers(0, 6), min_size=4, max_size=4),
)


def within_limits(tree: QuotaTree) -> bool:
    borrowed = all(node.may_borrow is None or node.used <= node.total + node.may_borrow for node in tree.nodes())
    return borrowed and tree.root.used <= tree.root.total


def most_that_fits(tree: QuotaTree, team: int) -> int:
    amount = 0
    while amount < 100:
        tree.add(team, amount + 1)
        fits = within_limits(tree)
        tree.remove(team, amount + 1)
        if not fits:
            return amount
        amount += 1
    return amount


@given(TREES, st.sampled_from(TEAMS))
def test_available_is_the_most_that_breaks_no_limit(tree: QuotaTree, team: int) -> None:
    assume(within_limits(tree))
    assert available(tree.teams[team]) == most_that_fits(tree, team)


@given(TREES, st.sampled_from(TEAMS))
def test_potential_is_what_is_available_in_an_idle_pool(tree: QuotaTree, team: int) -> None:
    for each in TEAMS:
        tree.remove(each, tree.teams[each].used)
    assert potential(tree.teams[team]) == available(tree.teams[team])


@given(TREES, st.sampled_from(TEAMS), st.integers(0, 9))
def test_what_is_refused_lacks_borrowing_or_lending(tree: QuotaTree, team: int, asked: int) -> None:
    node = tree.teams[team]
    if asked > available(node) and over_borrow_limit(node, asked) is None:
        assert asked > reachable(node)


@given(TREES, st.sampled_from(TEAMS))
def test_own_room_is_the_most_that_keeps_some_level_within_its_own(tree: QuotaTree, team: int) -> None:
    def is_own(amount: int) -> bool:
        tree.add(team, amount)
        own = any(node.used <= node.total for node in tree.teams[team].path())
        tree.remove(team, amount)
        return own

    assert own_room(tree.teams[team]) == max((amount for amount in range(60) if is_own(amount)), default=0)


@given(TREES, TREES)
def test_capacity_lost_and_restored_changes_nothing(tree: QuotaTree, other: QuotaTree) -> None:
    before = [(node.own, node.total, node.kept, node.used) for node in tree.nodes()]
    capacity = tree.capacity
    tree.set_capacity(other.capacity // 2)
    tree.set_capacity(capacity)
    assert [(node.own, node.total, node.kept, node.used) for node in tree.nodes()] == before
