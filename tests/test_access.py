"""Every address, every role: who gets in is written here, and an address without a line fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounting.services import tokens
from portal.kit.access import May, Role
from scheduling.models import Job, State
from scheduling.services import presets
from tests import make

pytestmark = pytest.mark.django_db

# alice owns the job; bob is her teammate, vera the team's viewer, lena its lead. charlie is of another team, nobody of
# none. ann approves, olga operates, audrey audits, fay does the money, all at the centre.
EVERYBODY = {"alice", "bob", "vera", "lena", "charlie", "nobody", "ann", "olga", "audrey", "fay"}
SEES_NLP = {"alice", "bob", "vera", "lena", "olga", "audrey", "fay"}
SEES_USAGE = SEES_NLP | {"ann"}
OPERATES = {"alice", "lena", "olga"}
LEADS = {"lena"}
OPERATORS = {"olga"}
SUBMITS = {"alice", "bob", "lena", "charlie"}
ANYBODY = EVERYBODY | {"anonymous"}

GET, POST = "get", "post"
# path -> (method, body, who gets in). `{job}` is alice's waiting job, `{running}` her running one.
RULES: dict[str, list[tuple[str, dict[str, Any], set[str]]]] = {
    "": [(GET, {}, EVERYBODY)],
    "home/aside/<int:number>/": [(POST, {}, SEES_NLP)],
    "home/steps/": [(POST, {}, EVERYBODY)],
    "accounts/login/": [(GET, {}, ANYBODY)],
    "accounts/logout/": [(POST, {}, ANYBODY)],
    "team/": [(GET, {}, EVERYBODY)],
    "teams/": [(GET, {}, EVERYBODY)],
    "teams/<slug:slug>/": [(GET, {}, EVERYBODY)],
    "teams/<slug:slug>/usage.csv": [(GET, {}, SEES_USAGE)],
    "teams/<slug:slug>/members/add/": [(POST, {"person": "nobody", "role": "member"}, LEADS)],
    "teams/<slug:slug>/members/role/": [(POST, {"person": "bob", "role": "viewer"}, LEADS)],
    "teams/<slug:slug>/members/<str:username>/remove/": [(POST, {}, LEADS)],
    "teams/<slug:slug>/projects/add/": [(POST, {"name": "New"}, LEADS)],
    "teams/<slug:slug>/projects/<slug:project>/archive/": [(POST, {}, LEADS)],
    "teams/<slug:slug>/projects/<slug:project>/restore/": [(POST, {}, LEADS)],
    "submit/": [(GET, {}, EVERYBODY), (POST, {"script": make.script(), "team": "nlp"}, SUBMITS)],
    "submit/preview/": [(POST, {"script": make.script()}, SUBMITS)],
    "submit/presets/<slug:slug>/": [(GET, {}, EVERYBODY)],
    "queue/": [(GET, {}, EVERYBODY)],
    "queue/rows/": [(GET, {}, EVERYBODY)],
    "queue/cancel/": [(POST, {"job": ["{job}"]}, EVERYBODY)],  # what it cancels is looked up one by one: see below
    "jobs/<int:number>/": [(GET, {}, SEES_NLP)],
    "jobs/<int:number>/cancel/": [(POST, {}, OPERATES)],
    "jobs/<int:number>/hold/": [(POST, {}, OPERATES)],
    "jobs/<int:number>/release/": [(POST, {}, OPERATES)],
    "jobs/<int:number>/log/": [(GET, {}, SEES_NLP)],
    "jobs/<int:number>/resubmit/": [(GET, {}, SEES_NLP)],
    "api/v1/me": [(GET, {}, EVERYBODY)],
    "api/v1/jobs": [(GET, {}, EVERYBODY), (POST, {"script": make.script(), "team": "nlp"}, {"alice", "bob", "lena"})],
    "api/v1/jobs/preview": [(POST, {"script": make.script(), "team": "nlp"}, {"alice", "bob", "lena"})],
    "api/v1/jobs/cancel": [(POST, {"jobs": [1]}, EVERYBODY)],  # what it cancels is looked up one by one: see below
    "api/v1/jobs/<int:number>": [(GET, {}, SEES_NLP)],
    "api/v1/jobs/<int:number>/events": [(GET, {}, SEES_NLP)],
    "api/v1/jobs/<int:number>/log": [(GET, {}, SEES_NLP)],
    "api/v1/jobs/<int:number>/cancel": [(POST, {}, OPERATES)],
    "api/v1/jobs/<int:number>/hold": [(POST, {}, OPERATES)],
    "api/v1/jobs/<int:number>/release": [(POST, {}, OPERATES)],
    "api/v1/quotas": [(GET, {}, EVERYBODY)],
    "api/v1/usage": [(GET, {}, SEES_USAGE)],
    "api/v1/openapi": [(GET, {}, EVERYBODY)],
    "api/docs": [(GET, {}, EVERYBODY)],
    "clusters/": [(GET, {}, EVERYBODY)],
    "clusters/<slug:name>/": [(GET, {}, EVERYBODY)],
    "clusters/<slug:cluster>/<str:name>/": [(GET, {}, EVERYBODY)],
    "clusters/<slug:cluster>/<str:name>/drain/": [(POST, {"why": "fan"}, OPERATORS)],
    "clusters/<slug:cluster>/<str:name>/resume/": [(POST, {}, OPERATORS)],
    "profile/": [(GET, {}, EVERYBODY)],
    "profile/password/": [(POST, {}, EVERYBODY)],
    "profile/tokens/": [(POST, {"name": "t", "scope": "read"}, EVERYBODY)],
    "profile/tokens/<int:token>/revoke/": [(POST, {}, {"alice"})],
    "search/": [(GET, {}, EVERYBODY)],
    "language/": [(POST, {"language": "en"}, ANYBODY)],
    "healthz": [(GET, {}, ANYBODY)],
}
RELEASES = {"jobs/<int:number>/release/", "api/v1/jobs/<int:number>/release"}
DENIED = {401, 403, 404}


def _patterns(resolver: Any, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern, prefix + str(pattern.pattern))
        else:
            assert isinstance(pattern, URLPattern)
            yield prefix + str(pattern.pattern)


@pytest.fixture
def world() -> make.World:
    world = make.world()
    world.job = make.job(world.alice, world.nlp, state=State.FAILED)  # type: ignore[attr-defined]
    return world


def _address(path: str, world: make.World) -> str:
    state, held = (State.HELD, "user") if path in RELEASES else (State.QUEUED, "")
    if path == "home/aside/<int:number>/":
        state = State.FAILED
    job = make.job(world.alice, world.nlp, state=state, held_by=held)
    token = tokens.make(world.alice, name="t")[0]
    values = {
        "<int:number>": str(job.pk), "<slug:slug>": "quick" if "presets" in path else "nlp", "<str:username>": "bob",
        "<slug:project>": "extra", "<slug:name>": "here", "<slug:cluster>": "here", "<str:name>": "npu-01",
        "<int:token>": str(token.pk),
    }  # fmt: skip
    if "presets" in path:
        values["<slug:slug>"] = presets.OPENING.slug
    for placeholder, value in values.items():
        path = path.replace(placeholder, value)
    return f"/{path}" + ("?team=nlp" if path == "api/v1/usage" else "")


def _gets_in(who: str, path: str, method: str, body: dict[str, Any], world: make.World) -> bool:
    """Asked in a transaction that is undone, so that nobody finds what another has changed."""
    with transaction.atomic():
        address = _address(path, world)
        client = Client()
        if who != "anonymous":
            client.force_login(world.people[who])
        as_json = {"content_type": "application/json"} if path.startswith("api/") and method == POST else {}
        answer = getattr(client, method)(address, body, **as_json)
        transaction.set_rollback(True)
    assert answer.status_code != 500, (who, path)
    to_sign_in = (
        "logout" not in path and answer.status_code == 302 and answer["Location"].startswith("/accounts/login/")
    )
    refused_team = answer.status_code == 422 and path.startswith("api/v1/jobs") and "which_team" in str(answer.content)
    return not (to_sign_in or answer.status_code in DENIED or refused_team)


def test_every_address_has_a_rule() -> None:
    assert set(_patterns(get_resolver())) - {"clusters/"} == set(RULES) - {"clusters/"}


@pytest.mark.parametrize("path", RULES)
def test_who_gets_in(path: str, world: make.World) -> None:
    world.nlp.projects.create(name="Extra", slug="extra")
    for method, body, allowed in RULES[path]:
        got_in = {who for who in sorted(ANYBODY) if _gets_in(who, path, method, body, world)}
        assert got_in == allowed, f"{method} /{path}: {got_in ^ allowed}"


@pytest.mark.parametrize("path", [path for path, rules in RULES.items() if all(rule[0] == POST for rule in rules)])
def test_no_state_changes_on_get(path: str, world: make.World) -> None:
    client = Client()
    client.force_login(world.people["alice"])
    before = list(Job.objects.values_list("pk", "state"))
    with transaction.atomic():
        answer = client.get(_address(path, world))
        made = Job.objects.exclude(pk__in=[pk for pk, _ in before])
        assert set(made.values_list("state", flat=True)) <= {"queued", "held", "failed"}
        transaction.set_rollback(True)
    assert answer.status_code in (200, 302, 404, 405, 422)  # a question before the step, or no such page
    assert list(Job.objects.values_list("pk", "state")) == before


@pytest.mark.parametrize("who", sorted(EVERYBODY))
def test_bulk_cancel_stops_only_what_one_may_stop(who: str, world: make.World) -> None:
    job = make.job(world.alice, world.nlp)
    client = Client()
    client.force_login(world.people[who])
    client.post("/queue/cancel/", {"job": [job.pk], "jobs": [job.pk], "confirmed": "1"})
    client.post("/api/v1/jobs/cancel", {"jobs": [job.pk]}, content_type="application/json")
    job.refresh_from_db()
    assert (job.state == State.CANCELLED) == (who in OPERATES)


def test_signed_in_posts_need_the_csrf_token(world: make.World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.people["alice"])
    job = make.job(world.alice, world.nlp)
    assert client.post(f"/jobs/{job.pk}/cancel/").status_code == 403
    assert client.post(f"/api/v1/jobs/{job.pk}/cancel", {}, content_type="application/json").status_code == 403


def test_a_role_over_one_department_ends_there(world: make.World) -> None:
    elsewhere = make.department("Elsewhere")
    head = make.user("head")
    make.grant(head, Role.AUDITOR, elsewhere)
    assert not head.may(May.SEE, world.nlp)
    world.nlp.department = elsewhere
    world.nlp.save()
    assert head.may(May.SEE, world.nlp)
