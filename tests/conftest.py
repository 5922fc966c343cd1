"""What every test may ask for. Services of one's own stand in `tests/services`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.valkey import Valkey


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Valkey]:
    """A broker that this test alone uses, so that it may be killed."""
    with Valkey(tmp_path / "valkey") as valkey:
        yield valkey
