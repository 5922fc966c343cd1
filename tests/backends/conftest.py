from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduling.backends.local import LocalBackend
from tests.services.leftovers import end_jobs_in


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalBackend]:
    """Leaves nothing running behind, whatever the test did."""
    yield LocalBackend(tmp_path / "root")
    end_jobs_in(tmp_path)
