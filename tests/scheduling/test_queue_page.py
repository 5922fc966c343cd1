from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounting.models import Team, User
from npu_inventory.models import Pool
from portal.kit import clock
from portal.kit.grains import GRAINS_PER_NPU
from scheduling.models import Allocation, Job, Run, State
from scheduling.queries.present import look
from scheduling.services import jobs
from tests import make

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def world() -> make.World:
    return make.world()


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def page(person: User, query: str = "") -> str:
    response = signed_in(person).get(f"/queue/{query}")
    assert response.status_code == 200
    return response.content.decode()


def running(person: User, of: Team, world: make.World, **columns: Any) -> Job:
    start = clock.now() - timedelta(hours=1)
    grains = columns.get("npus", 1) * GRAINS_PER_NPU
    defaults = {
        "state": State.RUNNING,
        "started_at": start,
        "time_limit_seconds": 7200,
        "on_own": grains,
        "attempts": 1,
    }
    job = make.job(person, of, **(defaults | columns))
    run = Run.objects.create(
        job=job, cluster=world.cluster, attempt=1, state=Run.State.RUNNING, created_at=start, started_at=start
    )
    Allocation.objects.create(run=run, node=world.nodes[0], grains=0)
    return job


def rows(html: str) -> list[int]:
    return [int(number) for number in re.findall(r'<tr data-row="(\d+)"', html)]


def test_waiting_jobs_stand_in_start_order_before_running_ones_next_to_end_first(world: make.World) -> None:
    late = running(world.alice, world.nlp, world, time_limit_seconds=9000)
    soon = running(world.bob, world.nlp, world, time_limit_seconds=4000)
    endless = running(world.bob, world.nlp, world, time_limit_seconds=None)
    second = make.job(world.alice, world.nlp, place=2)
    first = make.job(world.charlie, world.vision, place=1)
    held = make.job(world.alice, world.nlp, state=State.HELD, held_by="user")
    assert rows(page(world.alice)) == [job.pk for job in (first, second, held, soon, late, endless)]


def test_the_heading_is_the_answer(world: make.World) -> None:
    make.job(world.alice, world.nlp, place=2, expected_at=clock.now() + timedelta(hours=2))
    html = page(world.alice)
    assert re.search(r"<h1>Your next job starts at about .*\d\d:\d\d, second in line</h1>", html)


@pytest.mark.parametrize("name, words", [("nobody", "0 jobs wait, 0 run"), ("bob", "no job waiting or running")])
def test_the_heading_answers_who_has_no_job(world: make.World, name: str, words: str) -> None:
    assert words in page(world.people[name])


def test_ended_jobs_are_shown_when_asked_for_latest_first(world: make.World) -> None:
    now = clock.now()
    older = make.job(world.alice, world.nlp, state=State.SUCCEEDED, started_at=now, ended_at=now - timedelta(hours=2))
    newer = make.job(world.alice, world.nlp, state=State.FAILED, started_at=now, ended_at=now - timedelta(hours=1))
    assert rows(page(world.alice)) == []
    assert rows(page(world.alice, "?state=ended")) == [newer.pk, older.pk]
    assert rows(page(world.alice, "?state=failed")) == [newer.pk]
    assert "exit code" not in page(world.charlie, "?state=ended")


def test_of_another_teams_job_name_person_project_and_cost_stay_hidden(world: make.World) -> None:
    world.vision.projects.create(name="Secret project", slug="hush")
    job = running(world.charlie, world.vision, world, name="secret-model", npus=3)
    html = page(world.alice)
    row = html[html.index(f'data-row="{job.pk}"') :]
    assert "Vision" in row
    assert "npu-01" in row
    assert "Running" in row
    assert ">3<" in row
    for hidden in ("secret-model", "Charlie", "Main", f"/jobs/{job.pk}/", "¥"):
        assert hidden not in row


@pytest.mark.parametrize("name", ["charlie", "olga", "audrey", "fay"])
def test_who_may_see_a_job_sees_its_name(world: make.World, name: str) -> None:
    make.job(world.charlie, world.vision, name="secret-model")
    assert "secret-model" in page(world.people[name])


def test_an_approver_sees_no_names(world: make.World) -> None:
    make.job(world.charlie, world.vision, name="secret-model")
    assert "secret-model" not in page(world.ann)


@pytest.mark.parametrize("query", ["text=secret", "text=charlie", "user=charlie", "project=main"])
def test_hidden_things_are_not_found_by_guessing(world: make.World, query: str) -> None:
    job = make.job(world.charlie, world.vision, name="secret-model")
    assert rows(page(world.alice, f"?{query}")) == []
    assert rows(page(world.charlie, f"?{query}")) == [job.pk]


def test_a_number_finds_any_job(world: make.World) -> None:
    job = make.job(world.charlie, world.vision)
    assert rows(page(world.alice, f"?text={job.pk}")) == [job.pk]


