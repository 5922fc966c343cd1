"""Chromium against a live server of the test's own rows. What a page logs as an error fails the test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from accounting.models import User
from tests import make

# A refused form, as the browser logs it; a preview that a newer one overtook, as htmx does.
FINE = ("status of 422", "status of 404", "htmx:sendAbort", "htmx:afterRequest")
DEADLINE_MS = 60_000  # for a machine that runs the other tests at the same time
SignIn = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    # Playwright's loop runs in this thread, and Django refuses its ORM beside a loop.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=DEADLINE_MS / 4)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def world(transactional_db: None) -> make.World:
    return make.world()


@pytest.fixture
def sign_in(chromium: Browser, live_server: LiveServer) -> Iterator[SignIn]:
    """A page of this person's, or of nobody's; keyword arguments are Playwright's for a new context."""
    contexts, said = [], []

    def page_of(person: User | None, **context: Any) -> Page:
        made = chromium.new_context(
            base_url=live_server.url, **({"viewport": {"width": 1366, "height": 768}} | context)
        )
        made.set_default_timeout(DEADLINE_MS)
        contexts.append(made)
        if person is not None:
            client, name = Client(), settings.SESSION_COOKIE_NAME
            client.force_login(person)
            made.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
        page = made.new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        return page

    yield page_of
    for context in contexts:
        context.close()
    assert not [text for text in said if not any(words in text for words in FINE)]
