from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounting.models import AccountingEvent, Grant, LoanEntry, Membership, Price, Quota, Token, UsageInterval
from accounting.models.price import Source
from portal.kit import clock
from portal.kit.access import Role
from tests import make, refused

pytestmark = [pytest.mark.django_db, pytest.mark.rows]


def change_quota(world: make.World, **columns: Any) -> None:
    Quota.objects.filter(team=world.nlp).update(**columns)


def lend(world: make.World, **columns: Any) -> LoanEntry:
    given = {"pool": world.pool, "borrower": world.nlp, "job": 1, "grains": 1, "since": clock.now()}
    return LoanEntry.objects.create(**(given | columns))


def use(world: make.World, **columns: Any) -> UsageInterval:
    given = {
        "run": 1, "job": 1, "team": world.nlp, "project": world.nlp.projects.get(), "user": world.alice,
        "pool": world.pool, "source": Source.ELASTIC, "grains": 1, "since": clock.now(),
    }  # fmt: skip
    return UsageInterval.objects.create(**(given | columns))


def twice(make_one: refused.Step) -> refused.Step:
    return lambda world: (make_one(world), make_one(world))


def price_from(moment: datetime, world: make.World) -> Price:
    return make.price(world.pool, Source.ELASTIC, 1, since=moment)


NOW = clock.now()
REFUSED: dict[str, refused.Step] = {
    "team_colour_1_to_4": lambda w: type(w.nlp).objects.filter(pk=w.nlp.pk).update(colour=5),
    "project_once_a_team": lambda w: w.nlp.projects.create(name="Again", slug="main"),
    "one_default_project_a_team": lambda w: w.nlp.projects.create(name="Second", slug="second", is_default=True),
    "member_once": lambda w: make.member(w.alice, w.nlp, Role.LEAD),
    "membership_role": lambda w: Membership.objects.update(role=Role.OPERATOR),
    "grant_once_a_department": twice(lambda w: make.grant(w.ann, Role.AUDITOR, w.nlp.department)),
    "grant_once_over_the_centre": lambda w: make.grant(w.olga, Role.OPERATOR),
    "grant_role_fits_its_reach": lambda w: make.grant(w.ann, Role.FINANCE, w.nlp.department),
    "one_price_a_moment": twice(lambda w: price_from(NOW, w)),
    "one_quota_a_team_and_pool": lambda w: make.quota(w.nlp, w.pool, 1),
    "lends_at_most_its_guarantee": lambda w: change_quota(w, may_lend=10**9),
    "quota_ends_after_it_starts": lambda w: change_quota(w, starts=date(2026, 12, 1), ends=date(2026, 12, 1)),
    "loan_between_two": lambda w: lend(w, lender=w.nlp),
    "loan_of_something": lambda w: lend(w, grains=0),
    "one_standing_loan_a_job_and_pair": twice(lambda w: lend(w, lender=w.vision)),
    "one_standing_elastic_loan_a_job": twice(lambda w: lend(w)),
    "usage_counted_once": twice(lambda w: use(w, since=NOW, until=NOW + timedelta(1))),
    "one_open_interval_a_run_and_source": lambda w: (use(w, since=NOW), use(w, since=NOW + timedelta(1))),
    "usage_of_something": lambda w: use(w, grains=0),
    "usage_lasts": lambda w: use(w, since=NOW, until=NOW),
}


@pytest.mark.parametrize("constraint", REFUSED)
def test_refused(constraint: str) -> None:
    refused.assert_refuses(constraint, REFUSED[constraint], make.world())


def test_each_constraint_has_its_case() -> None:
    assert refused.constraints_of("accounting") - {"unique_username"} == set(REFUSED)


def test_two_people_of_one_name_and_two_tokens_of_one_key_are_refused() -> None:
    alice = make.user("alice")
    token = {"user": alice, "name": "t", "digest": "d", "hint": "h", "made_at": NOW}
    Token.objects.create(**token)
    for step in (lambda: make.user("alice"), lambda: Token.objects.create(**token)):
        with pytest.raises(IntegrityError), transaction.atomic():
            step()


def test_event_is_never_changed() -> None:
    event = AccountingEvent.objects.create(at=NOW, what="team_made")
    event.what = "nothing"
    with pytest.raises(TypeError, match="never changed"):
        event.save()


def test_ended_loans_and_closed_intervals_may_be_many() -> None:
    world = make.world()
    for hours in (1, 2):
        lend(world, since=NOW, until=NOW + timedelta(hours=hours))
        use(world, since=NOW - timedelta(hours=hours), until=NOW)
    make.grant(world.ann, Role.APPROVER, world.nlp.department)
    assert (LoanEntry.objects.count(), UsageInterval.objects.count(), Grant.objects.filter(user=world.ann).count()) == (
        2, 2, 2,
    )  # fmt: skip
