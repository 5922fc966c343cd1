"""Every reason and ending has its sentence, in both languages, with the facts that the engine gives."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation

from portal.kit import clock
from portal.kit.grains import GRAINS_PER_NPU
from scheduling.engine.decisions import Reason
from scheduling.engine.explain import KEYS
from scheduling.models import Job, JobEvent, State
from scheduling.texts import loglines, reasons, timeline
from scheduling.texts.endings import EXIT_CODES, FAILURES, ending
from scheduling.texts.facts import pieces
from scheduling.texts.sentence import Numbers, Sentence
from tests import make

pytestmark = pytest.mark.django_db
NPU = GRAINS_PER_NPU
LANGUAGES = ("en", "zh-hans")


@pytest.fixture
def world() -> make.World:
    return make.world()


def fact(name: str, now: int) -> int | str | list[int]:
    """A likely value of each of the engine's facts."""
    texts: dict[str, int | str | list[int]] = {
        "partition": "training", "limit_of": "NLP", "pieces": [4 * NPU, 3 * NPU], "may_borrow": 16 * NPU,
        "since": now - 600, "until": now + 600, "next_at": now + 1200, "next_job": 4711, "seconds": 7200,
        "max_seconds": 3600, "cluster": 1, "whole_node": 0, "nodes": 2, "nodes_fit": 1, "cpus": 64, "cpus_free": 8,
        "memory_mb": 65_536, "memory_mb_free": 1024, "running": 3, "may_run": 3, "closed": 1,
    }  # fmt: skip
    return texts.get(name, 8 * NPU)


def waiting(world: make.World, reason: Reason, **facts: Any) -> Job:
    now = clock.epoch(clock.now())
    given = {name: fact(name, now) for name in KEYS.get(reason, ())} | facts
    return make.job(world.alice, world.nlp, npus=8, wait_reason=reason.value, wait_facts=given)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", list(Reason))
def test_each_reason_is_told_with_the_facts_of_the_engine(world: make.World, reason: Reason, language: str) -> None:
    with translation.override(language):
        told = reasons.told(waiting(world, reason))
    assert "{" not in str(told)
    assert told.next_step is not None
    assert "{" not in str(told.next_step)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", [Reason.BORROW_LIMIT, Reason.POOL_FULL, Reason.FRAGMENTED, Reason.OWN_FULL])
def test_without_a_known_next_end_nothing_is_said_of_one(world: make.World, reason: Reason, language: str) -> None:
    with translation.override(language):
        told = reasons.told(waiting(world, reason, next_job=0, next_at=0, may_borrow="unlimited"))
    assert told.then is None
    assert "1970" not in str(told)


def test_the_sentence_holds_the_true_numbers(world: make.World) -> None:
    job = waiting(world, Reason.POOL_FULL, asked=8 * NPU, idle=6 * NPU, capacity=16 * NPU, next_idle=14 * NPU)
    told = reasons.told(job)
    assert str(told.short) == "Needs 8; the pool has 6 idle of 16."
    assert "4711 ends by" in str(told.then)
    assert "then 14 are idle" in str(told.then)


CASES: dict[str, tuple[Reason, dict[str, Any], str]] = {
    "a node is too small": (Reason.IMPOSSIBLE, {"per_node": 9 * NPU, "largest_node": 8 * NPU}, "the largest node"),
    "too few such nodes": (Reason.IMPOSSIBLE, {"nodes_fit": 1, "nodes": 3}, "one that could hold it"),
    "no node has the cores": (Reason.IMPOSSIBLE, {"nodes_fit": 0}, "No node of training"),
    "own only, beyond the guarantee": (Reason.BEYOND_POTENTIAL, {"may_borrow": 0}, "guaranteed only"),
    "nothing borrowed yet": (Reason.BORROW_LIMIT, {"borrowed": 0}, "may borrow 16"),
    "one piece": (Reason.FRAGMENTED, {"pieces": [3 * NPU, 0]}, "on one node"),
    "a node of its own": (Reason.FRAGMENTED, {"whole_node": 1, "nodes": 1}, "none is empty"),
    "memory is short": (Reason.NODE_RESOURCES, {"cpus_free": 64}, "1 GB of memory"),
    "both are short somewhere": (Reason.NODE_RESOURCES, {"cpus_free": 64, "memory_mb_free": 65_536}, "only 1 of the 2"),
}


