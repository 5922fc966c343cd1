"""Rules of the house that no linter holds: which way rows point, how tasks are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings

from portal import celery

ORDER = ["npu_inventory", "accounting", "scheduling"]
ROOT = Path(settings.BASE_DIR)


def _relations() -> list[tuple[str, str, str]]:
    return [
        (model._meta.app_label, field.related_model._meta.app_label, f"{model.__name__}.{field.name}")
        for label in ORDER
        for model in apps.get_app_config(label).get_models()
        for field in model._meta.get_fields()
        if field.is_relation and field.concrete and field.related_model
    ]


@pytest.mark.parametrize("owner, target, name", _relations(), ids=lambda value: value)
def test_no_foreign_key_points_up(owner: str, target: str, name: str) -> None:
    """A row may point at rows of its own app and of lower ones; everybody may point at the user."""
    if target in ORDER and not (name.endswith(".by") or name.endswith(".user")):
        assert ORDER.index(target) <= ORDER.index(owner), f"{name} points up at {target}"


def test_every_woken_task_exists() -> None:
    celery.app.loader.import_default_modules()
    sources = [
        path for app in ("portal", *ORDER) for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts
    ]
    woken = {name for path in sources for name in re.findall(r"\bwake\(\s*\"([a-z_.]+)\"", path.read_text())}
    scheduled = {entry["task"] for entry in celery.app.conf.beat_schedule.values()}
    assert woken
    assert (woken | scheduled) <= set(celery.app.tasks)
