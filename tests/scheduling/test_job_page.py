from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.http import StreamingHttpResponse
from django.test import Client

from accounting.models import UsageInterval, User
from accounting.models.price import Source
from portal.kit import clock
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import connect
from scheduling.backends.local.state import RunFolder
from scheduling.models import Job, JobEvent, Run, State
from scheduling.services import jobs
from tests import make

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
TABS = ("", "?tab=spec", "?tab=cost", "?tab=timeline")


@pytest.fixture
def world() -> make.World:
    return make.world()


@pytest.fixture
def log_of(settings: Any, tmp_path: Path) -> Callable[[Run, str], None]:
    """Writes what a run of the built-in backend has said."""
    settings.LOCAL_BACKEND_ROOT = tmp_path
    connect._local.cache_clear()

    def write(run: Run, text: str, stream: str = "output") -> None:
        folder = RunFolder(str(tmp_path / run.cluster.name / "runs" / str(run.uuid)))
        folder.make()
        Path(folder.log(stream)).write_text(text)

    return write


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def page(person: User, job: Job, query: str = "") -> str:
    response = signed_in(person).get(f"/jobs/{job.pk}/{query}")
    assert response.status_code == 200
    return response.content.decode()


def started(world: make.World, **columns: Any) -> tuple[Job, Run]:
    start = clock.now().replace(microsecond=0) - timedelta(hours=1)
    defaults = {"state": State.RUNNING, "started_at": start, "time_limit_seconds": 7200, "on_own": 2 * GRAINS_PER_NPU}
    job = make.job(world.alice, world.nlp, npus=2, attempts=1, **(defaults | columns))
    over = job.is_ended
    run = Run.objects.create(
        job=job, cluster=world.cluster, attempt=1, created_at=start, started_at=start, backend_id="local",
        state=Run.State.ENDED if over else Run.State.RUNNING, ended_at=job.ended_at,
    )  # fmt: skip
    UsageInterval.objects.create(
        run=run.pk, job=job.pk, team=job.team, project=job.project, user=job.user, pool=job.pool,
        source=Source.GUARANTEED, grains=2 * GRAINS_PER_NPU, since=start, until=job.ended_at,
    )  # fmt: skip
    JobEvent.objects.create(job=job, by=world.alice, what="submitted", now="queued", at=start - timedelta(minutes=5))
    JobEvent.objects.create(job=job, run=run, was="submitted", what="running", now="running", at=start)
    return job, run


def ended(world: make.World, state: State = State.FAILED, **columns: Any) -> tuple[Job, Run]:
    return started(world, state=state, ended_at=clock.now().replace(microsecond=0), on_own=0, **columns)


@pytest.mark.parametrize("name", ["charlie", "ann", "nobody"])
def test_stranger_gets_404(world: make.World, name: str) -> None:
    job, _ = started(world)
    client = signed_in(world.people[name])
    for address in ("", "log/", "cancel/", "resubmit/"):
        assert client.get(f"/jobs/{job.pk}/{address}").status_code == 404
    for address in ("cancel/", "hold/", "release/"):
        assert client.post(f"/jobs/{job.pk}/{address}").status_code == 404


@pytest.mark.parametrize("name", ["alice", "bob", "vera", "lena", "olga", "audrey", "fay"])
@pytest.mark.parametrize("tab", TABS)
def test_who_may_see_it_sees_all_its_tabs(world: make.World, name: str, tab: str) -> None:
    job, _ = started(world)
    page(world.people[name], job, tab)


def test_an_operator_sees_no_money(world: make.World) -> None:
    job, _ = started(world)
    assert "¥" in page(world.alice, job)
    for tab in TABS:
        assert "¥" not in page(world.olga, job, tab)


def test_a_waiting_job_says_why_with_numbers_and_the_next_step(world: make.World) -> None:
    facts = {
        "asked": 8 * GRAINS_PER_NPU, "used": 0, "guaranteed": 5 * GRAINS_PER_NPU, "borrowed": 0, "may_borrow": "unlimited",
        "lent": 0, "idle": 6 * GRAINS_PER_NPU, "capacity": 16 * GRAINS_PER_NPU, "closed": 0, "next_job": 0, "next_at": 0,
        "next_idle": 0,
    }  # fmt: skip
    job = make.job(world.alice, world.nlp, npus=8, place=1, wait_reason="pool_full", wait_facts=facts)
    html = page(world.alice, job)
    assert "Needs 8; the pool has 6 idle of 16." in html
    assert "A job with fewer NPUs may start sooner." in html
    assert "place 1 in the queue" in html