@pytest.mark.parametrize("reason, facts, words", CASES.values(), ids=CASES.keys())
def test_the_sentence_names_what_is_short(world: make.World, reason: Reason, facts: dict[str, Any], words: str) -> None:
    assert words in str(reasons.told(waiting(world, reason, **facts)).short)


def test_times_are_the_readers_own(world: make.World) -> None:
    job = waiting(world, Reason.CLUSTER_AWAY)
    now = clock.now()
    with timezone.override("Asia/Shanghai"):
        there = str(reasons.told(job, now=now))
    with timezone.override("America/New_York"):
        assert str(reasons.told(job, now=now)) != there


def test_the_expected_start_is_told_with_its_assumption(world: make.World) -> None:
    job = waiting(world, Reason.POOL_FULL)
    job.expected_at, job.expected_after = clock.now() + timedelta(hours=1), [7, 8]
    assert "when 7, 8 have reached their limits" in str(reasons.told(job))
    job.expected_at, job.expected_on = None, "unknown"
    assert "cannot be told" in str(reasons.told(job))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", [Reason.BORROW_LIMIT, Reason.POOL_FULL, Reason.FRAGMENTED, Reason.OWN_FULL])
def test_a_job_behind_others_is_promised_nothing_sooner_than_its_start(
    world: make.World, reason: Reason, language: str
) -> None:
    now = clock.now()
    job = waiting(world, reason, next_at=clock.epoch(now) + 1200)
    job.expected_after = [7]
    with translation.override(language):
        job.expected_at = clock.from_epoch(job.wait_facts["next_at"])
        at_once = reasons.told(job, now=now)
        job.expected_at += timedelta(days=1)
        later = reasons.told(job, now=now)
        job.expected_at, job.expected_on = None, "unknown"
        unknown = reasons.told(job, now=now)
    assert "4711" in str(at_once)
    for told in (later, unknown):
        assert "4711" not in str(told)
        assert str(told.then) in str(told)
        assert str(told).count(str(told.then)) == 1


def test_a_job_that_nobody_judged_yet_says_so(world: make.World) -> None:
    assert "Just submitted" in str(reasons.told(make.job(world.alice, world.nlp)))


def test_a_job_that_the_reader_may_not_open_leads_to_the_queue() -> None:
    sentence = Sentence("{jobs} end.", {"jobs": Numbers((7, 8))})
    assert '<a href="/jobs/7/">7</a>' in sentence.html({7})
    assert '<a href="/queue/?text=8">8</a>' in sentence.html({7})


def test_values_of_a_sentence_are_escaped() -> None:
    assert "&lt;b&gt;" in Sentence("{team} waits.", {"team": "<b>"}).html()


def test_many_jobs_are_counted() -> None:
    assert Numbers((1, 2, 3, 4, 5, 6)).text() == "1, 2, 3 and 3 more"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("why", [*FAILURES, "", "failed", "a code of tomorrow"])
def test_each_failure_has_its_sentence(world: make.World, why: str, language: str) -> None:
    now = clock.now()
    job = make.job(
        world.alice, world.nlp, state=State.FAILED, started_at=now, ended_at=now, ended_why=why,
        ended_facts={"detail": "no room", "signal": None},
    )  # fmt: skip
    with translation.override(language):
        assert "{" not in f"{ending(job)} {ending(job).next_step}"


@pytest.mark.parametrize("code", [1, *EXIT_CODES])
def test_an_exit_code_is_named(world: make.World, code: int) -> None:
    job = make.job(world.alice, world.nlp, state=State.FAILED, exit_code=code, ended_why="failed")
    assert f"exit code {code}" in str(ending(job))


def test_a_signal_is_named(world: make.World) -> None:
    job = make.job(world.alice, world.nlp, state=State.FAILED, ended_facts={"signal": 9}, ended_why="failed")
    assert "SIGKILL" in str(ending(job))


