"""The demo's pool: two nodes of eight, 5/4/3/0 guaranteed, 4 elastic; three teams fill it beyond their guarantees."""

from __future__ import annotations

from scheduling.engine import ledger, plan
from scheduling.engine.decisions import Reason, Split
from scheduling.engine.situation import Situation
from tests.engine.build import NOW, node, npus, running, share, situation, started, wait_of, waiting
from tests.engine.replay import after_starts, without

NLP, VISION, SPEECH, RECSYS = 1, 2, 3, 4
FULL = situation(
    nodes=[node(1), node(2)],
    shares=[
        share(NLP, 5, name="nlp"),
        share(VISION, 4, name="vision"),
        share(SPEECH, 3, name="speech"),
        share(RECSYS, 0, name="recsys"),
    ],
    running=[
        running(11, VISION, {1: range(4)}, started=-400, ends=500),
        running(12, VISION, {1: range(4, 8)}, started=-300, ends=300),
        running(13, SPEECH, {2: range(4)}, started=-200, ends=400),
        running(14, RECSYS, {2: range(4, 8)}, started=-100, ends=600),
    ],
    waiting=[
        waiting(21, RECSYS, 2, priority=9),
        waiting(22, NLP, 4),
        waiting(23, VISION, 2),
        waiting(24, SPEECH, 8, nodes=2),
    ],
)


def test_everybody_beyond_its_guarantee_is_on_loan() -> None:
    loans, splits = ledger(FULL)
    assert splits == {
        11: Split(guaranteed=npus(4)),
        12: Split(elastic=npus(4)),
        13: Split(guaranteed=npus(3), borrowed=npus(1)),
        14: Split(borrowed=npus(4)),
    }
    assert [(loan.lender, loan.borrower, loan.grains) for loan in loans] == [
        (None, VISION, npus(4)),
        (NLP, SPEECH, npus(1)),
        (NLP, RECSYS, npus(4)),
    ]


def test_each_waiting_job_has_its_reason_with_true_numbers() -> None:
    wait = wait_of(plan(FULL), 22)
    assert wait.reason == Reason.POOL_FULL
    assert wait.facts == {
        "asked": npus(4),
        "used": 0,
        "guaranteed": npus(5),
        "borrowed": 0,
        "may_borrow": "unlimited",
        "lent": npus(5),
        "idle": 0,
        "capacity": npus(16),
        "closed": 0,
        "next_job": 12,
        "next_at": NOW + 300,
        "next_idle": npus(4),
    }
    assert wait_of(plan(FULL), 24).facts["next_job"] == 14


def test_the_owner_is_first_whatever_the_others_priority() -> None:
    waits = plan(FULL).waits
    assert [(wait.job, wait.place, wait.expected.at) for wait in waits] == [
        (22, 1, NOW + 300),
        (21, 2, NOW + 400),
        (23, 3, NOW + 400),
        (24, 4, NOW + 1_000),
    ]


def test_ending_one_job_starts_the_right_next_one() -> None:
    have = without(FULL, [14], at=NOW + 1)
    answers = plan(have)
    assert started(answers) == [22]
    assert answers.splits[22] == Split(guaranteed=npus(4))
    assert plan(after_starts(have, answers)).starts == ()


def test_ending_one_then_another_starts_the_borrowers_by_priority() -> None:
    have = without(FULL, [14], at=NOW + 1)
    have = without(after_starts(have, plan(have)), [12], at=NOW + 2)
    assert started(plan(have)) == [21, 23]


def test_each_shown_start_comes_true_in_the_demo() -> None:
    have: Situation = FULL
    shown = {wait.job: wait.expected.at for wait in plan(have).waits}
    came = {}
    for at in (300, 400, 500, 600, 900, 1_000):
        have = without(have, [job.id for job in have.running if (job.ends_by or 0) <= NOW + at], at=NOW + at)
        answers = plan(have)
        came |= {start.job: have.now for start in answers.starts}
        have = after_starts(have, answers)
    assert came == shown
