"""POST /api/v1/jobs, one after the other as a script does."""

from __future__ import annotations

import json

from django.test import Client

from accounting.services import tokens
from tests import make
from tests.bench import measure

JOBS = 50


def run(world: make.World) -> None:
    key = tokens.make(world.alice, name="bench")[1]
    client, body = Client(), json.dumps({"script": make.script(), "team": "nlp"})
    headers = {"Authorization": f"Bearer {key}"}

    def submit() -> None:
        answer = client.post("/api/v1/jobs", body, content_type="application/json", headers=headers)
        if answer.status_code != 201:
            raise RuntimeError(answer.content.decode())

    seconds = measure.times(submit, runs=JOBS)
    measure.tell("POST /api/v1/jobs", seconds)
    print(f"{'':<58}{JOBS / sum(seconds):8.1f}  jobs a second", flush=True)
