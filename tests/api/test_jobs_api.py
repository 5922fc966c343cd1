from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from accounting.models import Token, User
from accounting.services import tokens
from portal.kit import clock
from scheduling.models import Job, Run, State
from scheduling.services import passes
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> make.World:
    return make.world()


class Script:
    """What a script does: JSON in, JSON out, a token."""

    def __init__(self, user: User, scope: str = Token.Scope.WRITE) -> None:
        self.key = tokens.make(user, name="tests", scope=scope)[1]
        self.client = Client()

    def get(self, path: str) -> Any:
        return self.client.get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {self.key}"})

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.client.post(
            f"/api/v1/{path}",
            json.dumps({} if body is None else body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.key}", **headers},
        )


@pytest.fixture
def alice(world: make.World) -> Script:
    return Script(world.alice)


@pytest.fixture
def charlie(world: make.World) -> Script:
    return Script(world.charlie)


def test_a_script_becomes_a_job(alice: Script) -> None:
    answer = alice.post("jobs", {"script": make.script(npus=8, nodes=2, limit="24:00:00")})
    assert answer.status_code == 201
    shape = answer.json()
    assert (shape["npus"], shape["nodes"], shape["time_limit_seconds"]) == ("16", 2, 86_400)
    assert (shape["state"], shape["team"], shape["project"], shape["user"]) == ("queued", "nlp", "main", "alice")
    assert answer["Location"].endswith(f"/api/v1/jobs/{shape['number']}")


def test_fields_do_without_a_header(alice: Script) -> None:
    spec = {"name": "by-fields", "nodes": 1, "npus_per_node": 2, "time_limit_seconds": 600}
    answer = alice.post("jobs", {"script": "#!/bin/bash\ntrue\n", "spec": spec})
    assert answer.status_code == 201, answer.content
    assert (answer.json()["name"], answer.json()["npus"]) == ("by-fields", "2")


def test_a_bad_line_is_named(alice: Script) -> None:
    answer = alice.post("jobs", {"script": make.script(npus=9)})
    shape = answer.json()
    assert (answer.status_code, shape["code"]) == (422, "script_has_errors")
    assert 5 in {finding["line"] for finding in shape["findings"]}
    assert not Job.objects.exists()


def test_an_unknown_field_is_named(alice: Script) -> None:
    answer = alice.post("jobs", {"script": make.script(), "colour": "red"})
    assert answer.status_code == 422
    assert "colour" in answer.json()["fields"]


@pytest.mark.parametrize("body", ["[]", "no json", '{"script": 5, "spec": []}', "{}"])
def test_bad_bodies_get_the_one_error_shape(alice: Script, body: str) -> None:
    answer = alice.client.post(
        "/api/v1/jobs", body, content_type="application/json", headers={"Authorization": f"Bearer {alice.key}"}
    )
    assert answer.status_code in (400, 422)
    assert set(answer.json()) == {"code", "message", "fields", "findings"}


def test_the_same_key_twice_is_one_job_and_another_body_a_conflict(alice: Script) -> None:
    body = {"script": make.script()}
    first = alice.post("jobs", body, **{"Idempotency-Key": "run-1"})
    again = alice.post("jobs", body, **{"Idempotency-Key": "run-1"})
    other = alice.post("jobs", {"script": make.script(npus=2)}, **{"Idempotency-Key": "run-1"})
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert first.json()["number"] == again.json()["number"]
    assert other.json()["code"] == "key_used_for_other_body"
    assert Job.objects.count() == 1


def test_a_refused_body_does_not_use_up_its_key(alice: Script) -> None:
    assert alice.post("jobs", {"script": make.script(npus=9)}, **{"Idempotency-Key": "k"}).status_code == 422
    assert alice.post("jobs", {"script": make.script(npus=8)}, **{"Idempotency-Key": "k"}).status_code == 201


def test_somebody_elses_job_is_not_there(alice: Script, charlie: Script, world: make.World) -> None:
    number = make.job(world.alice, world.nlp).pk
    for path in ("", "/events", "/log"):
        assert charlie.get(f"jobs/{number}{path}").status_code == 404
    for step in ("cancel", "hold", "release"):
        assert charlie.post(f"jobs/{number}/{step}").status_code == 404
    assert alice.get(f"jobs/{number}").status_code == 200


