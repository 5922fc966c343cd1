"""The parts in a browser: nothing for axe to find, nothing that the CSP stops, and what the scripts promise."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.handlers.wsgi import WSGIHandler
from django.test import override_settings
from playwright.sync_api import Browser, Page, expect

from portal.kit import npm

pytestmark = pytest.mark.browser


class Threads(ThreadingMixIn, WSGIServer):
    """A browser opens connections ahead of need; one thread would wait on them."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with override_settings(ROOT_URLCONF="tests.portal.showcase"):
        server = make_server(
            "127.0.0.1", 0, StaticFilesHandler(WSGIHandler()), server_class=Threads, handler_class=Quiet
        )
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def open_page(chromium: Browser, site: str):
    contexts = []

    def open_(path: str = "/", **how) -> Page:
        context = chromium.new_context(**({"viewport": {"width": 1366, "height": 768}, "locale": "en-US"} | how))
        contexts.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda m: page.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(site + path)
        return page

    yield open_
    for context in contexts:
        context.close()


HOW = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "Chinese": {"locale": "zh-CN"},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "dark phone, Chinese": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "locale": "zh-CN"},
}


@pytest.mark.parametrize("how", HOW.values(), ids=HOW.keys())
def test_axe_finds_nothing_and_the_page_is_no_wider_than_its_window(open_page, how):
    page = open_page(**how)
    page.evaluate((npm.folder() / "axe-core/axe.min.js").read_text())
    found = page.evaluate("axe.run(document, {rules: {'target-size': {enabled: true}}})")
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.complaints == []


def test_keys_lead_to_search_sections_and_help(open_page, site):
    page = open_page("/submit/")
    page.locator("h1").click()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("q")
    page.wait_for_url(site + "/queue/")


def test_letters_in_a_field_are_letters(open_page, site):
    page = open_page("/submit/")
    page.locator("#id_why").fill("")
    page.locator("#id_why").press_sequentially("gq/?")
    assert page.locator("#id_why").input_value() == "gq/?"
    assert page.url == site + "/submit/"


def poll(page: Page) -> None:
    with page.expect_response("**/?more=2"):
        page.evaluate("htmx.trigger('#rows', 'poll-now')")


def test_a_poll_renews_rows_in_place_and_offers_new_ones(open_page):
    page = open_page()
    page.locator("input[value='8421']").check()
    expect(page.locator("[data-bulk-bar]")).to_contain_text("1 chosen")
    poll(page)
    expect(page.locator("[data-new-rows]")).to_have_text("2 new, show")
    expect(page.locator("[data-row]")).to_have_count(3)
    expect(page.locator("[data-row='8423']")).to_contain_text("Step 2")
    expect(page.locator("#waiting")).to_have_text("5 · 24 NPU")
    page.locator("[data-new-rows]").click()
    expect(page.locator("[data-row]")).to_have_count(5)
    expect(page.locator("[data-new-rows]")).to_be_hidden()
    expect(page.locator("input[value='8421']")).to_be_checked()


def test_an_open_menu_stays_through_a_poll(open_page):
    page = open_page()
    page.locator("#menu-8421 summary").click()
    poll(page)
    expect(page.locator("[data-row='8423']")).to_contain_text("Step 2")
    expect(page.locator("#menu-8421 .menu-item")).to_be_visible()
    expect(page.locator("[data-row='8421']")).to_contain_text("Step 0")
    page.keyboard.press("Escape")
    expect(page.locator("#menu-8421 summary")).to_be_focused()
    page.locator("h1").click()
    page.locator("#menu-8421 summary").blur()
    poll(page)
    expect(page.locator("[data-row='8421']")).to_contain_text("Step 2")


def test_a_poll_that_fails_says_since_when_and_the_next_takes_it_back(open_page):
    page = open_page()
    page.route("**/?more=2", lambda route: route.abort())
    page.evaluate("htmx.trigger('#rows', 'poll-now')")
    expect(page.locator("#stale")).to_contain_text("The portal has not answered since")
    page.unroute("**/?more=2")
    poll(page)
    expect(page.locator("#stale")).to_be_hidden()


def test_a_dangerous_step_asks_first(open_page):
    page = open_page()
    page.get_by_role("link", name="Stop").click()
    dialog = page.get_by_role("dialog", name="Stop qwen-7b-longctx?")
    expect(dialog).to_contain_text("go back to Speech")
    expect(dialog.get_by_role("button", name="Back")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_refused_step_says_so_in_its_dialog_and_keeps_it_open(open_page):
    page = open_page()
    page.get_by_role("link", name="Stop").click()
    dialog = page.get_by_role("dialog", name="Stop qwen-7b-longctx?")
    dialog.get_by_role("button", name="Stop the job").click()
    expect(dialog.get_by_role("alert")).to_have_text("The job has ended already.")


def test_what_htmx_puts_into_the_dialog_opens_it(open_page):
    page = open_page()
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#dialog")).to_contain_text("Three hours are lost.")
    page.locator("#dialog button").click()
    expect(page.locator("#dialog")).to_be_hidden()


def test_a_refusal_is_a_toast_in_its_own_words(open_page):
    page = open_page()
    page.get_by_role("button", name="Refuse").click()
    expect(page.locator("#toasts")).to_have_text("The job has ended already.")


def test_copy_puts_the_id_on_the_clipboard(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy 8388").click()
    expect(page.locator("#toasts")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "8388"


def test_a_log_follows_its_end_until_one_scrolls_up(open_page):
    page = open_page()
    log = page.locator("#log")
    log.evaluate("box => box.style.maxHeight = '120px'")
    page.locator("[data-to-end]").evaluate("button => button.hidden || button.click()")
    expect(log).to_contain_text("one line more")
    assert log.evaluate("box => box.scrollHeight - box.scrollTop - box.clientHeight < 24")
    log.evaluate("box => box.scrollTo({top: 0, behavior: 'instant'})")
    expect(page.locator("[data-to-end]")).to_be_visible()
    page.get_by_role("button", name="Wrap").click()
    expect(log).to_have_class("log wraps")


def test_a_log_goes_on_after_a_request_that_failed(open_page):
    page = open_page()
    page.route("**/log/", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed"):
        page.reload()
    expect(page.locator("#stale")).to_be_visible()
    expect(page.locator("#log")).to_contain_text("one line more")
    expect(page.locator("#stale")).to_be_hidden()


def test_a_field_is_checked_while_typing_once_it_was_left(open_page):
    page = open_page()
    amount = page.locator("#id_amount")
    amount.fill("-3")
    amount.blur()
    expect(page.locator("#id_amount_error")).not_to_have_text("")
    amount.fill("3")
    expect(page.locator("#id_amount_error")).to_be_hidden()


def test_times_go_on_in_the_pages_words(open_page):
    page = open_page(locale="en-US")
    page.clock.install()
    page.reload()
    ago = page.locator(".card-header time").first
    expect(ago).to_have_text("10 min ago")
    page.clock.fast_forward("05:10")
    expect(ago).to_have_text("15 min ago")


def test_the_phone_has_a_bar_of_five_with_submit_in_the_middle(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    boxes = sorted((box.bounding_box()["x"], box.inner_text()) for box in page.locator(".bottom > *").all())
    assert [text for _, text in boxes] == ["Home", "Queue", "Submit", "Team", "More"]
