"""The submit page: what it opens with, what it says of a script, and what it makes of one."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from portal.kit import clock
from scheduling import jobspec
from scheduling.forms.submit import MOST_BYTES
from scheduling.models import Job, State
from scheduling.queries.site import site_for
from scheduling.services import jobs, passes
from scheduling.services.presets import OPENING
from tests import make

pytestmark = pytest.mark.django_db

SHOWS = """#!/bin/bash
#SBATCH --job-name=llm_finetune          # name
#SBATCH --partition=training
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=8
#SBATCH --gres=npu:8
#SBATCH --time=24:00:00
#SBATCH --output=logs/%j.out
#SBATCH --error=logs/%j.err
#SBATCH --mail-type=END,FAIL
#SBATCH --mail-user=user@company.com
srun python train.py --config config.yaml --distributed True
"""
TOO_MANY = make.script(npus=9)


@pytest.fixture
def world() -> make.World:
    return make.world()


@pytest.fixture
def alice(client: Client, world: make.World) -> Client:
    client.force_login(world.alice)
    return client


def fields(**more: str) -> dict[str, str]:
    return {"mode": "script", "script": SHOWS, "team": "nlp", "project": "main", "nonce": "n1"} | more


def preview(client: Client, *, target: str = "panel", **more: str) -> HttpResponse:
    headers = {"HX-Request": "true", "HX-Target": target}
    return client.post("/submit/preview/", fields(**more), headers=headers)


def text(response: HttpResponse) -> str:
    return " ".join(response.content.decode().split()).replace("\u00a0", " ")


def test_opens_with_a_script_that_runs_here(alice: Client) -> None:
    page = alice.get("/submit/")
    assert "#SBATCH --job-name=first-job" in text(page)
    assert ">2 NPU<" in text(page)
    assert 'hx-trigger="load"' in text(page)
    assert page.context["panel"].blocked == ""


def test_says_what_the_two_node_script_takes_and_costs(alice: Client) -> None:
    said = text(preview(alice))
    assert ">16 NPU<" in said
    assert "2 nodes × 8 · 128 cores · 24 h" in said
    # at most: 5 own at 4.00, the 11 beyond the guarantee at the dearer of 3.20 (elastic pool) and 3.00 (teams)
    assert "¥ 1,324.80" in said
    assert "24 h × (5 × ¥ 4.00 + 11 × ¥ 3.20)" in said
    assert ">now<" in said


def test_a_taken_pool_gives_an_expected_start_with_its_assumption(alice: Client, world: make.World) -> None:
    site = site_for(world.charlie, world.vision)
    reading = jobspec.read(make.script(npus=8, nodes=2), site)
    jobs.submit(world.charlie, team=world.vision, project=None, reading=reading)
    passes.run(clock.now())
    panel = preview(alice)
    assert "about" in text(panel)
    assert "has reached its limit" in text(panel)


def test_a_finding_stands_with_its_line_and_its_repair(alice: Client) -> None:
    said = text(preview(alice, script=TOO_MANY))
    assert "Line 5, error" in said
    assert "A node of partition training has 8 NPUs, you ask for 9." in said
    assert "Mend line 5 first" in said
    assert "reckoned with line 5 repaired" in said
    assert ">8 NPU<" in said


def test_a_repair_writes_the_line_anew(alice: Client) -> None:
    page = preview(alice, target="submit-form", script=TOO_MANY, repair="0")
    assert "#SBATCH --gres=npu:8" in text(page)
    assert page.context["panel"].blocked == ""


def test_submit_makes_a_job_and_leads_to_it(alice: Client, world: make.World) -> None:
    response = alice.post("/submit/", fields())
    job = Job.objects.get()
    assert response.status_code == 302
    assert response["Location"] == f"/jobs/{job.pk}/"
    assert (job.user, job.team, job.nodes_min, job.npus_per_node) == (world.alice, world.nlp, 2, 8)
    assert job.script == SHOWS


def test_htmx_is_led_to_the_job(alice: Client) -> None:
    response = alice.post("/submit/", fields(), headers={"HX-Request": "true"})
    assert response["HX-Redirect"] == f"/jobs/{Job.objects.get().pk}/"


def test_a_double_click_makes_one_job(alice: Client) -> None:
    first, second = alice.post("/submit/", fields()), alice.post("/submit/", fields())
    assert Job.objects.count() == 1
    assert first["Location"] == second["Location"]


def test_another_script_from_the_same_page_is_another_job(alice: Client) -> None:
    alice.post("/submit/", fields())
    alice.post("/submit/", fields(script=SHOWS + "echo more\n"))
    assert Job.objects.count() == 2


def test_an_error_makes_no_job_and_keeps_the_script(alice: Client) -> None:
    response = alice.post("/submit/", fields(script=TOO_MANY))
    assert response.status_code == 422
    assert "--gres=npu:9" in text(response)
    assert not Job.objects.exists()


def test_a_warning_stops_nothing(alice: Client) -> None:
    alice.post("/submit/", fields(script=make.script().replace("sleep", "#SBATCH --account=other\nsleep")))
    job = Job.objects.get()
    assert [finding["kind"] for finding in job.findings] == ["set-by-portal"]


def test_only_own_is_kept_on_the_job(alice: Client) -> None:
    alice.post("/submit/", fields(script=make.script(npus=2), own="1"))
    assert Job.objects.get().own_only


def test_both_ways_are_offered_where_they_differ(alice: Client) -> None:
    said = text(preview(alice))
    assert "Borrow" in said
    assert "Only own" in said
    assert "can never start" in said
    assert "Only own" not in text(preview(alice, script=make.script(npus=2)))


def test_what_can_never_start_cannot_be_submitted(alice: Client) -> None:
    panel = preview(alice, own="1").context["panel"]
    assert panel.blocked
    assert "more than the team could ever have here" in panel.refusal
    assert alice.post("/submit/", fields(own="1")).status_code == 422


def test_line_ends_of_a_browser_are_no_finding(alice: Client) -> None:
    alice.post("/submit/", fields(script=SHOWS.replace("\n", "\r\n")))
    assert Job.objects.get().script == SHOWS


def test_leading_blank_lines_are_kept(alice: Client) -> None:
    assert "Line 1, error" in text(preview(alice, script="\n\n" + SHOWS))


def test_an_uploaded_file_is_put_into_the_editor(alice: Client) -> None:
    page = upload(alice, SHOWS.replace("llm_finetune", "from-a-file").encode())
    assert "--job-name=from-a-file" in text(page)


def upload(client: Client, data: bytes) -> HttpResponse:
    file = SimpleUploadedFile("job.sh", data)
    headers = {"HX-Request": "true", "HX-Target": "submit-form"}
    return client.post("/submit/preview/", fields() | {"upload": file}, headers=headers)


def test_windows_line_ends_of_a_file_are_found_and_converted(alice: Client) -> None:
    page = upload(alice, SHOWS.replace("\n", "\r\n").encode())
    said = page.context["panel"].errors
    assert [each.repair for each in said] == ["Convert the line ends"]
    converted = preview(alice, target="submit-form", dos="1", repair=str(said[0].number))
    assert converted.context["panel"].errors == []
    assert 'name="dos"' not in text(converted)


def test_a_file_that_is_no_text_is_refused_by_line_and_the_script_stays(alice: Client) -> None:
    page = upload(alice, b"#!/bin/bash\necho \xff\n")
    assert page.status_code == 422
    assert "line 2 cannot be read" in text(page)
    assert "--job-name=llm_finetune" in text(page)


def test_a_nul_in_a_file_is_named_by_line(alice: Client) -> None:
    assert "NUL character in line 3" in text(upload(alice, b"#!/bin/bash\n\necho \0\n"))


def test_a_nul_in_the_script_is_an_error_at_its_line(alice: Client) -> None:
    assert "Line 2, error" in text(preview(alice, script="#!/bin/bash\necho \0\n"))


def test_more_than_a_mebibyte_is_refused_and_kept(alice: Client) -> None:
    page = alice.post("/submit/", fields(script="#!/bin/bash\n" + "x" * MOST_BYTES))
    assert page.status_code == 422
    assert "larger than 1 MiB" in text(page)
    assert "x" * MOST_BYTES in text(page)


def test_the_form_shows_what_the_script_says(alice: Client) -> None:
    page = preview(alice, target="submit-form", to="form")
    shown = page.context["form"]
    assert [shown[name].value() for name in ("name", "nodes", "npus", "time")] == ["llm_finetune", "2", "8", "24:00:00"]
    assert shown["command"].value() == "srun python train.py --config config.yaml --distributed True"


def test_a_field_changes_its_line_and_nothing_else(alice: Client) -> None:
    page = preview(alice, target="submit-form", mode="form", npus="4", name="small", to="script")
    want = SHOWS.replace("npu:8", "npu:4").replace("=llm_finetune", "=small")
    assert page.context["form"]["script"].value() == want


def test_a_form_submits_the_script_that_it_stands_for(alice: Client) -> None:
    alice.post("/submit/", fields(mode="form", nodes="1", npus="2"))
    job = Job.objects.get()
    assert (job.nodes_min, job.npus_per_node) == (1, 2)
    assert job.script == SHOWS.replace("--nodes=2", "--nodes=1").replace("npu:8", "npu:2")


def test_resubmitting_fills_the_page_from_the_job(alice: Client, world: make.World) -> None:
    old = make.job(world.bob, world.nlp, state=State.FAILED, script=SHOWS, own_only=True)
    page = alice.get(f"/submit/?from={old.pk}")
    assert f"resubmitting job {old.pk}" in text(page)
    assert page.context["form"]["script"].value() == SHOWS
    assert page.context["form"].cleaned_data["own"]
    alice.post("/submit/", fields(resubmit_of=str(old.pk)))
    assert Job.objects.latest("pk").resubmit_of == old


def test_a_strangers_job_is_no_origin(alice: Client, world: make.World) -> None:
    foreign = make.job(world.charlie, world.vision)
    assert alice.get(f"/submit/?from={foreign.pk}").status_code == 404
    assert alice.post("/submit/", fields(resubmit_of=str(foreign.pk))).status_code == 422


@pytest.mark.parametrize("number", ["x", "-1", "99999999999999999999"])
def test_a_wrong_origin_is_not_found(alice: Client, number: str) -> None:
    assert alice.get("/submit/", {"from": number}).status_code == 404


def test_a_preset_opens_by_its_address(alice: Client) -> None:
    assert "--job-name=llm_finetune_demo" in text(alice.get("/submit/?preset=two-nodes"))
    assert alice.get("/submit/?preset=none").status_code == 404
    assert alice.get(f"/submit/presets/{OPENING.slug}/").content.decode() == OPENING.script


def test_a_viewer_is_told_that_they_may_not_submit(client: Client, world: make.World) -> None:
    client.force_login(world.vera)
    assert "You are in no team for which you may submit" in text(client.get("/submit/"))
    assert preview(client).status_code == 403
    assert client.post("/submit/", fields()).status_code == 403
    assert not Job.objects.exists()


def test_another_teams_quota_is_not_to_be_had(alice: Client, world: make.World) -> None:
    assert alice.post("/submit/", fields(team="vision")).status_code == 422
    assert not Job.objects.exists()


def test_a_person_of_two_teams_chooses_one(alice: Client, world: make.World) -> None:
    make.member(world.alice, world.vision)
    page = preview(alice, team="vision")
    assert page.context["form"].for_team == world.vision
    assert 'id="id_team"' in text(page)
    alice.post("/submit/", fields(team="vision"))
    assert Job.objects.get().team == world.vision


@pytest.mark.parametrize("number", [3, 30])
def test_the_number_of_queries_does_not_grow(
    alice: Client, world: make.World, number: int, django_assert_max_num_queries: Any
) -> None:
    for _ in range(number):
        make.job(world.charlie, world.vision)
    with django_assert_max_num_queries(15):
        alice.get("/submit/")
    with django_assert_max_num_queries(25):  # besides the page's own the engine's whole situation
        preview(alice)