def test_a_teammate_sees_but_does_not_stop(world: make.World) -> None:
    number = make.job(world.alice, world.nlp).pk
    bob = Script(world.bob)
    assert bob.get(f"jobs/{number}").status_code == 200
    assert bob.post(f"jobs/{number}/cancel").status_code == 403
    assert Script(world.lena).post(f"jobs/{number}/cancel").json()["state"] == "cancelled"


def test_the_list_keeps_back_what_is_private_of_others(charlie: Script, world: make.World) -> None:
    make.job(world.alice, world.nlp, name="secret-model")
    assert charlie.get("jobs").json()["count"] == 0
    row = charlie.get("jobs?scope=all").json()["results"][0]
    assert (row["team"], row["npus"], row["name"], row["user"], row["project"]) == ("nlp", "1", None, None, None)
    assert "secret" not in charlie.get("jobs?scope=all").content.decode()


def test_filters_and_pages(alice: Script, world: make.World) -> None:
    for number in range(5):
        make.job(world.alice, world.nlp, name=f"run-{number}")
    make.job(world.alice, world.nlp, name="other", state=State.SUCCEEDED)
    assert alice.get("jobs?state=waiting").json()["count"] == 5
    assert alice.get("jobs?text=other").json()["count"] == 1
    page = alice.get("jobs?page_size=2&page=2").json()
    assert (page["count"], len(page["results"])) == (6, 2)
    assert alice.get("jobs?state=nonsense").status_code == 422
    assert alice.get("jobs?page=99").status_code == 404


def test_a_waiting_job_says_why(alice: Script, world: make.World) -> None:
    for npus in (8, 8, 4):
        alice.post("jobs", {"script": make.script(npus=npus)})
    passes.run(clock.now())
    wait = alice.get("jobs?state=queued").json()["results"][0]["wait"]
    assert (wait["reason"], wait["place"]) == ("pool_full", 1)
    assert wait["expected_at"]
    assert "4" in wait["text"]


def test_hold_release_cancel(alice: Script) -> None:
    number = alice.post("jobs", {"script": make.script()}).json()["number"]
    assert alice.post(f"jobs/{number}/hold").json()["state"] == "held"
    assert alice.post(f"jobs/{number}/hold").status_code == 409
    assert alice.post(f"jobs/{number}/release").json()["state"] == "queued"
    assert alice.post(f"jobs/{number}/cancel", {"why": "wrong data"}).json()["state"] == "cancelled"
    events = alice.get(f"jobs/{number}/events").json()["results"]
    assert [event["what"] for event in events] == ["submitted", "held", "released", "cancelled"]
    assert events[-1]["why"] == "wrong data"


def test_cancel_many_does_what_it_can(alice: Script, world: make.World) -> None:
    mine = [make.job(world.alice, world.nlp).pk for _ in range(2)]
    ended = make.job(world.alice, world.nlp, state=State.SUCCEEDED).pk
    others = make.job(world.charlie, world.vision).pk
    answer = alice.post("jobs/cancel", {"jobs": [*mine, ended, others]}).json()
    assert answer["done"] == mine
    assert {row["job"]: row["code"] for row in answer["refused"]} == {ended: "not_in_this_state", others: "not_found"}
    assert all(row["message"] for row in answer["refused"])


def test_a_preview_writes_nothing(alice: Script) -> None:
    answer = alice.post("jobs/preview", {"script": make.script(npus=8, limit="60")}).json()
    assert (answer["npus"], answer["starts_now"]) == ("8", True)
    assert answer["cost"] == "29.600000"  # 5 own at 4.00 and 3 elastic at 3.20, one hour
    assert not Job.objects.exists()


def test_quotas_are_there_for_everybody_to_see(charlie: Script) -> None:
    rows = {row["team"]: row for row in charlie.get("quotas").json()}
    assert (rows["nlp"]["guaranteed"], rows["nlp"]["may_borrow"], rows["recsys"]["guaranteed"]) == ("5", None, "0")


def test_usage_is_for_the_team(alice: Script, charlie: Script) -> None:
    assert alice.get("usage?team=nlp").json()["npu_seconds"] == 0
    assert charlie.get("usage?team=nlp").status_code == 404
    assert alice.get("usage?team=nlp&since=2026-12-02&until=2026-12-01").status_code == 422


def test_without_a_good_token_nobody_is_there(world: make.World) -> None:
    client = Client()
    assert client.get("/api/v1/jobs").status_code == 401
    bad = client.get("/api/v1/jobs", headers={"Authorization": "Bearer npu_nonsense"})
    assert (bad.status_code, bad.json()["code"]) == (401, "bad_token")


