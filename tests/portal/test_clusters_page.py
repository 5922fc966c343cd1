from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from npu_inventory.models import NPU, InventoryEvent, Node, Pool
from npu_inventory.services import nodes
from portal.kit import clock
from portal.kit.errors import Conflict, Invalid
from portal.kit.grains import GRAINS_PER_NPU
from scheduling.models import Allocation, Job, Run, State
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> make.World:
    return make.world()


def signed_in(client: Client, world: make.World, name: str) -> Client:
    client.force_login(world.people[name])
    return client


def running(world: make.World, by: str, *, on: Node, npus: list[int], name: str = "a-secret-name") -> Job:
    person = world.people[by]
    team = person.teams.get()
    job = make.job(person, team, name=name, state=State.RUNNING, started_at=clock.now(), npus=len(npus))
    run = Run.objects.create(
        job=job,
        cluster=world.cluster,
        attempt=1,
        state=Run.State.RUNNING,
        created_at=clock.now(),
        started_at=clock.now(),
    )
    for number, npu in enumerate(on.npus.filter(index__in=npus)):
        first = {"cpus": 16, "memory_mb": 64 * 1024} if number == 0 else {}
        Allocation.objects.create(run=run, node=on, npu=npu, grains=GRAINS_PER_NPU, **first)
    return job


def test_the_list_counts_nodes_and_npus(client: Client, world: make.World) -> None:
    running(world, "alice", on=world.nodes[0], npus=[0, 1, 2])
    row = signed_in(client, world, "alice").get("/clusters/").context["rows"][0]
    assert (row.nodes_up, row.npus, row.npus_used, row.npus_free) == (2, 16, 3, 13)


def test_the_built_in_cluster_says_what_it_is_for(client: Client, world: make.World) -> None:
    signed_in(client, world, "alice")
    for address in ("/clusters/", "/clusters/here/"):
        assert "as the portal&#x27;s own user" in client.get(address).content.decode().replace("'", "&#x27;")


def test_a_cluster_that_is_away_says_since_when(client: Client, world: make.World) -> None:
    world.cluster.away_since = clock.now()
    world.cluster.away_why = "connection refused"
    world.cluster.save()
    page = signed_in(client, world, "alice").get("/clusters/here/").content.decode()
    assert "does not answer" in page
    assert "connection refused" in page


def test_blocks_are_jobs_and_hollows_are_free(client: Client, world: make.World) -> None:
    job = running(world, "alice", on=world.nodes[0], npus=[0, 1, 2])
    NPU.objects.filter(node=world.nodes[0], index=7).update(health=NPU.Health.FAULTY)
    row = signed_in(client, world, "alice").get("/clusters/here/").context["page"].nodes[0]
    assert [(block.kind, block.job) for block in row.blocks] == [("held", job)] + [("free", None)] * 4 + [
        ("sick", None)
    ]


def test_others_jobs_show_number_and_team_only(client: Client, world: make.World) -> None:
    job = running(world, "alice", on=world.nodes[0], npus=[0, 1])
    page = signed_in(client, world, "charlie").get("/clusters/here/npu-01/").content.decode()
    assert str(job.pk) in page
    assert "NLP" in page
    assert "a-secret-name" not in page
    assert "Alice" not in page
    assert f"/jobs/{job.pk}/" not in page


def test_the_own_teams_jobs_show_name_and_person(client: Client, world: make.World) -> None:
    running(world, "alice", on=world.nodes[0], npus=[0, 1])
    page = signed_in(client, world, "bob").get("/clusters/here/npu-01/").content.decode()
    assert "a-secret-name" in page
    assert "Alice" in page


def test_cores_and_memory_are_those_of_its_jobs(client: Client, world: make.World) -> None:
    running(world, "alice", on=world.nodes[0], npus=[0, 1])
    running(world, "charlie", on=world.nodes[0], npus=[2])
    row = signed_in(client, world, "alice").get("/clusters/here/npu-01/").context["row"]
    assert (row.npus_used, row.cpus_used, row.memory_used_gb) == (3, 32, 128)


