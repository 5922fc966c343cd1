from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import NoReverseMatch, reverse

from accounting.models import User
from tests import make

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/"


@pytest.fixture(autouse=True)
def _no_tries_counted() -> None:
    cache.clear()


@pytest.fixture
def alice() -> User:
    return make.user("alice")


def sign_in(client: Client, **fields: str) -> Any:
    return client.post(LOGIN, {"login": "alice", "password": make.PASSWORD} | fields)


def test_it_opens_in_the_browsers_language(client: Client) -> None:
    assert '<html lang="zh-Hans">' in client.get(LOGIN, headers={"Accept-Language": "zh-CN,zh;q=0.9"}).content.decode()
    assert '<html lang="en">' in client.get(LOGIN, headers={"Accept-Language": "en-GB"}).content.decode()


def test_a_right_password_leads_home(client: Client, alice: User) -> None:
    assert sign_in(client).headers["Location"] == "/"
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_it_leads_where_one_wanted_to_go(client: Client, alice: User) -> None:
    assert sign_in(client, next="/teams/").headers["Location"] == "/teams/"


def test_it_leads_to_no_other_site(client: Client, alice: User) -> None:
    assert sign_in(client, next="https://example.com/").headers["Location"] == "/"


@pytest.mark.parametrize("fields", [{"password": "wrong"}, {"login": "nobody"}])
def test_a_wrong_word_is_told_and_nothing_more(client: Client, alice: User, fields: dict[str, str]) -> None:
    answer = sign_in(client, **fields)
    assert answer.status_code == 200
    assert 'role="alert"' in answer.content.decode()
    assert "_auth_user_id" not in client.session


def test_one_who_left_does_not_come_in(client: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert 'role="alert"' in sign_in(client).content.decode()
    assert "_auth_user_id" not in client.session


def test_failed_tries_are_limited(client: Client, alice: User) -> None:
    for _ in range(6):
        sign_in(client, password="wrong")
    sign_in(client)
    assert "_auth_user_id" not in client.session


def test_signing_out_needs_a_click(client: Client, alice: User) -> None:
    sign_in(client)
    assert client.post("/accounts/logout/").status_code == 302
    assert "_auth_user_id" not in client.session


def test_a_look_at_the_sign_out_page_signs_nobody_out(client: Client, alice: User) -> None:
    sign_in(client)
    assert client.get("/accounts/logout/").status_code == 200
    assert "_auth_user_id" in client.session


@pytest.mark.parametrize("address", ["signup/", "password/reset/", "password/change/", "email/", ""])
def test_nothing_else_of_allauth_is_there(client: Client, address: str) -> None:
    assert client.get(f"/accounts/{address}").status_code == 404
    with pytest.raises(NoReverseMatch):
        reverse("account_signup")


def test_without_the_demo_nobody_is_offered(client: Client, settings: Any) -> None:
    page = client.get(LOGIN).content.decode()
    assert settings.DEMO_PASSWORD not in page
    assert "linyue" not in page


def test_the_demo_offers_its_people_by_one_click(client: Client, settings: Any) -> None:
    settings.DEMO = True
    user = User.objects.create_user("linyue", password=settings.DEMO_PASSWORD)
    page = client.get(LOGIN).content.decode()
    assert page.count('name="login" value=') == len(settings.DEMO_PEOPLE)
    client.post(LOGIN, {"login": "linyue", "password": settings.DEMO_PASSWORD})
    assert client.session["_auth_user_id"] == str(user.pk)


def test_the_language_is_kept_in_a_cookie_before_sign_in(client: Client) -> None:
    answer = client.post("/language/", {"language": "zh-hans", "next": LOGIN})
    assert answer.headers["Location"] == LOGIN
    assert '<html lang="zh-Hans">' in client.get(LOGIN).content.decode()


def test_the_language_is_kept_on_the_person(client: Client, alice: User) -> None:
    client.force_login(alice)
    client.post("/language/", {"language": "zh-hans"})
    assert User.objects.get(pk=alice.pk).language == "zh-hans"


@pytest.mark.parametrize("back", ["https://example.com/", "//example.com/", "javascript:alert(1)", ""])
def test_the_language_switch_leads_to_no_other_site(client: Client, back: str) -> None:
    assert client.post("/language/", {"language": "en", "next": back}).headers["Location"] == "/"


def test_an_unknown_language_changes_nothing(client: Client, alice: User) -> None:
    client.force_login(alice)
    client.post("/language/", {"language": "tlh"})
    assert User.objects.get(pk=alice.pk).language == ""


def test_looking_changes_no_language(client: Client) -> None:
    assert client.get("/language/?language=zh-hans").status_code == 405


def test_health_asks_the_database(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert client.get("/healthz").content == b"ok\n"


def test_the_page_asks_little_of_the_database(client: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(15):
        client.get(LOGIN)