def test_scopes_count_mine_my_teams_and_all(world: make.World) -> None:
    mine = make.job(world.alice, world.nlp)
    ours = make.job(world.bob, world.nlp)
    make.job(world.charlie, world.vision)
    html = page(world.alice, "?scope=mine")
    assert rows(html) == [mine.pk]
    assert re.findall(r"(Mine|NLP|All) <b>(\d+)</b>", html) == [("Mine", "1"), ("NLP", "2"), ("All", "3")]
    assert set(rows(page(world.alice, "?scope=team"))) == {mine.pk, ours.pk}


def test_filters_by_team_node_and_source(world: make.World) -> None:
    own = running(world.alice, world.nlp, world)
    lent = running(world.charlie, world.vision, world, on_own=0, on_borrowed=GRAINS_PER_NPU)
    assert rows(page(world.alice, "?team=vision")) == [lent.pk]
    assert rows(page(world.alice, "?source=borrowed")) == [lent.pk]
    assert rows(page(world.alice, "?source=own")) == [own.pk]
    assert set(rows(page(world.alice, "?node=npu-01"))) == {own.pk, lent.pk}
    assert rows(page(world.alice, "?node=npu-02")) == []


@pytest.mark.parametrize(
    "query", ["?state=nonsense", "?page=999", "?page=x", "?sort=password", "?scope=god", "?text=%00"]
)
def test_nonsense_in_the_address_is_no_fault_of_the_page(world: make.World, query: str) -> None:
    make.job(world.alice, world.nlp)
    page(world.alice, query)


def test_columns_sort_within_their_group(world: make.World) -> None:
    small, large = make.job(world.alice, world.nlp, npus=1), make.job(world.alice, world.nlp, npus=8)
    assert rows(page(world.alice, "?sort=npus")) == [small.pk, large.pk]
    assert rows(page(world.alice, "?sort=-npus")) == [large.pk, small.pk]


def test_a_page_holds_fifty(world: make.World) -> None:
    jobs = [make.job(world.alice, world.nlp, place=place) for place in range(1, 53)]
    assert rows(page(world.alice)) == [job.pk for job in jobs[:50]]
    assert rows(page(world.alice, "?page=2")) == [job.pk for job in jobs[50:]]


def test_a_page_may_hold_the_end_of_one_group_and_the_start_of_the_next(world: make.World) -> None:
    waiting = [make.job(world.alice, world.nlp, place=place) for place in range(1, 52)]
    runs = running(world.alice, world.nlp, world)
    assert rows(page(world.alice, "?page=2")) == [waiting[-1].pk, runs.pk]


@pytest.mark.parametrize("times", [1, 10])
def test_queries_do_not_grow_with_the_rows(world: make.World, times: int, django_assert_max_num_queries: Any) -> None:
    for _ in range(times):
        make.job(world.alice, world.nlp, place=1, wait_reason="cluster_away", wait_facts={"since": 1, "cluster": 1})
        running(world.charlie, world.vision, world)
        make.job(world.bob, world.nlp, state=State.SUCCEEDED, ended_at=clock.now())
    client = signed_in(world.alice)
    with django_assert_max_num_queries(15):
        client.get("/queue/?state=all")
    with django_assert_max_num_queries(15):
        client.get("/queue/rows/?state=all", headers=HTMX)


