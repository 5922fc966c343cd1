from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from portal.kit import clock
from portal.kit.grains import GRAINS_PER_NPU
from scheduling.models import Job, State
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> make.World:
    return make.world()


def signed_in(client: Client, world: make.World, name: str) -> Client:
    client.force_login(world.people[name])
    return client


def failed(world: make.World, **columns: object) -> Job:
    now = clock.now()
    return make.job(
        world.people["alice"],
        world.nlp,
        **{
            "name": "broken",
            "state": State.FAILED,
            "started_at": now - timedelta(minutes=9),
            "ended_at": now - timedelta(minutes=3),
            "exit_code": 1,
            "ended_why": "exit_code",
        }
        | columns,
    )


def test_a_stranger_is_sent_to_sign_in(client: Client, world: make.World) -> None:
    assert client.get("/").headers["Location"] == "/accounts/login/?next=/"


@pytest.mark.parametrize("name", ["alice", "vera", "lena", "charlie", "ann", "olga", "audrey", "fay", "nobody"])
def test_everybody_gets_a_page(client: Client, world: make.World, name: str) -> None:
    assert signed_in(client, world, name).get("/").status_code == 200


def test_the_heading_counts_what_failed(client: Client, world: make.World) -> None:
    failed(world)
    failed(world, state=State.TIMED_OUT)
    assert "2 things need you" in signed_in(client, world, "alice").get("/").content.decode()


def test_what_is_put_aside_needs_nobody_any_more(client: Client, world: make.World) -> None:
    job = failed(world)
    signed_in(client, world, "alice").post(f"/home/aside/{job.pk}/")
    assert client.get("/").context["home"].needs == 0


def test_others_failures_cannot_be_put_aside(client: Client, world: make.World) -> None:
    job = failed(world)
    assert signed_in(client, world, "charlie").post(f"/home/aside/{job.pk}/").status_code == 404


def test_what_was_submitted_again_needs_nobody_any_more(client: Client, world: make.World) -> None:
    job = failed(world)
    make.job(world.people["alice"], world.nlp, resubmit_of=job)
    assert signed_in(client, world, "alice").get("/").context["home"].needs == 0


def test_yesterdays_failure_is_history(client: Client, world: make.World) -> None:
    failed(world, ended_at=clock.now() - timedelta(hours=25))
    assert signed_in(client, world, "alice").get("/").context["home"].needs == 0


def test_a_teammates_failure_is_not_mine(client: Client, world: make.World) -> None:
    failed(world)
    assert signed_in(client, world, "bob").get("/").context["home"].needs == 0


def test_my_jobs_are_counted_by_state(client: Client, world: make.World) -> None:
    make.job(world.people["alice"], world.nlp)
    make.job(world.people["alice"], world.nlp, state=State.RUNNING, started_at=clock.now(), on_own=GRAINS_PER_NPU)
    make.job(world.people["bob"], world.nlp)
    jobs = signed_in(client, world, "alice").get("/").context["home"].jobs
    assert (jobs.running, jobs.waiting, len(jobs.rows)) == (1, 1, 2)


def test_those_over_teams_see_pools_instead(client: Client, world: make.World) -> None:
    home = signed_in(client, world, "audrey").get("/").context["home"]
    assert [len(pool.teams) for pool in home.pools] == [4]
    assert home.teams == []


def test_a_member_sees_no_pools_of_others(client: Client, world: make.World) -> None:
    page = signed_in(client, world, "alice").get("/").content.decode()
    assert "Vision" not in page


def test_an_operator_is_told_of_a_cluster_that_is_away(client: Client, world: make.World) -> None:
    world.cluster.away_since = clock.now()
    world.cluster.save()
    assert signed_in(client, world, "olga").get("/").context["home"].needs == 1


def test_one_without_a_team_is_told_what_to_do(client: Client, world: make.World) -> None:
    page = signed_in(client, world, "nobody").get("/").content.decode()
    assert "Ask the lead of your team" in page


def test_steps_are_for_the_new_and_go_when_done(client: Client, world: make.World) -> None:
    signed_in(client, world, "alice")
    assert client.get("/").context["home"].steps is not None
    assert client.post("/home/steps/", {"team": "nlp"}).headers["Location"] == "/teams/nlp/"
    assert client.get("/").context["home"].steps is None


def test_steps_are_not_for_one_with_older_jobs(client: Client, world: make.World) -> None:
    make.job(world.people["alice"], world.nlp, submitted_at=clock.now() - timedelta(days=3))
    assert signed_in(client, world, "alice").get("/").context["home"].steps is None


def test_in_the_demo_steps_begin_anew_at_each_sign_in(client: Client, world: make.World, settings: object) -> None:
    settings.DEMO = True  # type: ignore[attr-defined]  # pytest-django's wrapper
    make.job(world.people["alice"], world.nlp, submitted_at=clock.now() - timedelta(days=3))
    steps = signed_in(client, world, "alice").get("/").context["home"].steps
    assert (steps.submitted, steps.started) == (False, False)


def test_a_poll_gets_only_what_changes(client: Client, world: make.World) -> None:
    page = signed_in(client, world, "alice").get("/", headers={"HX-Request": "true"}).content.decode()
    assert page.strip().startswith('<div id="now"')
    assert "<html" not in page


@pytest.mark.parametrize("name", ["alice", "olga", "fay", "nobody"])
@pytest.mark.parametrize("rows", [2, 20])
def test_queries_do_not_grow_with_the_rows(
    client: Client, world: make.World, name: str, rows: int, django_assert_max_num_queries: object
) -> None:
    for _ in range(rows):
        failed(world)
        make.job(world.people["alice"], world.nlp)
        make.job(
            world.people["charlie"], world.vision, state=State.RUNNING, started_at=clock.now(), on_own=GRAINS_PER_NPU
        )
        make.node(f"extra-{Job.objects.count()}", of=world.cluster, into=world.pool)
        make.team(f"Team{Job.objects.count()}")
    signed_in(client, world, name)
    with django_assert_max_num_queries(15):  # type: ignore[operator]  # pytest-django's fixture
        assert client.get("/").status_code == 200


def test_it_speaks_chinese(client: Client, world: make.World) -> None:
    page = signed_in(client, world, "alice").get("/", headers={"Accept-Language": "zh-CN"}).content.decode()
    assert '<html lang="zh-Hans">' in page
