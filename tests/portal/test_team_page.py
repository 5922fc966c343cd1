from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from accounting.exports import csv_bytes
from accounting.models import AccountingEvent, Membership, Project, UsageInterval
from accounting.models.price import Source
from accounting.services import teams
from portal.boards.usage import Row
from portal.kit import clock, money
from portal.kit.access import Role
from portal.kit.errors import Conflict
from portal.kit.grains import GRAINS_PER_NPU, in_column
from scheduling.models import State
from tests import make

pytestmark = pytest.mark.django_db
EVERYBODY = ["alice", "bob", "vera", "lena", "charlie", "ann", "olga", "audrey", "fay", "nobody"]


@pytest.fixture
def world() -> make.World:
    return make.world()


def signed_in(client: Client, world: make.World, name: str) -> Client:
    client.force_login(world.people[name])
    return client


def used(
    world: make.World, *, by: str = "alice", source: Source = Source.GUARANTEED, npus: int = 1, run: int = 1
) -> None:
    """For a second that has just passed."""
    now = clock.now().replace(microsecond=0)
    UsageInterval.objects.create(
        run=run,
        job=run,
        team=world.nlp,
        project=world.nlp.projects.get(is_default=True),
        user=world.people[by],
        pool=world.pool,
        source=source,
        grains=npus * GRAINS_PER_NPU,
        since=now - timedelta(seconds=2),
        until=now - timedelta(seconds=1),
    )


@pytest.mark.parametrize("name", EVERYBODY)
def test_everybody_sees_what_a_team_has_and_uses(client: Client, world: make.World, name: str) -> None:
    page = signed_in(client, world, name).get("/teams/nlp/")
    assert page.status_code == 200
    assert page.context["page"].amounts.guaranteed == 5 * GRAINS_PER_NPU


@pytest.mark.parametrize("name", ["charlie", "nobody"])
def test_a_stranger_sees_no_people_projects_or_jobs(client: Client, world: make.World, name: str) -> None:
    make.job(world.people["alice"], world.nlp, name="a-secret-name", state=State.RUNNING, started_at=clock.now())
    page = signed_in(client, world, name).get("/teams/nlp/").content.decode()
    assert "a-secret-name" not in page
    assert "Alice" not in page
    assert "NPU·h" not in page


def test_an_operator_sees_use_but_no_money(client: Client, world: make.World) -> None:
    used(world)
    page = signed_in(client, world, "olga").get("/teams/nlp/").content.decode()
    assert "NPU·h" in page
    assert "¥" not in page


def test_an_approver_sees_amounts_but_no_jobs(client: Client, world: make.World) -> None:
    make.job(world.people["alice"], world.nlp, name="a-secret-name", state=State.RUNNING, started_at=clock.now())
    page = signed_in(client, world, "ann").get("/teams/nlp/").content.decode()
    assert "NPU·h" in page
    assert "a-secret-name" not in page


def test_use_adds_up_by_project_and_by_person(client: Client, world: make.World) -> None:
    used(world, npus=3600, run=1)
    used(world, by="bob", npus=7200, source=Source.BORROWED, run=2)
    by_project, by_person = signed_in(client, world, "alice").get("/teams/nlp/").context["page"].usage.tables
    assert [(row.own, row.borrowed, row.jobs) for row in by_project.rows] == [(GRAINS_PER_NPU, 2 * GRAINS_PER_NPU, 2)]
    assert [(row.label, row.total, row.cost) for row in by_person.rows] == [
        ("Bob", 2 * GRAINS_PER_NPU, 6_000_000),
        ("Alice", GRAINS_PER_NPU, 4_000_000),
    ]
    assert by_person.sum.cost == by_project.sum.cost == 10_000_000


