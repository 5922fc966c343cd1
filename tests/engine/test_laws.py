"""The invariants, each over drawn situations; the numbers are those of the engine's README."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from random import Random
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from scheduling.engine import ledger, plan
from scheduling.engine.decisions import Plan
from scheduling.engine.explain import KEYS
from scheduling.engine.lending import derive
from scheduling.engine.situation import Situation
from scheduling.engine.state import PoolState
from tests.engine.build import share
from tests.engine.replay import after_starts
from tests.engine.strategies import situations

Row = TypeVar("Row")


def state_of(have: Situation) -> PoolState:
    return PoolState(have, have.pools[0])


@given(situations())
def test_each_waiting_job_starts_or_waits(have: Situation) -> None:
    answers = plan(have)
    answered = [*(start.job for start in answers.starts), *(wait.job for wait in answers.waits)]
    assert sorted(answered) == sorted(job.id for job in have.waiting)


@given(situations())
def test_i1_no_card_node_or_pool_over_its_capacity(have: Situation) -> None:
    then = after_starts(have, plan(have))
    held = [part for job in then.running for part in job.held]
    assert max(Counter((part.node, npu) for part in held for npu in part.npus).values(), default=0) <= 1
    for node in then.nodes:
        here = [part for part in held if part.node == node.id]
        assert sum(part.cpus for part in here) <= node.cpus
        assert sum(part.memory_mb for part in here) <= node.memory_mb
    before, after = state_of(have), state_of(then)
    assert after.used <= max(after.capacity, before.used)


@given(situations())
def test_i1_starts_are_on_nodes_that_the_job_may_use(have: Situation) -> None:
    nodes = {node.id: node for node in have.nodes}
    jobs = {job.id: job for job in have.waiting}
    taken = {part.node for job in have.running for part in job.held}
    for start in plan(have).starts:
        job, used = jobs[start.job], [part.node for part in start.placement]
        assert all(nodes[id].open and not nodes[id].lost for id in used)
        assert not job.nodes_not & set(used)
        assert (job.nodes_only or frozenset()) <= set(used)
        assert not (job.whole_node and taken & set(used))
        taken |= set(used)


@given(situations())
def test_i2_no_node_of_the_tree_over_its_limits(have: Situation) -> None:
    before, after = state_of(have), state_of(after_starts(have, plan(have)))
    for old, new in zip(before.tree.nodes(), after.tree.nodes(), strict=True):
        if new.may_borrow is not None:
            assert new.used <= max(new.total + new.may_borrow, old.used)
        if new.max_running is not None:
            assert new.running <= max(new.max_running, old.running)


@given(situations())
def test_i3_what_an_owner_keeps_is_never_lent(have: Situation) -> None:
    answers = plan(have)
    before, after = state_of(have), state_of(after_starts(have, answers))
    lent_before, lent_after = Counter[int | None](), Counter[int | None]()
    for loan in derive(before)[0]:
        lent_before[loan.lender] += loan.grains
    for loan in answers.loans:
        lent_after[loan.lender] += loan.grains
    for team, node in after.tree.teams.items():
        lends = max(0, node.total - node.kept) if node.may_lend is not None else node.total
        idle = max(0, node.total - node.used)
        assert lent_after[team] <= max(min(lends, idle), lent_before[team])


@given(situations())
def test_i4_what_is_borrowed_is_lent(have: Situation) -> None:
    answers = plan(have)
    then = after_starts(have, answers)
    state = state_of(then)
    for job in then.running:
        split = answers.splits[job.id]
        rows = [loan for loan in answers.loans if loan.job == job.id]
        assert split.guaranteed + split.elastic + split.borrowed == sum(part.grains for part in job.held)
        assert sum(loan.grains for loan in rows) == split.elastic + split.borrowed
        assert all(loan.grains > 0 and loan.borrower == job.team for loan in rows)
        assert all(loan.lender != job.team for loan in rows)
        assert len({(loan.lender, loan.lender_group) for loan in rows}) == len(rows)
    for team, node in state.tree.teams.items():
        mine = [job.id for job in then.running if job.team == team]
        assert sum(answers.splits[job].guaranteed for job in mine) == min(node.own, node.used)


@given(situations())
def test_i4_nobody_lends_more_than_is_idle(have: Situation) -> None:
    state = state_of(have)
    lent: Counter[tuple[int | None, int | None]] = Counter()
    for loan in derive(state)[0]:
        lent[loan.lender, loan.lender_group] += loan.grains
    for node in state.tree.nodes():
        idle = node.own if node.group is not None else max(0, node.own - node.used)
        assert lent[node.team, node.group] <= idle
    overdrawn = max(0, state.used - state.capacity)
    assert lent[None, None] <= state.tree.root.own + overdrawn


@given(situations())
def test_i4_the_plans_ledger_is_the_one_made_anew(have: Situation) -> None:
    answers = plan(have)
    loans, splits = ledger(after_starts(have, answers))
    assert (answers.loans, answers.splits) == (loans, splits)


@given(situations())
def test_i5_what_may_not_be_recalled_stands_on_the_guarantee(have: Situation) -> None:
    def fixed(of: Situation) -> Counter[int]:
        counted: Counter[int] = Counter()
        for job in of.running:
            counted[job.team] += 0 if job.preemptible else sum(part.grains for part in job.held)
        return counted

    then = after_starts(have, plan(have))
    before, after = fixed(have), fixed(then)
    for team, node in state_of(then).tree.teams.items():
        assert after[team] <= max(node.own, before[team])


@given(situations())
def test_i6_all_nodes_of_a_job_or_none(have: Situation) -> None:
    jobs = {job.id: job for job in have.waiting}
    for start in plan(have).starts:
        job = jobs[start.job]
        assert len({part.node for part in start.placement}) == max(job.nodes_min, len(job.nodes_only or ()))
        for part in start.placement:
            assert len(part.npus) >= job.npus_per_node if job.whole_node else len(part.npus) == job.npus_per_node


@given(situations(), st.data())
def test_i8_add_then_remove_is_nothing(have: Situation, data: st.DataObject) -> None:
    tree = state_of(have).tree
    before = [node.used for node in [*tree.nodes(), tree.root]]
    if tree.teams:
        team, grains = data.draw(st.sampled_from(sorted(tree.teams))), data.draw(st.integers(0, 10**6))
        tree.add(team, grains)
        tree.remove(team, grains)
    assert [node.used for node in [*tree.nodes(), tree.root]] == before


@given(situations())
def test_i8_a_group_uses_what_its_children_use_beyond_what_they_keep(have: Situation) -> None:
    tree = state_of(after_starts(have, plan(have))).tree
    for node in [*tree.nodes(), tree.root]:
        if node.team is None:
            assert node.used == sum(max(0, child.used - child.kept) for child in node.children)


@given(situations())
def test_i14_a_plan_that_was_carried_out_leaves_nothing_to_start(have: Situation) -> None:
    again = plan(after_starts(have, plan(have)))
    assert again.starts == ()


@given(situations(limits=False))
def test_i21_work_conserving(have: Situation) -> None:
    """Without limits a job that may borrow starts whenever enough nodes have room for it."""
    answers = plan(have)
    then = after_starts(have, answers)
    state = state_of(then)
    if state.used > state.capacity or not have.partitions[0].open or have.clusters_away:
        return
    in_use: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for job in then.running:
        for part in job.held:
            in_use[part.node].append((len(part.npus), part.cpus))
    exclusive = {part.node for job in then.running if job.whole_node for part in job.held}
    for job in then.waiting:
        if job.own_only or not job.preemptible or job.whole_node or job.nodes_only or (job.not_before or 0) > have.now:
            continue
        if (job.seconds or 0) > (have.partitions[0].max_seconds or 10**9):
            continue
        room = [
            node.id
            for node in have.nodes
            if node.open and not node.lost and node.id not in exclusive and node.id not in job.nodes_not
            if len(node.npus) - sum(npus for npus, _ in in_use[node.id]) >= job.npus_per_node
            if node.cpus - sum(cpus for _, cpus in in_use[node.id]) >= job.cpus_per_node
        ]
        lost = sum(part.grains for each in then.running for part in each.held if _is_lost(have, part.node))
        assert len(room) < job.nodes_min or lost


def _is_lost(have: Situation, node: int) -> bool:
    return any(each.id == node and each.lost for each in have.nodes)


@given(situations(), st.integers(0, 2**32))
def test_i27_shuffled_inputs_give_the_same_plan(have: Situation, seed: int) -> None:
    random = Random(seed)

    def shuffled(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(random.sample(rows, len(rows)))

    other = replace(
        have,
        nodes=shuffled(have.nodes),
        shares=shuffled(have.shares),
        running=shuffled(have.running),
        waiting=shuffled(have.waiting),
    )
    assert plan(other) == plan(have)


@given(situations())
def test_i27_renamed_ids_in_the_same_order_give_the_same_decisions(have: Situation) -> None:
    def renamed(id: int) -> int:
        return 10 * id + 3

    other = replace(
        have,
        running=tuple(replace(job, id=renamed(job.id)) for job in have.running),
        waiting=tuple(replace(job, id=renamed(job.id)) for job in have.waiting),
    )
    mine, theirs = plan(have), plan(other)
    assert [(renamed(s.job), s.placement, s.split) for s in mine.starts] == [
        (s.job, s.placement, s.split) for s in theirs.starts
    ]
    assert [(renamed(w.job), w.reason, w.place, w.expected.at) for w in mine.waits] == [
        (w.job, w.reason, w.place, w.expected.at) for w in theirs.waits
    ]


@given(situations())
def test_i28_a_team_without_quota_and_jobs_changes_nothing(have: Situation) -> None:
    more = replace(have, shares=(*have.shares, share(66, 0, name="newcomer")))
    assert plan(more) == plan(have)


@given(situations())
def test_i33_lost_capacity_never_raises_use(have: Situation) -> None:
    less = replace(have, nodes=(replace(have.nodes[0], lost=True), *have.nodes[1:]))
    then = state_of(after_starts(less, plan(less)))
    assert then.used <= max(then.capacity, state_of(less).used)


@given(situations())
def test_guarantees_never_sum_to_more_than_there_is(have: Situation) -> None:
    state = state_of(have)
    assert state.tree.root.own + sum(node.own for node in state.tree.nodes()) == max(
        state.capacity, sum(node.own for node in state.tree.nodes())
    )
    assert sum(node.own for node in state.tree.nodes()) <= state.capacity


@given(situations())
def test_each_wait_carries_exactly_the_keys_of_its_reason(have: Situation) -> None:
    for wait in plan(have).waits:
        assert set(wait.facts) == set(KEYS[wait.reason])


@given(situations())
def test_places_are_counted_from_one_in_the_order_of_the_starts(have: Situation) -> None:
    answers: Plan = plan(have)
    placed = sorted((wait for wait in answers.waits if wait.place is not None), key=lambda wait: wait.place or 0)
    assert [wait.place for wait in placed] == list(range(1, len(placed) + 1))
    known = [wait.expected.at for wait in placed if wait.expected.at is not None]
    assert known == sorted(known)
    assert all(wait.expected.at is None for wait in placed[len(known) :])