def test_cost_so_far_and_at_most(world: make.World) -> None:
    job, _ = started(world)  # 2 NPUs at 4.00, one of two hours
    html = page(world.alice, job)
    assert re.search(r"¥\s8\.0\d", html)
    assert re.search(r"at most ¥\s16\.0\d if it runs to its limit", html)


def test_a_failure_shows_the_last_error_line_of_its_log(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = ended(world, exit_code=127, ended_why="failed")
    log_of(run, "starting\nslurm_script: line 17: python: command not found\n")
    html = page(world.alice, job)
    assert "exit code 127: a command was not found" in html
    assert "Its log says: “slurm_script: line 17: python: command not found”" in html


def test_who_cancelled_it_is_told(world: make.World) -> None:
    job, _ = started(world, state=State.QUEUED, started_at=None)
    jobs.cancel(job, by=world.lena)
    assert "Cancelled by Lena before it started." in page(world.alice, job)


def test_a_job_that_never_ran_is_not_said_to_have_written_nothing(world: make.World) -> None:
    job, _ = started(world, state=State.QUEUED, started_at=None)
    jobs.cancel(job, by=world.lena)
    html = page(world.alice, job)
    assert "The job never ran." in html
    assert "The job wrote nothing." not in html


def test_a_job_without_npus_tells_its_cores(world: make.World) -> None:
    job = make.job(world.alice, world.nlp, npus=0, cpus_per_node=4)
    html = page(world.alice, job)
    assert "no NPU" in html
    assert "4 cores" in html
    assert "× 0" not in html


def test_hours_are_told_alike_beside_and_in_the_table(world: make.World) -> None:
    job, _ = ended(world, State.SUCCEEDED)
    UsageInterval.objects.filter(job=job.pk).update(until=F("since") + timedelta(seconds=162))
    html = page(world.alice, job)
    assert html.count("0.09") == 3  # fact, line and sum
    assert "0.1 NPU·h" not in html


def test_what_the_pool_lends_is_told_apart_from_what_teams_lend(world: make.World) -> None:
    job, _ = started(world, on_own=0, on_elastic=GRAINS_PER_NPU, on_borrowed=GRAINS_PER_NPU)
    for html in (page(world.alice, job), signed_in(world.alice).get("/queue/").content.decode()):
        assert "<span>elastic pool 1</span>" in html
        assert "<span>borrowed 1</span>" in html


def test_a_vanished_process_is_told(world: make.World) -> None:
    job, _ = ended(world, ended_why="process_gone")
    assert "vanished without a trace" in page(world.alice, job)


def test_the_log_is_followed_from_where_it_was_read(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = started(world)
    log_of(run, "one\ntwo\n")
    client = signed_in(world.alice)
    html = client.get(f"/jobs/{job.pk}/").content.decode()
    more = re.search(r'hx-get="(/jobs/\d+/log/[^"]+)"', html)
    assert ">one\n" in html
    assert more is not None
    log_of(run, "one\ntwo\nthree\nfo")
    answer = client.get(more[1].replace("&amp;", "&"), headers=HTMX).content.decode()
    assert "three" in answer
    assert "one" not in answer
    assert "fo\n" not in answer, "a line that is being written waits for its end"
    assert "offset=14" in answer


def test_a_log_with_nothing_new_is_left_as_it_is(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = started(world)
    log_of(run, "one\n")
    answer = signed_in(world.alice).get(f"/jobs/{job.pk}/log/?offset=4", headers=HTMX)
    assert (answer.status_code, answer.content) == (204, b"")


def test_an_answer_adds_no_character_beside_its_lines(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = started(world)
    log_of(run, "one\ntwo\n")
    html = page(world.alice, job, "log/?offset=4")
    assert html.startswith('<span class="log-line ">two\n</span><span class="log-more"')
    assert html.endswith("></span>")
    Job.objects.filter(pk=job.pk).update(state=State.SUCCEEDED, ended_at=clock.now(), on_own=0)
    last = page(world.alice, job, "log/?offset=8")
    assert last == '<small id="log-size" hx-swap-oob="true">8\xa0bytes</small>'


def test_that_the_cluster_is_away_is_said_once_and_taken_back(
    world: make.World, settings: Any, log_of: Callable[..., None]
) -> None:
    job, run = started(world)
    log_of(run, "one\n")
    client = signed_in(world.alice)
    settings.LOCAL_BACKEND_ALLOWED = False
    more = re.search(r'hx-get="([^"]+)"', page(world.alice, job, "log/?offset=4"))
    assert more is not None
    address = more[1].replace("&amp;", "&")
    assert client.get(address).status_code == 204
    settings.LOCAL_BACKEND_ALLOWED = True
    answer = client.get(address).content.decode()
    assert "does not answer" not in answer
    assert "offset=4" in answer
    assert "away" not in answer


def test_the_log_of_an_ended_job_is_asked_for_no_more(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = ended(world, State.SUCCEEDED)
    log_of(run, "done without a line break")
    html = page(world.alice, job)
    assert "done without a line break" in html
    assert "/log/?stream=output&amp;offset" not in html


def test_the_log_is_escaped(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = started(world)
    log_of(run, "<script>alert(1)</script>\n")
    assert "<script>alert" not in page(world.alice, job)


def test_words_are_found_in_the_log(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = started(world)
    log_of(run, "loss 1\nWarning: slow\nloss 2\nwarning again\n")
    html = page(world.alice, job, "?find=warning")
    assert "2 lines with “warning”" in html
    assert "Warning: slow" in html
    assert "loss 2" not in html


def test_the_whole_log_is_a_file(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = ended(world)
    text = "line\n" * 100_000
    log_of(run, text)
    answer = signed_in(world.alice).get(f"/jobs/{job.pk}/log/?download=1")
    assert b"".join(answer.streaming_content).decode() == text  # type: ignore[attr-defined]
    assert "attachment" in answer["Content-Disposition"]


def test_a_cluster_that_is_away_leaves_the_page_up_and_its_log_says_so(world: make.World, settings: Any) -> None:
    job, _ = started(world, state=State.FAILED, ended_at=clock.now())
    settings.LOCAL_BACKEND_ALLOWED = False
    assert "The log cannot be read now" in page(world.alice, job)
    assert "0 lines with" in page(world.alice, job, "?find=error")
    part = page(world.alice, job, "log/?offset=5")
    assert "The cluster does not answer at present." in part
    assert "offset=5" in part  # asked for again from there
    file = signed_in(world.alice).get(f"/jobs/{job.pk}/log/?download=1")
    assert (file.status_code, file.headers["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert "The cluster does not answer at present." in file.content.decode()


def test_a_log_that_the_cluster_stops_giving_ends_early(
    world: make.World, settings: Any, log_of: Callable[..., None]
) -> None:
    job, run = started(world)
    log_of(run, "0123456789\n" * 50_000)
    answer = signed_in(world.alice).get(f"/jobs/{job.pk}/log/?download=1")
    assert isinstance(answer, StreamingHttpResponse)
    pieces = iter(answer)
    first = next(pieces)
    settings.LOCAL_BACKEND_ALLOWED = False
    assert (len(first), list(pieces)) == (262_144, [])


def test_the_error_stream_is_read_on_demand(world: make.World, log_of: Callable[..., None]) -> None:
    job, run = started(world, spec={"error": "logs/%j.err"})
    log_of(run, "oops\n", "error")
    assert "oops" in page(world.alice, job, "?stream=error")


def test_findings_stand_at_their_lines(world: make.World) -> None:
    finding = {
        "kind": "folder-will-be-made",
        "severity": "warning",
        "line": 2,
        "facts": {"option": "output", "folder": "logs"},
    }
    job = make.job(world.alice, world.nlp, script="#!/bin/bash\n#SBATCH -o logs/a\ntrue\n", findings=[finding])
    html = page(world.alice, job, "?tab=spec")
    assert 'id="line-2"' in html
    assert 'href="#line-2"' in html
    assert html.count("logs") >= 3


@pytest.mark.parametrize("tab", TABS)
def test_the_live_part_stops_with_the_job(world: make.World, tab: str) -> None:
    job, _ = started(world)
    client = signed_in(world.alice)
    first = client.get(f"/jobs/{job.pk}/{tab}").content.decode()
    live = re.search(r'hx-get="(/jobs/\d+/\?tab=[^"]+)"', first)
    assert live is not None
    address = live[1].replace("&amp;", "&")
    assert client.get(address, headers=HTMX).status_code == 204
    Job.objects.filter(pk=job.pk).update(state=State.SUCCEEDED, ended_at=clock.now(), on_own=0)
    last = client.get(address, headers=HTMX)
    assert last.status_code == 286
    assert "hx-trigger" not in last.content.decode().split("page-actions")[0]


def test_buttons_are_those_that_apply_now(world: make.World) -> None:
    job = make.job(world.alice, world.nlp)
    html = page(world.alice, job)
    assert "/hold/" in html
    assert "/cancel/" in html
    assert "/resubmit/" in html
    assert "/release/" not in html
    html = page(world.vera, job)
    assert "/hold/" not in html
    assert "/cancel/" not in html
    assert "/resubmit/" not in html


def test_hold_and_release(world: make.World) -> None:
    job = make.job(world.alice, world.nlp)
    client = signed_in(world.alice)
    assert client.post(f"/jobs/{job.pk}/hold/", headers=HTMX).status_code == 204
    job.refresh_from_db()
    assert job.state == State.HELD
    assert client.post(f"/jobs/{job.pk}/release/")["Location"] == f"/jobs/{job.pk}/"
    job.refresh_from_db()
    assert job.state == State.QUEUED


def test_what_an_operator_holds_its_user_cannot_release(world: make.World) -> None:
    job = make.job(world.alice, world.nlp, state=State.HELD, held_by=Job.HeldBy.OPERATOR)
    assert "/release/" not in page(world.alice, job)
    answer = signed_in(world.alice).post(f"/jobs/{job.pk}/release/")
    assert answer.status_code == 403
    assert "only an operator can release it" in answer.content.decode()


def test_stopping_asks_first_and_says_what_is_lost(world: make.World) -> None:
    job, _ = started(world)
    client = signed_in(world.alice)
    html = client.get(f"/jobs/{job.pk}/cancel/", headers=HTMX).content.decode()
    assert f"Stop job {job.pk}, train?" in html
    assert "1 h of work on 2 NPU" in html
    assert "yours" in html
    job.refresh_from_db()
    assert job.state == State.RUNNING
    assert client.post(f"/jobs/{job.pk}/cancel/", headers=HTMX).status_code == 204
    job.refresh_from_db()
    assert job.state == State.STOPPING


def test_a_teammate_may_not_cancel(world: make.World) -> None:
    job = make.job(world.alice, world.nlp)
    assert signed_in(world.bob).post(f"/jobs/{job.pk}/cancel/").status_code == 403


def test_a_step_that_came_too_late_is_told(world: make.World) -> None:
    job, _ = ended(world)
    answer = signed_in(world.alice).post(f"/jobs/{job.pk}/hold/")
    assert answer.status_code == 409
    assert "in a state (Failed) in which this cannot be done" in answer.content.decode()


def test_no_step_is_taken_by_looking(world: make.World) -> None:
    job = make.job(world.alice, world.nlp)
    client = signed_in(world.alice)
    assert client.get(f"/jobs/{job.pk}/hold/").status_code == 405
    assert client.get(f"/jobs/{job.pk}/release/").status_code == 405


def test_resubmitting_opens_the_form_with_this_job(world: make.World) -> None:
    job, _ = ended(world)
    assert signed_in(world.alice).get(f"/jobs/{job.pk}/resubmit/")["Location"] == f"/submit/?from={job.pk}"


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("times", [1, 10])
def test_queries_do_not_grow_with_the_rows(
    world: make.World, tab: str, times: int, django_assert_max_num_queries: Any, log_of: Callable[..., None]
) -> None:
    job, run = ended(world, exit_code=1, ended_why="failed")
    log_of(run, "Error: no\n")
    for attempt in range(2, times + 1):
        more = Run.objects.create(
            job=job, cluster=world.cluster, attempt=attempt, created_at=job.submitted_at, state="never"
        )
        JobEvent.objects.create(
            job=job, run=more, by=world.lena, was="admitted", what="queued", now="queued", at=clock.now()
        )
    client = signed_in(world.alice)
    with django_assert_max_num_queries(15):
        assert client.get(f"/jobs/{job.pk}/{tab}").status_code == 200