def test_what_is_shown_adds_up_in_both_tables_and_in_the_file(client: Client, world: make.World) -> None:
    """Each amount is 0.0047 NPU·h: rounded by themselves they come to nothing, together to 0.01."""
    for run, by in enumerate(("alice", "bob", "lena"), start=1):
        used(world, by=by, npus=17, run=run)
        used(world, by=by, npus=17, source=Source.BORROWED, run=run + 10)
    signed = signed_in(client, world, "alice")
    usage = signed.get("/teams/nlp/").context["page"].usage
    totals = []
    for table in usage.tables:
        for name in ("own", "borrowed", "total", "cost"):
            assert sum(Fraction(column(row, name)) for row in table.rows) == Fraction(column(table.sum, name))
        for row in (*table.rows, table.sum):
            assert Fraction(column(row, "own")) + Fraction(column(row, "borrowed")) == Fraction(column(row, "total"))
        totals.append([column(table.sum, name) for name in ("own", "borrowed", "total")])
    assert totals == [["0.01", "0.01", "0.02"]] * 2
    lines = signed.get("/teams/nlp/usage.csv?period=week&by=person").content.decode("utf-8-sig").splitlines()[1:]
    hours = [[Fraction(cell) for cell in line.split(",")[1:5]] for line in lines]
    assert [sum(cells) for cells in zip(*hours[:-1], strict=True)] == hours[-1]


def column(row: Row, name: str) -> str:
    amount = getattr(row, name)
    return money.as_text(amount) if name == "cost" else in_column(amount)


def test_the_period_is_a_part_of_the_page(client: Client, world: make.World) -> None:
    page = signed_in(client, world, "alice").get("/teams/nlp/?period=month", headers={"HX-Request": "true"})
    assert page.content.decode().strip().startswith('<section class="card" id="usage"')
    assert page.context["page"].usage.name == "month"


def test_csv_opens_in_a_chinese_spreadsheet(client: Client, world: make.World) -> None:
    used(world)
    answer = signed_in(client, world, "alice").get("/teams/nlp/usage.csv?period=week&by=person")
    assert answer.content.startswith(b"\xef\xbb\xbf")
    assert "Alice" in answer.content.decode("utf-8-sig")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_csv_smuggles_no_formula(text: str) -> None:
    assert f"'{text}".encode() in csv_bytes(["Name"], [[text]])


def test_csv_of_others_is_refused(client: Client, world: make.World) -> None:
    assert signed_in(client, world, "charlie").get("/teams/nlp/usage.csv").status_code == 403


def test_csv_for_an_operator_has_no_cost(client: Client, world: make.World) -> None:
    used(world)
    head = signed_in(client, world, "olga").get("/teams/nlp/usage.csv").content.decode("utf-8-sig").splitlines()[0]
    assert "cost" not in head


def test_a_lead_adds_a_member(client: Client, world: make.World) -> None:
    signed_in(client, world, "lena").post("/teams/nlp/members/add/", {"username": "charlie", "role": "viewer"})
    assert Membership.objects.get(team=world.nlp, user=world.people["charlie"]).role == Role.VIEWER
    assert AccountingEvent.objects.get(what="member_added").by == world.people["lena"]


@pytest.mark.parametrize("form", [{"username": "nemo", "role": "member"}, {"username": "alice", "role": "member"}])
def test_a_refused_member_comes_back_with_the_form(client: Client, world: make.World, form: dict[str, str]) -> None:
    answer = signed_in(client, world, "lena").post("/teams/nlp/members/add/", form)
    assert answer.status_code == 422
    assert form["username"] in answer.content.decode()


@pytest.mark.parametrize("name", [name for name in EVERYBODY if name != "lena"])
@pytest.mark.parametrize(
    "step",
    [
        ("members/add/", {"username": "charlie", "role": "member"}),
        ("members/role/", {"username": "bob", "role": "lead"}),
        ("members/bob/remove/", {}),
        ("projects/add/", {"name": "More"}),
        ("projects/main/archive/", {}),
        ("projects/main/restore/", {}),
    ],
    ids=lambda step: step[0],
)
def test_only_a_lead_manages(client: Client, world: make.World, name: str, step: tuple[str, dict[str, str]]) -> None:
    before = (Membership.objects.count(), Project.objects.count())
    assert signed_in(client, world, name).post(f"/teams/nlp/{step[0]}", step[1]).status_code == 403
    assert (Membership.objects.count(), Project.objects.count()) == before
    assert not AccountingEvent.objects.exists()


