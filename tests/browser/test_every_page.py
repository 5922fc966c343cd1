"""Every page in both languages, light and dark, wide and narrow: nothing for axe to find, nothing that the CSP stops."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import translation
from playwright.sync_api import Page

from portal.kit import clock
from portal.kit.grains import GRAINS_PER_NPU
from portal.kit.npm import folder
from scheduling.models import Run, State
from tests import make
from tests.browser.conftest import SignIn

pytestmark = pytest.mark.browser

PAGES = {
    "/": "alice",
    "/submit/": "alice",
    "/submit/?preset=two-nodes": "nobody",
    "/queue/": "alice",
    "/queue/?state=all&scope=all": "olga",
    "/jobs/{running}/": "alice",
    "/jobs/{waiting}/": "alice",
    "/jobs/{failed}/": "lena",
    "/jobs/{failed}/?tab=specification": "alice",
    "/jobs/{failed}/?tab=cost": "alice",
    "/jobs/{failed}/?tab=timeline": "alice",
    "/jobs/{running}/cancel/": "alice",
    "/teams/": "charlie",
    "/teams/nlp/": "lena",
    "/teams/vision/": "alice",
    "/clusters/": "olga",
    "/clusters/here/": "olga",
    "/clusters/here/npu-01/": "olga",
    "/profile/": "alice",
    "/api/docs": "alice",
    "/search/?q=train": "alice",
    "/accounts/login/": "",
    "/nothing/here/": "alice",
}
LOOKS = {
    "English": {"locale": "en-US"},
    "中文": {"locale": "zh-CN"},
    "phone, dark, 中文": {"locale": "zh-CN", "viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
AXE = folder() / "axe-core" / "axe.min.js"
RUN_AXE = """async () => (await axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
})).violations.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ")).slice(0, 4).join(" | "))"""


@pytest.fixture
def jobs(world: make.World) -> dict[str, int]:
    now = clock.now()
    running = make.job(
        world.alice, world.nlp, name="qwen-7b", npus=8, state=State.RUNNING, on_own=5 * GRAINS_PER_NPU,
        on_elastic=3 * GRAINS_PER_NPU, started_at=now - timedelta(minutes=3), attempts=1,
    )  # fmt: skip
    Run.objects.create(
        job=running, cluster=world.cluster, attempt=1, state=Run.State.RUNNING, created_at=now, started_at=now
    )
    waiting = make.job(
        world.alice, world.nlp, name="eval", npus=8, wait_reason="pool_full", place=1, expected_on="running_limits",
        expected_at=now + timedelta(minutes=7), expected_after=[running.pk],
        wait_facts={
            "asked": 8 * GRAINS_PER_NPU, "used": 8 * GRAINS_PER_NPU, "guaranteed": 5 * GRAINS_PER_NPU,
            "borrowed": 3 * GRAINS_PER_NPU, "may_borrow": "unlimited", "lent": 0, "idle": 0, "closed": 0,
            "capacity": 16 * GRAINS_PER_NPU, "next_job": running.pk, "next_at": clock.epoch(now) + 420,
            "next_idle": 8 * GRAINS_PER_NPU,
        },
    )  # fmt: skip
    failed = make.job(
        world.alice, world.nlp, name="sft", state=State.FAILED, started_at=now - timedelta(minutes=9), ended_at=now,
        exit_code=1, ended_why="exit", ended_facts={"exit_code": 1}, attempts=1,
    )  # fmt: skip
    return {"running": running.pk, "waiting": waiting.pk, "failed": failed.pk}


def violations(page: Page) -> list[str]:
    page.evaluate(AXE.read_text())  # not as a script element: the CSP allows none
    found: list[str] = page.evaluate(RUN_AXE)
    return found


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_on_any_page(look: str, world: make.World, jobs: dict[str, int], sign_in: SignIn) -> None:
    found: dict[str, list[str]] = {}
    pages: dict[str, Page] = {}
    for path, who in PAGES.items():
        address = path.format(**jobs)
        if who not in pages:
            pages[who] = sign_in(world.people[who] if who else None, **LOOKS[look])
        page = pages[who]
        page.goto(address)
        page.wait_for_load_state("networkidle")
        if wrong := violations(page):
            found[path] = wrong
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{path} scrolls sideways"
    assert found == {}


def test_the_page_speaks_the_persons_language(world: make.World, sign_in: SignIn) -> None:
    page = sign_in(world.alice, locale="zh-CN")
    page.goto("/queue/")
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    with translation.override("zh-hans"):
        assert translation.gettext("Queue") in page.inner_text("body")
    world.alice.language = "en"
    world.alice.save()
    page.reload()
    assert page.evaluate("document.documentElement.lang") == "en"
