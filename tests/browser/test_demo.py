"""The demo as a newcomer has it: `manage.py run`, Chromium, curl-like scripts. Everything is real, SQLite included."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import make
from tests.services.leftovers import end_jobs_in
from tests.services.run import ROOT, Portal

pytestmark = pytest.mark.browser
PATIENCE = 90
PASTED = (ROOT / "tests" / "browser" / "llm_finetune.sh").read_text()


class Demo:
    """The running portal and what a script needs of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.portal = Portal(folder).ready()
        self.url = f"http://127.0.0.1:{self.portal.port}"
        self.tokens: dict[str, str] = {}

    def token(self, username: str) -> str:
        if username not in self.tokens:
            made = subprocess.run(
                [sys.executable, "manage.py", "create_token", username],
                env={"VAR": str(self.folder), "PATH": ""}, cwd=ROOT, capture_output=True, text=True, check=True,
            )  # fmt: skip
            self.tokens[username] = next(word for word in made.stdout.split() if word.startswith("npu_"))
        return self.tokens[username]

    def call(self, who: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            f"{self.url}/api/v1/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token(who)}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def submit(self, who: str, **script: Any) -> int:
        return int(self.call(who, "jobs", {"script": make.script(**script)})["number"])

    def until(self, who: str, number: int, *states: str, seconds: float = PATIENCE) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while (job := self.call(who, f"jobs/{number}"))["state"] not in states:
            assert time.monotonic() < deadline, job
            time.sleep(0.2)
        return dict(job)

    def judged(self, who: str, number: int) -> dict[str, Any]:
        """What the first pass after its submission said of it."""
        deadline = time.monotonic() + 10
        while not (job := self.call(who, f"jobs/{number}"))["wait"]:
            assert time.monotonic() < deadline, job
            time.sleep(0.2)
        return dict(job["wait"])

    def clear(self, *, but: Collection[int] = ()) -> None:
        """Ends what the demo's people run, as its operator could."""
        rows = self.call("zhaomin", "jobs?scope=all&state=waiting&state=running&page_size=200")["results"]
        others = [row["number"] for row in rows if row["number"] not in but]
        if others:
            self.call("zhaomin", "jobs/cancel", {"jobs": others})
        for number in others:
            self.until("zhaomin", number, "cancelled", "succeeded", "failed", "timed_out")

    def make_room_for(self, *jobs: int) -> None:
        """The demo's people go on working now and then; here they stand aside until these have started."""
        deadline = time.monotonic() + PATIENCE
        while any(self.call("zhaomin", f"jobs/{number}")["started_at"] is None for number in jobs):
            assert time.monotonic() < deadline
            self.clear(but=jobs)
            time.sleep(0.5)

    def complaints(self) -> list[str]:
        lines = [line for path in (self.folder / "log").glob("*.log") for line in path.read_text().splitlines()]
        return [line for line in lines if "database is locked" in line or "Traceback" in line]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    demo = Demo(tmp_path_factory.mktemp("demo") / "var")
    yield demo
    demo.portal.interrupt()
    end_jobs_in(demo.folder)


@pytest.fixture
def newcomer(chromium: Browser, demo: Demo) -> Iterator[Callable[..., Page]]:
    contexts = []

    def arrives(name: str = "Lin Yue", **context: Any) -> Page:
        made = chromium.new_context(
            base_url=demo.url, **({"viewport": {"width": 1366, "height": 768}, "locale": "en-US"} | context)
        )
        made.set_default_timeout(60_000)
        contexts.append(made)
        page = made.new_page()
        page.goto("/")
        page.click(f"button:has-text('{name}')")
        expect(page.locator("h1")).to_be_visible()
        return page

    yield arrives
    for context in contexts:
        context.close()


def test_the_opening_waits_for_a_true_reason_and_starts_soon(demo: Demo, newcomer: Callable[..., Page]) -> None:
    newcomer()
    began = time.monotonic()
    waiter = next(row for row in demo.call("linyue", "jobs")["results"] if row["name"] == "ceval-full")
    seen = demo.until("linyue", waiter["number"], "queued", "running")
    if seen["state"] == "queued":
        assert (seen["wait"] or {"reason": "pool_full"})["reason"] in ("pool_full", "fragmented")
    demo.until("linyue", waiter["number"], "running", "succeeded", seconds=60)
    assert time.monotonic() - began < 60
    failed = [row for row in demo.call("linyue", "jobs?state=failed")["results"] if row["name"] == "sft-qa-zh"]
    log = demo.call("linyue", f"jobs/{failed[0]['number']}/log")
    assert "out of memory" in log["text"]


def test_a_pasted_script_waits_for_two_nodes_and_fails_for_the_right_reason(
    demo: Demo, newcomer: Callable[..., Page]
) -> None:
    page = newcomer()
    page.goto("/submit/")
    page.fill("textarea[name=script]", PASTED)
    panel = page.locator("#panel")
    expect(panel).to_contain_text("16 NPU")
    expect(panel).to_contain_text("2 node")
    expect(panel).to_contain_text("24 h")
    expect(panel).to_contain_text("¥")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url("**/jobs/*/")
    number = int(page.url.rstrip("/").rsplit("/", 1)[1])
    assert demo.call("linyue", f"jobs/{number}")["npus"] == "16"
    demo.make_room_for(number)
    job = demo.until("linyue", number, "failed")
    assert job["exit_code"] not in (None, 0)
    page.reload()
    expect(page.locator("body")).to_contain_text("Failed")
    text = demo.call("linyue", f"jobs/{number}/log?stream=error")["text"]
    assert "set_env.sh: No such file or directory" in text
    assert "python: command not found" in text


def test_the_variant_that_runs_here_succeeds_on_two_nodes(demo: Demo, newcomer: Callable[..., Page]) -> None:
    demo.clear()
    page = newcomer()
    page.goto("/submit/?preset=two-nodes")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url("**/jobs/*/")
    number = int(page.url.rstrip("/").rsplit("/", 1)[1])
    demo.make_room_for(number)
    job = demo.until("linyue", number, "succeeded")
    assert (job["nodes"], job["npus"]) == (2, "16")
    assert job["use"]["npu_seconds"] > 0
    assert float(job["use"]["cost"]) > 0
    assert "npu-0" in demo.call("linyue", f"jobs/{number}/log")["text"]
    expect(page.locator("body")).to_contain_text("Succeeded")
    usage = demo.call("linyue", "usage?team=nlp&by=job")
    assert str(number) in {line["key"] for line in usage["lines"]}


def test_ending_one_job_starts_the_right_next_one_within_five_seconds(demo: Demo) -> None:
    """Three teams hold 6, 5 and 5 of guarantees 5, 4 and 3. When Vision's 5 end its own job comes before an older loan."""
    demo.clear()
    holders = [("linyue", 6), ("gaofei", 5), ("heping", 2), ("heping", 3)]
    running = [demo.submit(who, npus=npus, limit="10", body="sleep 300") for who, npus in holders]
    demo.make_room_for(*running)
    askers = [("linyue", 5), ("gaofei", 4), ("heping", 3)]
    waiting = [demo.submit(who, npus=npus, limit="10", body="sleep 300") for who, npus in askers]
    for place, ((who, npus), number) in enumerate(zip(askers, waiting, strict=True), 1):
        wait = demo.judged(who, number)
        assert (wait["reason"], wait["place"]) == ("pool_full", place)
        assert (wait["facts"]["idle"], wait["facts"]["asked"]) == (0, npus * 33_600)
        assert wait["expected_at"]
    demo.call("gaofei", f"jobs/{running[1]}/cancel", {})
    demo.until("gaofei", running[1], "cancelled")
    demo.until("gaofei", waiting[1], "running", seconds=5)
    assert demo.call("linyue", f"jobs/{waiting[0]}")["state"] == "queued"
    demo.clear()


def test_ten_browsers_poll_the_queue_while_a_hundred_jobs_arrive(demo: Demo, newcomer: Callable[..., Page]) -> None:
    bad: list[str] = []
    pages = [newcomer(name) for name in ("Lin Yue", "Chen Hao", "Gao Fei", "He Ping", "Zhao Min") for _ in range(2)]
    for page in pages:
        page.on("response", lambda answer: bad.append(f"{answer.status} {answer.url}") if answer.status >= 500 else 0)
        page.goto("/queue/")
    people = ("linyue", "gaofei", "heping", "zhukai")
    for who in people:
        demo.token(who)
    with ThreadPoolExecutor(4) as scripts:
        made = [scripts.submit(demo.submit, people[n % 4], npus=1, limit="2", body="sleep 1") for n in range(100)]
        while not all(each.done() for each in made):
            for page in pages:
                page.wait_for_timeout(100)
    numbers = [each.result() for each in made]
    assert len(set(numbers)) == 100
    for page in pages:
        page.wait_for_timeout(500)
        expect(page.locator("h1")).to_be_visible()
    assert bad == []
    assert demo.complaints() == []
    demo.clear()
