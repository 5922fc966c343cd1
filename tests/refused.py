"""Rows that the database itself refuses, whatever code wrote them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction

from tests import make

Step = Callable[[make.World], object]


def constraints_of(app: str) -> set[str]:
    """Every one that has a name: each needs a case that it refuses."""
    return {each.name for model in apps.get_app_config(app).get_models() for each in model._meta.constraints}


def assert_refuses(constraint: str, step: Step, world: make.World) -> None:
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        step(world)
    if connection.vendor == "postgresql":  # SQLite names columns in place of a unique constraint
        assert f'"{constraint}"' in str(refusal.value)
