"""The presets that are marked as running here really run, on the local backend, on two nodes of eight."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from scheduling import jobspec
from scheduling.backends.base import LogPart, Observation, Order, Phase, Place, RunRef
from scheduling.backends.local import LocalBackend
from scheduling.services.presets import preset

DEADLINE = 120.0  # the longest takes half a minute where it has a machine to itself


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalBackend]:
    backend = LocalBackend(tmp_path / "root")
    yield backend
    for live in backend.live_runs():
        backend.cancel(RunRef(run=live.run, backend_id=None), grace_seconds=0)
    until(lambda: not backend.live_runs())


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)


def order(slug: str, *, job: int, attempt: int = 1) -> Order:
    spec = jobspec.read(preset(slug).script, jobspec.Site()).spec
    assert spec is not None
    part = spec.main
    return Order(
        run=uuid4(),
        job=job,
        attempt=attempt,
        name=spec.name or "job",
        user="alice",
        team="nlp",
        partition=part.partition or "training",
        script=spec.script,
        places=tuple(
            Place(node=f"npu-{number:02}", npus=tuple(range(part.npus_per_node)), cpus=64)
            for number in range(1, part.nodes_min + 1)
        ),
        tasks=part.tasks,
        tasks_per_node=part.tasks_per_node,
        cpus_per_task=part.cpus_per_task,
        time_limit_seconds=spec.time_limit_seconds,
        output=spec.output,
        error=spec.error,
        grace_seconds=10,
    )


def ref(of: Order) -> RunRef:
    return RunRef(run=of.run, backend_id=str(of.run))


def look(local: LocalBackend, of: Order) -> Observation:
    return local.observe([ref(of)])[0]


def has_ended(local: LocalBackend, of: Order) -> bool:
    return look(local, of).phase in (Phase.ENDED, Phase.LOST)


def log(local: LocalBackend, of: Order) -> str:
    part: LogPart = local.log(ref(of), "output", offset=0, limit=1 << 20)
    return part.text


def says(local: LocalBackend, of: Order, words: str) -> Callable[[], bool]:
    return lambda: words in log(local, of)


def test_those_that_end_by_themselves_succeed(local: LocalBackend) -> None:
    slugs = ("first-job", "two-nodes", "evaluation", "sweep")
    orders = {slug: order(slug, job=number) for number, slug in enumerate(slugs, start=1)}
    for each in orders.values():
        local.submit(each)
    until(lambda: all(has_ended(local, each) for each in orders.values()))
    assert {slug: look(local, each).exit_code for slug, each in orders.items()} == dict.fromkeys(slugs, 0)
    assert "with NPUs 0,1" in log(local, orders["first-job"])
    training = log(local, orders["two-nodes"])
    assert "Rank table: 16 ranks" in training
    assert "rank 15 of 16 on npu-02, NPU 7" in training
    assert "step 200  loss 1.3" in training
    assert "Best (loss, learning rate): 1.133 0.0003" in log(local, orders["sweep"])
    assert "written to scores.json" in log(local, orders["evaluation"])


def test_training_saves_when_asked_to_stop_and_goes_on_from_there(local: LocalBackend) -> None:
    first, second = order("checkpoint", job=7), order("checkpoint", job=7, attempt=2)
    local.submit(first)
    until(says(local, first, "step 2 of 90"))
    local.cancel(ref(first), grace_seconds=10)
    until(lambda: has_ended(local, first))
    assert "Checkpoint: step " in log(local, first)
    local.submit(second)
    until(says(local, second, "step "))
    assert "Resuming after step" in log(local, second)
    assert "step 1 of 90" not in log(local, second)


def test_inference_answers_until_it_is_cancelled(local: LocalBackend) -> None:
    server = order("inference", job=8)
    local.submit(server)
    until(says(local, server, "request 1:"))
    local.cancel(ref(server), grace_seconds=10)
    until(lambda: has_ended(local, server))


def test_the_guides_script_fails_for_want_of_the_toolkit(local: LocalBackend) -> None:
    guide = order("llm-finetune", job=9)
    local.submit(guide)
    until(lambda: has_ended(local, guide))
    assert look(local, guide).exit_code != 0
    error = local.log(ref(guide), "error", offset=0, limit=1 << 16).text
    assert "/usr/local/Ascend/ascend-toolkit/set_env.sh: No such file or directory" in error
