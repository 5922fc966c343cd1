"""Redis away, silent and back: pages go on, and nobody waits long."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from portal.kit import cache as module
from portal.kit import wake
from scheduling.models import Job
from tests import make
from tests.portal.test_wake import nowhere
from tests.services.valkey import Valkey

pytestmark = pytest.mark.django_db(transaction=True)  # what wakes workers does so after the commit


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_away_until", 0.0)
    monkeypatch.setattr(wake, "_away_until", 0.0)
    module._said.clear()


def use(settings: Any, url: str) -> None:
    settings.CACHES = settings.CACHES | {"default": settings.CACHES["default"] | {"LOCATION": url}}


@pytest.fixture
def away() -> Iterator[None]:
    with nowhere():
        yield


@pytest.fixture
def silent(settings: Any) -> Iterator[None]:
    """Somebody takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        use(settings, f"redis://127.0.0.1:{server.getsockname()[1]}/0")
        yield


@pytest.mark.usefixtures("away")
def test_people_sign_in_look_and_submit_while_redis_is_away() -> None:
    make.world()
    client = Client()
    refused = client.post("/accounts/login/", {"login": "alice", "password": "wrong"})
    assert refused.status_code == 200
    signed_in = client.post("/accounts/login/", {"login": "alice", "password": make.PASSWORD})
    assert (signed_in.status_code, signed_in.headers["Location"]) == (302, "/")
    assert [client.get(path).status_code for path in ("/", "/queue/", "/submit/", "/healthz")] == [200] * 4
    assert client.post("/submit/", {"script": make.script(), "team": "nlp"}).status_code == 302
    assert Job.objects.count() == 1


@pytest.mark.usefixtures("away")
def test_everything_is_a_miss_and_what_guards_fails_open() -> None:
    cache.set("a", 1)
    cache.set_many({"a": 1, "b": 2})
    cache.delete_many(["a"])
    assert cache.get("a", "default") == "default"
    assert cache.get_many(["a", "b"]) == {}
    assert (cache.add("a", 1), cache.touch("a"), cache.delete("a"), cache.has_key("a"), cache.clear()) == (
        True, False, False, False, False,
    )  # fmt: skip
    with pytest.raises(ValueError, match="not found"):
        cache.incr("a")


@pytest.mark.usefixtures("silent")
def test_server_that_never_answers_is_waited_for_once() -> None:
    began = time.monotonic()
    assert [cache.get("a", number) for number in range(50)] == list(range(50))
    assert time.monotonic() - began < 10


def test_server_that_is_back_is_used_again(settings: Any, broker: Valkey) -> None:
    use(settings, broker.url)
    cache.set("a", 1)
    assert cache.get("a") == 1
    broker.kill()
    assert cache.get("a", "away") == "away"
    broker.start()
    deadline = time.monotonic() + 20
    while not cache.get("b"):
        assert time.monotonic() < deadline
        cache.set("b", 2)
        time.sleep(0.05)
    assert (cache.incr("b"), cache.add("b", 1), cache.get_many(["b", "c"])) == (3, False, {"b": 3})


def test_wrong_use_is_still_an_error() -> None:
    cache.set("text", "no number")
    with pytest.raises(Exception, match="integer"):
        cache.incr("text")
