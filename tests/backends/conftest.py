from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduling.backends.base import RunRef
from scheduling.backends.local import LocalBackend
from tests.backends import make


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalBackend]:
    """Leaves nothing running behind, whatever the test did."""
    backend = LocalBackend(tmp_path / "root")
    yield backend
    for live in backend.live_runs():
        backend.cancel(RunRef(run=live.run, backend_id=None), grace_seconds=0)
    make.until(lambda: not backend.live_runs())