def test_a_lead_changes_a_role(client: Client, world: make.World) -> None:
    signed_in(client, world, "lena").post("/teams/nlp/members/role/", {"username": "bob", "role": "lead"})
    assert Membership.objects.get(team=world.nlp, user=world.people["bob"]).role == Role.LEAD
    assert AccountingEvent.objects.get(what="role_changed").facts == {"was": "member", "role": "lead"}


def test_a_lead_removes_a_member(client: Client, world: make.World) -> None:
    signed_in(client, world, "lena").post("/teams/nlp/members/bob/remove/")
    assert not Membership.objects.filter(team=world.nlp, user=world.people["bob"]).exists()
    assert AccountingEvent.objects.get(what="member_removed").about == "bob"


def test_the_last_lead_stays(world: make.World) -> None:
    with pytest.raises(Conflict, match="last_lead"):
        teams.remove_member(world.nlp, username="lena", by=world.people["lena"])
    with pytest.raises(Conflict, match="last_lead"):
        teams.change_role(world.nlp, username="lena", role="member", by=world.people["lena"])


def test_one_of_two_leads_may_go(world: make.World) -> None:
    teams.change_role(world.nlp, username="bob", role="lead", by=world.people["lena"])
    teams.remove_member(world.nlp, username="lena", by=world.people["bob"])
    assert world.nlp.memberships.get(role="lead").user == world.people["bob"]


@pytest.mark.parametrize(("name", "slug"), [("Long context", "long-context"), ("长文本", "project-2")])
def test_a_lead_adds_a_project(client: Client, world: make.World, name: str, slug: str) -> None:
    signed_in(client, world, "lena").post("/teams/nlp/projects/add/", {"name": name})
    assert Project.objects.get(team=world.nlp, name=name).slug == slug
    assert AccountingEvent.objects.get(what="project_added").about == name


def test_a_second_project_of_the_same_name_is_refused_at_the_field(client: Client, world: make.World) -> None:
    answer = signed_in(client, world, "lena").post("/teams/nlp/projects/add/", {"name": "main"})
    assert answer.status_code == 422
    assert "name" in answer.context["project_form"].errors


def test_archive_and_restore_undo_each_other(client: Client, world: make.World) -> None:
    project = teams.add_project(world.nlp, name="Old", by=world.people["lena"])
    signed_in(client, world, "lena").post("/teams/nlp/projects/old/archive/")
    assert not Project.objects.get(pk=project.pk).active
    client.post("/teams/nlp/projects/old/restore/")
    assert Project.objects.get(pk=project.pk).active
    assert AccountingEvent.objects.filter(what__in=["project_archived", "project_restored"]).count() == 2


def test_the_default_project_is_not_archived(world: make.World) -> None:
    with pytest.raises(Conflict, match="default_project_stays"):
        teams.archive_project(world.nlp, slug="main", by=world.people["lena"])


def test_the_section_leads_to_the_own_team(client: Client, world: make.World) -> None:
    assert signed_in(client, world, "alice").get("/team/").headers["Location"] == "/teams/nlp/"
    assert signed_in(client, world, "olga").get("/team/").headers["Location"] == "/teams/"


def test_no_such_team(client: Client, world: make.World) -> None:
    assert signed_in(client, world, "alice").get("/teams/none/").status_code == 404


@pytest.mark.parametrize("name", ["lena", "charlie", "olga", "audrey"])
@pytest.mark.parametrize("rows", [2, 20])
def test_queries_do_not_grow_with_the_rows(
    client: Client, world: make.World, name: str, rows: int, django_assert_max_num_queries: Any
) -> None:
    for number in range(rows):
        person = make.user(f"person{number}")
        make.member(person, world.nlp)
        teams.add_project(world.nlp, name=f"Project {number}", by=world.people["lena"])
        make.job(person, world.nlp, state=State.RUNNING, started_at=clock.now(), on_own=GRAINS_PER_NPU)
        used(world, run=number + 1)
        make.quota(make.team(f"Other{number}"), world.pool, 0)
    signed_in(client, world, name)
    with django_assert_max_num_queries(15):
        assert client.get("/teams/nlp/").status_code == 200
    with django_assert_max_num_queries(15):
        assert client.get("/teams/").status_code == 200
