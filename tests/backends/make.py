"""Orders, and waiting for what becomes of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from scheduling.backends.base import Backend, Observation, Order, Phase, Place, RunRef

DEADLINE = 20.0
NODE = Place(node="npu-01", npus=(0, 1), cpus=8)


def order(script: str = "exit 0", **changes: Any) -> Order:
    """A script without its first line runs in bash."""
    text = script if script.startswith("#!") else f"#!/bin/bash\n{script}\n"
    given: dict[str, Any] = {
        "run": uuid4(),
        "job": 7,
        "attempt": 1,
        "name": "train",
        "user": "alice",
        "team": "nlp",
        "partition": "training",
        "script": text,
        "places": (NODE,),
        "grace_seconds": 5,
    }
    return Order(**(given | changes))


def ref(order: Order) -> RunRef:
    return RunRef(run=order.run, backend_id=str(order.run))


def look(backend: Backend, order: Order) -> Observation:
    return backend.observe([ref(order)])[0]


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def ended(backend: Backend, order: Order) -> Observation:
    until(lambda: look(backend, order).phase in (Phase.ENDED, Phase.LOST))
    return look(backend, order)


def run(backend: Backend, order: Order) -> Observation:
    backend.submit(order)
    return ended(backend, order)


def output(backend: Backend, order: Order, stream: str = "output") -> str:
    return backend.log(ref(order), stream, offset=0, limit=1 << 20).text


def says(backend: Backend, order: Order, text: str) -> None:
    until(lambda: text in output(backend, order))