@pytest.fixture
def _within_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each minute is told anew, since times go on."""
    now = clock.now().replace(second=10)
    monkeypatch.setattr(clock, "now", lambda: now)


@pytest.mark.usefixtures("_within_a_minute")
def test_a_poll_is_told_nothing_while_nothing_changes(world: make.World, django_assert_max_num_queries: Any) -> None:
    job = make.job(world.alice, world.nlp, place=1)
    client = signed_in(world.alice)
    seen = re.search(r'name="seen" value="(\w+)"', client.get("/queue/").content.decode())
    assert seen is not None
    address = f"/queue/rows/?seen={seen[1]}"
    with django_assert_max_num_queries(4):  # session, person, jobs in sums, pools: no row of the page
        assert client.get(address, headers=HTMX).status_code == 204
    Job.objects.filter(pk=job.pk).update(place=2, judged_at=clock.now())  # as a pass does
    answer = client.get(address, headers=HTMX)
    assert answer.status_code == 200
    assert rows(answer.content.decode()) == [job.pk]
    assert "seen=" not in answer.content.decode()


@pytest.mark.usefixtures("_within_a_minute")
def test_a_poll_that_shows_own_jobs_is_not_moved_by_others(world: make.World) -> None:
    make.job(world.alice, world.nlp, place=1)
    client = signed_in(world.alice)
    seen = re.search(r'name="seen" value="(\w+)"', client.get("/queue/?scope=mine&pool=910b").content.decode())
    assert seen is not None
    Pool.objects.update(version=5)
    address = f"/queue/rows/?scope=mine&pool=910b&seen={seen[1]}"
    assert client.get(address, headers=HTMX).status_code == 204


@pytest.mark.usefixtures("_within_a_minute")
@pytest.mark.parametrize("step", [jobs.cancel, jobs.hold])
def test_a_poll_is_told_of_each_step(world: make.World, step: Any) -> None:
    job = make.job(world.alice, world.nlp, place=1, state_since=clock.now() - timedelta(minutes=1))
    make.job(world.alice, world.nlp)
    before = look(world.alice).pulse(clock.now())
    step(job, by=world.alice)
    assert look(world.alice).pulse(clock.now()) != before


def test_htmx_gets_the_part_and_a_browser_the_page(world: make.World) -> None:
    client = signed_in(world.alice)
    assert "<!doctype" not in client.get("/queue/", headers=HTMX).content.decode().lower()
    assert "<!doctype" in client.get("/queue/").content.decode().lower()


def test_rows_offer_only_the_steps_that_apply(world: make.World) -> None:
    mine, others = make.job(world.alice, world.nlp), make.job(world.bob, world.nlp)
    html = page(world.alice)
    assert f"/jobs/{mine.pk}/hold/" in html
    assert f"/jobs/{mine.pk}/cancel/" in html
    assert f"/jobs/{others.pk}/hold/" not in html
    assert f"/jobs/{others.pk}/cancel/" not in html
    assert f"/jobs/{others.pk}/hold/" in page(world.lena)
    assert f"/jobs/{mine.pk}/release/" not in html


def test_cancelling_asks_first_and_says_what_happens_to_whom(world: make.World) -> None:
    waits, runs = make.job(world.alice, world.nlp, name="eval"), running(world.bob, world.nlp, world, name="train-7b")
    foreign = make.job(world.charlie, world.vision, name="secret-model")
    query = "&".join(f"job={job.pk}" for job in (waits, runs, foreign))
    html = signed_in(world.lena).get(f"/queue/cancel/?{query}").content.decode()
    assert "Cancel 2 jobs?" in html
    assert "train-7b" in html
    assert "Bob" in html
    assert "1 h" in html
    assert "eval" in html
    assert "Alice" in html
    assert "1 stays as it is" in html
    assert "secret-model" not in html
    waits.refresh_from_db()
    assert waits.state == State.QUEUED


def test_many_are_cancelled_at_once_and_what_may_not_be_is_told(world: make.World) -> None:
    mine, foreign = make.job(world.alice, world.nlp), make.job(world.charlie, world.vision)
    answer = signed_in(world.alice).post("/queue/cancel/", {"job": [mine.pk, foreign.pk]}, headers=HTMX)
    assert answer.status_code == 204
    assert "jobs-changed" in answer["HX-Trigger"]
    assert "One could not be" in answer["HX-Trigger"]
    mine.refresh_from_db(), foreign.refresh_from_db()
    assert (mine.state, foreign.state) == (State.CANCELLED, State.QUEUED)


def test_without_scripts_cancelling_leads_back_to_the_queue(world: make.World) -> None:
    job = make.job(world.alice, world.nlp)
    answer = signed_in(world.alice).post("/queue/cancel/", {"job": job.pk, "next": "/queue/?scope=mine"})
    assert (answer.status_code, answer["Location"]) == (302, "/queue/?scope=mine")


def test_the_way_back_leads_to_no_other_site(world: make.World) -> None:
    job = make.job(world.alice, world.nlp)
    answer = signed_in(world.alice).post("/queue/cancel/", {"job": job.pk, "next": "https://evil.example/"})
    assert answer["Location"] == "/queue/"


def test_nothing_chosen_is_told(world: make.World) -> None:
    answer = signed_in(world.alice).post("/queue/cancel/", {})
    assert answer.status_code == 422
    assert "Choose at least one job" in answer.content.decode()


def test_the_file_opens_in_a_spreadsheet_and_hides_what_the_page_hides(world: make.World) -> None:
    make.job(world.alice, world.nlp, name="=cmd()")
    make.job(world.charlie, world.vision, name="secret-model")
    answer = signed_in(world.alice).get("/queue/?format=csv")
    text = answer.content.decode()
    assert text.startswith("\ufeff")
    assert "'=cmd()" in text
    assert "secret-model" not in text
    assert "Charlie" not in text
    assert len(text.strip().splitlines()) == 3


def test_an_empty_queue_offers_the_first_step(world: make.World) -> None:
    assert 'href="/submit/"' in page(world.alice).split("<table")[0].split("empty-state")[1]


def test_anonymous_is_sent_to_sign_in(client: Client) -> None:
    for address in ("/queue/", "/queue/rows/", "/queue/cancel/"):
        assert client.get(address)["Location"].startswith("/accounts/login/")