@pytest.mark.parametrize(
    ("state", "names"), [("up", ["npu-02"]), ("draining", ["npu-01"]), ("down", []), ("sick", ["npu-02"])]
)
def test_nodes_are_filtered_by_state(client: Client, world: make.World, state: str, names: list[str]) -> None:
    nodes.drain(world.nodes[0], by=world.olga, why="a new card")
    NPU.objects.filter(node=world.nodes[1], index=0).update(health=NPU.Health.WARNING)
    page = signed_in(client, world, "alice").get(f"/clusters/here/?state={state}").context["page"]
    assert [row.node.name for row in page.nodes] == names
    assert page.counts == {"up": 1, "draining": 1, "down": 0, "sick": 1}


def test_an_operator_drains_and_resumes(client: Client, world: make.World) -> None:
    version = Pool.objects.get().version
    signed_in(client, world, "olga").post("/clusters/here/npu-01/drain/", {"why": "a new card"})
    node = Node.objects.get(name="npu-01")
    assert (node.state, node.state_why) == (Node.State.DRAINING, "a new card")
    assert Pool.objects.get().version == version + 1
    client.post("/clusters/here/npu-01/resume/")
    assert Node.objects.get(name="npu-01").state == Node.State.UP
    events = InventoryEvent.objects.order_by("id").values_list("what", "about", "node__name", "by__username", "facts")
    assert list(events) == [
        ("node_drained", "here/npu-01", "npu-01", "olga", {"why": "a new card"}),
        ("node_resumed", "here/npu-01", "npu-01", "olga", {"why": ""}),
    ]


@pytest.mark.parametrize("name", ["alice", "lena", "charlie", "ann", "audrey", "fay", "nobody"])
@pytest.mark.parametrize("step", ["drain", "resume"])
def test_only_an_operator_touches_nodes(client: Client, world: make.World, name: str, step: str) -> None:
    signed_in(client, world, name)
    assert client.post(f"/clusters/here/npu-01/{step}/", {"why": "mine"}).status_code == 403
    assert Node.objects.get(name="npu-01").state == Node.State.UP
    assert not InventoryEvent.objects.exists()


def test_only_an_operator_is_offered_it(client: Client, world: make.World) -> None:
    assert "/drain/" not in signed_in(client, world, "alice").get("/clusters/here/npu-01/").content.decode()
    assert "/drain/" in signed_in(client, world, "olga").get("/clusters/here/npu-01/").content.decode()


def test_a_drain_needs_a_reason(world: make.World) -> None:
    with pytest.raises(Invalid, match="drain_reason"):
        nodes.drain(world.nodes[0], by=world.olga, why="  ")


def test_what_is_drained_is_not_drained_again(world: make.World) -> None:
    nodes.drain(world.nodes[0], by=world.olga, why="a new card")
    with pytest.raises(Conflict, match="node_moved_on"):
        nodes.drain(world.nodes[0], by=world.olga, why="again")


@pytest.mark.parametrize("address", ["/clusters/none/", "/clusters/here/none/", "/clusters/none/npu-01/"])
def test_no_such_thing(client: Client, world: make.World, address: str) -> None:
    assert signed_in(client, world, "alice").get(address).status_code == 404


@pytest.mark.parametrize("name", ["alice", "charlie", "olga"])
@pytest.mark.parametrize("rows", [2, 20])
def test_queries_do_not_grow_with_the_rows(
    client: Client, world: make.World, name: str, rows: int, django_assert_max_num_queries: Any
) -> None:
    for number in range(rows):
        node = make.node(f"extra-{number}", of=world.cluster, into=world.pool)
        running(world, "alice", on=node, npus=[0, 1])
        running(world, "charlie", on=node, npus=[4])
        make.partition(f"door-{number}", nodes=[node])
    signed_in(client, world, name)
    for address in ("/clusters/", "/clusters/here/", "/clusters/here/extra-0/"):
        with django_assert_max_num_queries(15):
            assert client.get(address).status_code == 200