def test_the_log_may_say_why(world: make.World) -> None:
    job = make.job(world.alice, world.nlp, state=State.FAILED, exit_code=127, ended_why="failed")
    assert "python: command not found" in str(ending(job, clue="python: command not found"))


def test_who_cancelled_is_told_to_those_who_may_know(world: make.World) -> None:
    job = make.job(world.alice, world.nlp, state=State.CANCELLED, ended_at=clock.now())
    assert str(ending(job, by="Lena")) == "Cancelled by Lena before it started."
    assert str(ending(job)) == "Cancelled before it started."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", list(State))
def test_each_state_has_its_sentence_and_its_line_in_the_timeline(
    world: make.World, state: State, language: str
) -> None:
    columns = {State.HELD: {"held_by": "user"}, State.STOPPING: {"intent": "cancel"}}.get(state, {})
    job = make.job(world.alice, world.nlp, state=state, **columns)
    event = JobEvent(job=job, was="queued", now=state, what=state.value, by=world.lena, at=clock.now())
    with translation.override(language):
        told = reasons.told(job)
        line = timeline.line(event, job, ended=told)
    assert str(told)
    assert "{" not in f"{told} {line.title} {line.text}"


def test_pieces_are_counted_where_many_are_alike() -> None:
    assert pieces([4 * NPU, 3 * NPU, 0]) == "4 + 3"
    assert pieces([NPU, NPU, NPU]) == "3 × 1"
    assert pieces([]) == "0"


def test_a_log_is_shown_as_a_terminal_would() -> None:
    text = "\x1b[31mred\x1b[0m\n10 %\r20 %\r100 %\n"
    assert [line.text for line in loglines.lines_of(text)] == ["red", "100 %"]


@pytest.mark.parametrize(
    "line, tone",
    [
        ("script: line 12: python: command not found", "bad"),
        ("RuntimeError: device 3", "bad"),
        ("WARNING rank 5: slow", "warn"),
        ("step 100 | loss 1.2", ""),
    ],
)
def test_lines_about_trouble_are_marked(line: str, tone: str) -> None:
    assert loglines.tone_of(line) == tone


GUIDE = """\
/var/spool/slurmd/job00042/slurm_script: line 13: /usr/local/Ascend/set_env.sh: No such file or directory
/var/spool/slurmd/job00042/slurm_script: line 18: python: command not found
slurmstepd: error: execve(): python: No such file or directory
srun: error: npu-02: task 14: Exited with exit code 2
srun: error: npu-01: tasks 0-7: Exited with exit code 2
"""
TRACED = """\
WARNING: error: slow disk
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    raise ValueError("error: not yet")
RuntimeError: NPU 3 out of memory
srun: error: npu-02: task 14: Exited with exit code 1
"""
CLUES = {
    "a missing file": (GUIDE, "/set_env.sh: No such file or directory"),
    "a traceback": (TRACED, "RuntimeError: NPU 3 out of memory"),
    "killed for memory": (
        "slurmstepd: error: Detected 1 oom_kill event\nsrun: error: n1: task 0: Killed\n",
        "oom_kill event",
    ),
    "the last mention": ("error rate 3\nfine\nworker killed\nbye\n", "worker killed"),
}


@pytest.mark.parametrize("text, end", CLUES.values(), ids=CLUES.keys())
def test_the_clue_is_the_first_cause(text: str, end: str) -> None:
    assert loglines.clue_in(text).endswith(end)


@pytest.mark.parametrize("text", ["all\nfine\n", "srun: error: npu-02: task 14: Exited with exit code 2\n", ""])
def test_where_no_cause_is_named_there_is_no_clue(text: str) -> None:
    assert loglines.clue_in(text) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_has_read_the_clue_is_not_sent_to_the_log(world: make.World, language: str) -> None:
    job = make.job(world.alice, world.nlp, state=State.FAILED, exit_code=2, ended_why="failed")
    with translation.override(language):
        assert ending(job).next_step is not None
        assert ending(job, clue="python: command not found").next_step is None