def test_a_reading_token_only_reads(world: make.World) -> None:
    reader = Script(world.alice, Token.Scope.READ)
    assert reader.get("jobs").status_code == 200
    assert reader.post("jobs", {"script": make.script()}).status_code == 403


def test_a_revoked_token_is_dead_and_the_key_is_nowhere_kept(world: make.World) -> None:
    token, key = tokens.make(world.alice, name="old")
    assert key not in str(Token.objects.values())
    tokens.revoke(world.alice, token.pk)
    assert Client().get("/api/v1/me", headers={"Authorization": f"Bearer {key}"}).status_code == 401


def test_a_missing_address_answers_in_the_one_shape(alice: Script) -> None:
    assert alice.get("jobs/4711").json()["code"] == "not_found"


@pytest.mark.parametrize("path", ["nope", "jobs/-1", "jobs/4711/", "jobs/abc/log"])
def test_an_address_that_is_none_answers_in_the_one_shape_too(path: str, alice: Script) -> None:
    answer = alice.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.json()["message"]


def test_a_body_nested_beyond_reason_is_the_senders_mistake(alice: Script) -> None:
    answer = alice.client.post(
        "/api/v1/jobs", "[" * 100_000, content_type="application/json", headers={"Authorization": f"Bearer {alice.key}"}
    )
    assert answer.status_code in (400, 422)
    assert set(answer.json()) == {"code", "message", "fields", "findings"}


def test_each_filter_that_is_wrong_is_named(alice: Script) -> None:
    fields = alice.get("jobs?state=bogus&scope=never").json()["fields"]
    assert set(fields) == {"state", "scope"}


def test_a_fault_of_ours_has_the_shape_and_a_number(alice: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("scheduling.api.quotas.pool_use", breaks)
    alice.client.raise_request_exception = False
    answer = alice.get("quotas")
    assert (answer.status_code, answer.json()["code"]) == (500, "fault")
    assert answer["X-Request-ID"] in answer.json()["message"]


def test_the_document_is_complete(alice: Script) -> None:
    answer = alice.get("openapi?format=json")
    assert answer.status_code == 200
    paths = answer.json()["paths"]
    assert {"/api/v1/jobs", "/api/v1/jobs/{number}/log", "/api/v1/quotas", "/api/v1/usage"} <= set(paths)


def test_the_page_tells_every_endpoint(world: make.World) -> None:
    client = Client()
    client.force_login(world.alice)
    page = client.get("/api/docs").content.decode()
    for call in ("POST /api/v1/jobs", "GET /api/v1/jobs/{number}/log", "GET /api/v1/usage", "Idempotency-Key"):
        assert call in page


def test_the_document_has_no_warnings() -> None:
    from drf_spectacular.drainage import GENERATOR_STATS
    from drf_spectacular.generators import SchemaGenerator

    GENERATOR_STATS.reset()
    with GENERATOR_STATS.silence():
        SchemaGenerator().get_schema(request=None, public=True)
    assert not GENERATOR_STATS._warn_cache, list(GENERATOR_STATS._warn_cache)
    assert not GENERATOR_STATS._error_cache, list(GENERATOR_STATS._error_cache)


@pytest.mark.parametrize("path", ["jobs", "jobs?scope=all", "quotas", "usage?team=nlp&by=job", "jobs/{job}/events"])
def test_queries_do_not_grow_with_rows(
    path: str, alice: Script, world: make.World, django_assert_max_num_queries: Any
) -> None:
    jobs = [make.job(world.alice, world.nlp) for _ in range(30)]
    alice.get("me")
    with django_assert_max_num_queries(15):
        assert alice.get(path.format(job=jobs[0].pk)).status_code == 200


def test_log_of_a_cluster_that_is_away_is_a_503_that_says_so(world: make.World, alice: Script, settings: Any) -> None:
    job = make.job(world.alice, world.nlp, state=State.RUNNING, started_at=clock.now())
    Run.objects.create(job=job, cluster=world.cluster, attempt=1, created_at=clock.now(), backend_id="there")
    settings.LOCAL_BACKEND_ALLOWED = False
    answer = alice.get(f"jobs/{job.pk}/log")
    assert (answer.status_code, answer.json()["code"]) == (503, "away")
    assert answer.json()["message"].startswith("The cluster does not answer")
    assert alice.get(f"jobs/{job.pk}").status_code == 200
