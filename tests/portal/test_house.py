from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from portal.management import house
from portal.management.broker import prepare_broker


def test_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    os.close(house.claim(tmp_path / "deep" / "var"))
    assert stat.S_IMODE((tmp_path / "deep" / "var").stat().st_mode) == 0o700


def test_folder_is_for_one_portal_at_a_time(tmp_path: Path) -> None:
    first = house.claim(tmp_path)
    with pytest.raises(CommandError, match=rf"Another portal runs .* \(process {os.getpid()}\)"):
        house.claim(tmp_path)
    os.close(first)
    os.close(house.claim(tmp_path))


def test_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=r"cannot be written .*\n.*VAR=") as refusal:
        house.claim(tmp_path / "file" / "var")
    assert str(tmp_path / "file" / "var") in str(refusal.value)


def test_taken_port_is_said_with_a_way_out() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} .* taken .*\n.*PORT="):
            house.check_port("127.0.0.1", port)
    house.check_port("127.0.0.1", port)


def test_host_that_is_not_here_is_said() -> None:
    with pytest.raises(CommandError, match=r"192\.0\.2\.1"):
        house.check_port("192.0.2.1", 8000)


def test_secret_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = house.secret_key_file(tmp_path)
    key = path.read_text()
    assert len(key) > 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert house.secret_key_file(tmp_path).read_text() == key


def test_children_get_the_demo_whatever_the_shell_has_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://production/portal")
    monkeypatch.setenv("REDIS_URL", "redis://production/0")
    told = house.environment(tmp_path, broker_url="redis://here/0", host="127.0.0.1")
    assert "DATABASE_URL" not in told
    assert (told["REDIS_URL"], told["VAR"], told["PORTAL_DEMO"]) == ("redis://here/0", str(tmp_path), "1")
    assert "ALLOWED_HOSTS" not in told


def test_broker_has_a_password_that_only_its_owner_reads(tmp_path: Path) -> None:
    broker = prepare_broker(tmp_path / "broker")
    path = tmp_path / "broker" / "valkey.conf"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "requirepass" in path.read_text()
    assert not any("requirepass" in word for word in broker.arguments)
