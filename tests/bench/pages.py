"""The queue, its poll and the preview of a submission, with few jobs and with many."""

from __future__ import annotations

import re

from django.test import Client

from tests import make
from tests.bench import measure


def run(world: make.World, *, jobs: int) -> None:
    client = Client()
    client.force_login(world.alice)
    last, submission = f"/queue/?page={max(1, jobs // 50)}", {"script": make.script(npus=8, nodes=2), "team": "nlp"}
    measure.tell(f"queue page, {jobs} jobs", measure.times(lambda: client.get("/queue/")))
    measure.tell(f"queue page, the last, {jobs} jobs", measure.times(lambda: client.get(last)))
    measure.tell(f"poll that finds nothing new, {jobs} jobs", [_poll(client) for _ in range(5)])
    previews = measure.times(lambda: client.post("/submit/preview/", submission), runs=3)
    measure.tell(f"preview of a submission, {jobs} jobs", previews)


def _poll(client: Client) -> float:
    """With a page read just before: each minute the poll is told anew."""
    found = re.search(r'name="seen" value="(\w+)"', client.get("/queue/").content.decode())
    address = f"/queue/rows/?seen={found[1] if found else ''}"
    return measure.once(lambda: client.get(address, headers={"HX-Request": "true"}))
