from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> make.World:
    return make.world()


def hits(client: Client, world: make.World, name: str, query: str, *, of: str = "") -> list[str]:
    client.force_login(world.people[name])
    groups = client.get("/search/", {"q": query}).context["groups"]
    return [hit.title for group in groups for hit in group.hits if of in ("", group.label)]


def test_a_job_is_found_by_number_and_by_name(client: Client, world: make.World) -> None:
    job = make.job(world.people["alice"], world.nlp, name="qwen-7b")
    assert hits(client, world, "bob", str(job.pk), of="Jobs") == [f"{job.pk} qwen-7b"]
    assert hits(client, world, "bob", "QWEN") == [f"{job.pk} qwen-7b"]


@pytest.mark.parametrize("name", ["charlie", "nobody", "ann"])
def test_a_stranger_finds_no_job(client: Client, world: make.World, name: str) -> None:
    job = make.job(world.people["alice"], world.nlp, name="qwen-7b")
    assert hits(client, world, name, "qwen") == []
    assert hits(client, world, name, str(job.pk), of="Jobs") == []


@pytest.mark.parametrize("name", ["olga", "audrey", "fay"])
def test_those_over_the_centre_find_every_job(client: Client, world: make.World, name: str) -> None:
    make.job(world.people["alice"], world.nlp, name="qwen-7b")
    assert len(hits(client, world, name, "qwen")) == 1


def test_teams_and_nodes_are_found_by_all(client: Client, world: make.World) -> None:
    assert hits(client, world, "nobody", "visi") == ["Vision"]
    assert hits(client, world, "nobody", "npu-0") == ["npu-01", "npu-02"]


def test_people_are_found_in_the_own_team_only(client: Client, world: make.World) -> None:
    assert hits(client, world, "alice", "lena") == ["Lena"]
    assert hits(client, world, "charlie", "lena") == []


def test_pages_are_found_by_their_words(client: Client, world: make.World) -> None:
    assert hits(client, world, "nobody", "profile") == ["Profile and tokens"]


@pytest.mark.parametrize("query", ["", "   ", "\x00", "9" * 40, "%", "'", "x" * 5000, "²"])
def test_odd_queries_do_no_harm(client: Client, world: make.World, query: str) -> None:
    client.force_login(world.people["alice"])
    assert client.get("/search/", {"q": query}).status_code == 200


def test_the_box_in_the_head_gets_a_part(client: Client, world: make.World) -> None:
    client.force_login(world.people["alice"])
    part = client.get("/search/", {"q": "vision"}, headers={"HX-Request": "true"}).content.decode()
    assert "/teams/vision/" in part
    assert "<html" not in part


@pytest.mark.parametrize("rows", [2, 20])
def test_queries_do_not_grow_with_the_rows(
    client: Client, world: make.World, rows: int, django_assert_max_num_queries: Any
) -> None:
    for number in range(rows):
        make.job(world.people["alice"], world.nlp, name=f"a{number}")
        make.team(f"a{number}")
        make.node(f"a{number}", of=world.cluster, into=world.pool)
        make.member(make.user(f"a{number}"), world.nlp)
    client.force_login(world.people["alice"])
    with django_assert_max_num_queries(15):
        assert len(client.get("/search/", {"q": "a"}).context["groups"]) >= 4
