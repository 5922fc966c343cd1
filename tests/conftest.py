"""What every test may ask for. Services of one's own stand in `tests/services`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from tests.services.leftovers import end_jobs_in
from tests.services.valkey import Valkey


@pytest.fixture(autouse=True, scope="session")
def _no_job_outlives_its_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    yield
    end_jobs_in(Path(settings.VAR_DIR), tmp_path_factory.getbasetemp())


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Valkey]:
    """A broker that this test alone uses, so that it may be killed."""
    with Valkey(tmp_path / "valkey") as valkey:
        yield valkey


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    """A request leaves its reader's language behind in the thread; the next test starts from the default."""
    yield
    translation.activate(settings.LANGUAGE_CODE)
