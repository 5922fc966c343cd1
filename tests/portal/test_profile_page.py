from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounting.models import AccountingEvent, Token, User
from accounting.services import tokens
from portal.kit import clock
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(client: Client) -> User:
    user = make.user("alice")
    client.force_login(user)
    return user


def test_name_language_and_zone_are_saved(client: Client, alice: User) -> None:
    client.post("/profile/", {"name": "Alice L.", "language": "zh-hans", "time_zone": "Europe/Berlin"})
    alice.refresh_from_db()
    assert (alice.name, alice.language, alice.time_zone) == ("Alice L.", "zh-hans", "Europe/Berlin")
    assert '<html lang="zh-Hans">' in client.get("/profile/").content.decode()


@pytest.mark.parametrize("wrong", [{"time_zone": "Mars/Olympus"}, {"language": "tlh"}])
def test_what_is_no_zone_or_language_is_refused(client: Client, alice: User, wrong: dict[str, str]) -> None:
    answer = client.post("/profile/", {"name": "Changed", "language": "", "time_zone": ""} | wrong)
    assert answer.status_code == 422
    alice.refresh_from_db()
    assert alice.name == "Alice"


def test_a_profile_form_changes_nothing_else(client: Client, alice: User) -> None:
    client.post("/profile/", {"name": "A", "language": "", "time_zone": "", "is_superuser": "on", "username": "root"})
    alice.refresh_from_db()
    assert (alice.username, alice.is_superuser) == ("alice", False)


def test_the_password_is_changed_and_one_stays_signed_in(client: Client, alice: User) -> None:
    new = "another-long-password"
    client.post("/profile/password/", {"old_password": make.PASSWORD, "new_password1": new, "new_password2": new})
    alice.refresh_from_db()
    assert alice.check_password(new)
    assert client.get("/profile/").status_code == 200


@pytest.mark.parametrize("old, new", [("wrong", "another-long-password"), (make.PASSWORD, "short")])
def test_a_wrong_or_weak_password_is_refused(client: Client, alice: User, old: str, new: str) -> None:
    answer = client.post("/profile/password/", {"old_password": old, "new_password1": new, "new_password2": new})
    assert answer.status_code == 422
    alice.refresh_from_db()
    assert alice.check_password(make.PASSWORD)


def test_in_the_demo_the_password_stays(client: Client, alice: User, settings: Any) -> None:
    settings.DEMO = True
    new = "another-long-password"
    form = {"old_password": make.PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post("/profile/password/", form).status_code == 403
    alice.refresh_from_db()
    assert alice.check_password(make.PASSWORD)


def test_a_token_is_shown_once(client: Client, alice: User) -> None:
    answer = client.post("/profile/tokens/", {"name": "nightly", "scope": "read", "days": "30"})
    key = answer.context["key"]
    assert key in answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"]
    assert key not in client.get("/profile/").content.decode()
    token = tokens.owner_of(key)
    assert token is not None
    assert (token.user, token.scope) == (alice, Token.Scope.READ)
    assert token.expires_at is not None
    assert timedelta(days=29) < token.expires_at - clock.now() <= timedelta(days=30)


def test_a_token_may_last_for_ever(client: Client, alice: User) -> None:
    client.post("/profile/tokens/", {"name": "nightly", "scope": "write", "days": "0"})
    assert Token.objects.get().expires_at is None


@pytest.mark.parametrize("wrong", [{"name": ""}, {"scope": "root"}, {"days": "7000"}])
def test_a_wrong_token_form_comes_back(client: Client, alice: User, wrong: dict[str, str]) -> None:
    form = {"name": "nightly", "scope": "read", "days": "30"} | wrong
    assert client.post("/profile/tokens/", form).status_code == 422
    assert not Token.objects.exists()


def test_a_revoked_token_is_dead(client: Client, alice: User) -> None:
    token, key = tokens.make(alice, name="nightly")
    client.post(f"/profile/tokens/{token.pk}/revoke/")
    assert tokens.owner_of(key) is None
    assert AccountingEvent.objects.filter(what="token_revoked", by=alice).exists()


def test_nobody_revokes_anothers_token(client: Client, alice: User) -> None:
    token, key = tokens.make(make.user("bob"), name="nightly")
    assert client.post(f"/profile/tokens/{token.pk}/revoke/").status_code == 404
    assert tokens.owner_of(key) is not None


def test_the_command_prints_a_token_that_works(capsys: pytest.CaptureFixture[str], alice: User) -> None:
    call_command("create_token", "alice", "--read-only", "--days", "7")
    token = tokens.owner_of(capsys.readouterr().out.strip())
    assert token is not None
    assert (token.user, token.scope) == (alice, Token.Scope.READ)


@pytest.mark.parametrize("words", [("nemo",), ("alice", "--days", "-1"), ("alice", "--name", "")])
def test_the_command_refuses_what_is_wrong(alice: User, words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("create_token", *words)
    assert not Token.objects.exists()


@pytest.mark.parametrize("rows", [2, 20])
def test_queries_do_not_grow_with_the_rows(
    client: Client, alice: User, rows: int, django_assert_max_num_queries: Any
) -> None:
    for number in range(rows):
        tokens.make(alice, name=f"token {number}")
        make.member(alice, make.team(f"Team{number}"))
    with django_assert_max_num_queries(15):
        assert client.get("/profile/").status_code == 200
