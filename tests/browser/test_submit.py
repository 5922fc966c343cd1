"""The submit page in Chromium: pasted, typed, repaired, uploaded, left and found again, sent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Locator, Page, expect

from portal.kit import clock
from scheduling import jobspec
from scheduling.models import Job
from scheduling.queries.site import site_for
from scheduling.services import jobs, passes
from scheduling.services.presets import OPENING, preset
from tests import make
from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCRIPT = (Path(__file__).parent / "llm_finetune.sh").read_text()
AXE = Path(settings.NODE_MODULES, "axe-core/axe.min.js")


@pytest.fixture
def page(sign_in: SignIn, world: make.World) -> Page:
    page = sign_in(world.alice)
    page.goto("/submit/")
    expect(facts(page)).to_contain_text("now")
    return page


def facts(page: Page) -> Locator:
    return page.locator("#panel .facts")


def paste(page: Page, text: str) -> None:
    page.locator("#id_script").select_text()
    page.keyboard.insert_text(text)


def test_a_pasted_script_says_what_it_takes_costs_and_when_it_starts(page: Page, world: make.World) -> None:
    site = site_for(world.charlie, world.vision)
    jobs.submit(
        world.charlie, team=world.vision, project=None, reading=jobspec.read(make.script(npus=8, nodes=2), site)
    )
    passes.run(clock.now())
    paste(page, SCRIPT)
    expect(facts(page)).to_contain_text("16 NPU")
    expect(facts(page)).to_contain_text("2 nodes × 8 · 128 cores · 24 h")
    expect(facts(page)).to_contain_text(re.compile(r"¥\s1,324\.80"))
    expect(facts(page)).to_contain_text(re.compile(r"about \d\d:\d\d"))
    expect(page.locator("#panel .pairs")).to_contain_text("has reached its limit")


def test_submitting_leads_to_the_job(page: Page) -> None:
    paste(page, SCRIPT)
    expect(facts(page)).to_contain_text("16 NPU")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/jobs/*/")
    assert Job.objects.get().script == SCRIPT


def test_a_double_click_makes_one_job(page: Page) -> None:
    page.get_by_role("button", name="Submit").dblclick()
    page.wait_for_url("**/jobs/*/")
    assert Job.objects.count() == 1


def test_an_error_is_shown_at_its_line_and_mended_by_its_button(page: Page) -> None:
    paste(page, SCRIPT.replace("npu:8", "npu:9"))
    row = page.locator(".editor-back > .editor-row").nth(6)
    expect(row).to_have_class(re.compile("bad"))
    expect(page.get_by_role("button", name="Submit")).to_be_disabled()
    page.locator("#findings").get_by_role("button", name="Change to --gres=npu:8").click()
    expect(page.get_by_role("button", name="Submit")).to_be_enabled()
    expect(page.locator("#id_script")).to_have_value(SCRIPT)


def test_the_button_in_the_editor_mends_as_well(page: Page) -> None:
    paste(page, SCRIPT.replace("npu:8", "npu:9"))
    page.locator(".editor-repair").click()
    expect(page.locator("#id_script")).to_have_value(SCRIPT)


def test_a_finding_leads_to_its_line(page: Page) -> None:
    paste(page, SCRIPT.replace("npu:8", "npu:9"))
    page.get_by_role("link", name="Line 7, error").click()
    selected = "const e = document.activeElement; e.value.slice(e.selectionStart, e.selectionEnd)"
    assert page.evaluate(selected) == "#SBATCH --gres=npu:9"


def test_a_preset_is_put_into_the_editor_and_taken_out_again(page: Page) -> None:
    page.locator("#presets > summary").click()
    page.get_by_role("link", name="Training on two nodes").click()
    expect(page.locator("#id_script")).to_have_value(preset("two-nodes").script)
    expect(facts(page)).to_contain_text("16 NPU")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#id_script")).to_have_value(OPENING.script)


def test_form_and_script_stay_in_step(page: Page) -> None:
    paste(page, SCRIPT)
    expect(facts(page)).to_contain_text("16 NPU")
    page.get_by_role("button", name="Form").click()
    page.get_by_label("NPUs per node").fill("4")
    expect(facts(page)).to_contain_text("2 nodes × 4")
    page.get_by_role("button", name="Script").click()
    expect(page.locator("#id_script")).to_have_value(SCRIPT.replace("npu:8", "npu:4"))


def test_enter_in_a_field_checks_and_submits_nothing(page: Page) -> None:
    page.get_by_role("button", name="Form").click()
    page.get_by_label("Name").fill("by-hand")
    page.get_by_label("Name").press("Enter")
    expect(page.get_by_label("Name")).to_have_value("by-hand")
    assert not Job.objects.exists()


def test_what_was_typed_is_there_when_one_comes_back(page: Page) -> None:
    paste(page, SCRIPT)
    expect(page.locator("#draft-said")).to_contain_text("draft saved")
    page.goto("/queue/")
    page.goto("/submit/")
    expect(page.locator("#id_script")).to_have_value(SCRIPT)
    expect(facts(page)).to_contain_text("16 NPU")
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator("#id_script")).to_have_value(OPENING.script)


def test_a_draft_is_kept_beside_a_preset(page: Page) -> None:
    paste(page, SCRIPT)
    expect(page.locator("#draft-said")).to_contain_text("draft saved")
    page.goto("/submit/?preset=sweep")
    expect(page.locator("#id_script")).to_have_value(preset("sweep").script)
    page.get_by_role("button", name="Put it back").click()
    expect(page.locator("#id_script")).to_have_value(SCRIPT)


def test_an_upload_is_put_into_the_editor(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "job.sh"
    file.write_bytes(SCRIPT.replace("\n", "\r\n").encode())
    page.locator("#id_upload").set_input_files(file)
    page.locator("#findings").get_by_role("button", name="Convert the line ends").click()
    expect(page.get_by_role("button", name="Submit")).to_be_enabled()
    expect(page.locator("#id_script")).to_have_value(SCRIPT)


def test_a_refused_upload_leaves_the_script(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "job.sh"
    file.write_bytes(b"#!/bin/bash\n\xff\n")
    page.locator("#id_upload").set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("line 2 cannot be read")
    expect(page.locator("#id_script")).to_have_value(OPENING.script)


def test_only_own_shows_its_own_start_and_price(page: Page) -> None:
    paste(page, make.script(npus=6))
    page.get_by_label("Only own").check()
    expect(page.get_by_role("button", name="Submit")).to_be_disabled()
    expect(page.locator("#findings")).to_contain_text("more than the team could ever have here")


def test_it_works_without_javascript(sign_in: SignIn, world: make.World) -> None:
    page = sign_in(world.alice, java_script_enabled=False)
    page.goto("/submit/")
    page.locator("#id_script").fill(SCRIPT.replace("npu:8", "npu:9"))
    page.get_by_role("button", name="Check").last.click()
    page.get_by_role("button", name="Change to --gres=npu:8").click()
    expect(facts(page)).to_contain_text("16 NPU")
    page.get_by_role("button", name="Form").click()
    page.locator("#id_nodes").fill("1")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/jobs/*/")
    assert Job.objects.get().script == SCRIPT.replace("--nodes=2", "--nodes=1")


def test_a_phone_shows_the_whole_gallery(sign_in: SignIn, world: make.World) -> None:
    page = sign_in(world.alice, viewport={"width": 390, "height": 844})
    page.goto("/submit/")
    page.locator("#presets > summary").click()
    box = page.locator("#presets .gallery").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("mode", ["script", "form"])
def test_axe_finds_nothing(sign_in: SignIn, world: make.World, language: str, scheme: str, mode: str) -> None:
    world.alice.language = language
    world.alice.save()
    page = sign_in(world.alice, color_scheme=scheme)
    page.goto("/submit/")
    paste(page, SCRIPT.replace("npu:8", "npu:9").replace("export GLOG_v=2", "#SBATCH --wait"))
    expect(page.locator("#findings .bad")).to_have_count(1)
    page.locator("#notes > summary").click()
    if mode == "form":
        page.locator("#to-form").click()
        expect(page.locator("#id_npus")).to_have_value("9")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']})")
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]] == []
