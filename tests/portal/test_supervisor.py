from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portal.management import supervisor as module
from portal.management.supervisor import Supervisor, Task
from tests.services.process import wait_until


class House:
    def __init__(self, folder: Path) -> None:
        self.said: list[str] = []
        self.supervisor = Supervisor(folder, dict(os.environ), self.said.append)

    def start(self, code: str, name: str = "child", **options: float) -> module.Child:
        return self.supervisor.start(Task(name, [sys.executable, "-c", code], **options))  # type: ignore[arg-type]

    def tend_until(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not done():
            assert time.monotonic() < deadline, self.said
            self.supervisor.tend()
            time.sleep(0.01)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(module, "FIRST_PAUSE_SECONDS", 0.01)
    house = House(tmp_path)
    yield house
    house.supervisor.stop()


def exists(pid: int) -> bool:
    """A zombie is gone: nobody of ours has to read its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_child_that_dies_is_said_and_started_again(house: House, tmp_path: Path) -> None:
    house.start(f"open({str(tmp_path / 'starts')!r}, 'a').write('x'); raise SystemExit(3)")
    house.tend_until(lambda: (tmp_path / "starts").exists() and (tmp_path / "starts").read_text() == "xxx")
    assert "child ended (exit code 3)" in house.said[0]
    assert str(tmp_path / "child.log") in house.said[0]


def test_pause_grows_up_to_a_bound(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE_SECONDS", 0.05)
    child = house.start("raise SystemExit(1)")
    child.pause = 0.01
    pauses: set[float] = set()

    def seen() -> bool:
        pauses.add(child.pause)
        return len(house.said) >= 5

    house.tend_until(seen)
    assert sorted(pauses) == [0.01, 0.02, 0.04, 0.05]


def test_signal_that_killed_a_child_is_named(house: House) -> None:
    house.start("import os; os.kill(os.getpid(), 9)")
    house.tend_until(lambda: bool(house.said))
    assert "killed by SIGKILL" in house.said[0]


def test_errors_are_shown_and_everything_is_logged(house: House, tmp_path: Path) -> None:
    house.start("print('quiet line'); print('2026 [error    ] it broke'); import time; time.sleep(60)")
    house.tend_until(lambda: bool(house.said))
    house.supervisor.stop()
    assert house.said == ["child: 2026 [error    ] it broke"]
    assert (tmp_path / "child.log").read_text() == "quiet line\n2026 [error    ] it broke\n"


def test_log_has_a_bound(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOG_BYTES", 1000)
    child = house.start("for n in range(5000): print('line', n)")
    assert child.process is not None
    child.process.wait(20)
    house.supervisor.stop()
    assert sum(path.stat().st_size for path in tmp_path.glob("child.log*")) <= 2000


def test_child_that_does_not_listen_is_killed_with_its_own_children(house: House, tmp_path: Path) -> None:
    deaf = "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    grandchild = "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
    write = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid) + '.'); time.sleep(60)"
    house.start(deaf + grandchild + write, patience=0.1)
    house.tend_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("."))
    house.supervisor.stop()
    grandchild = int((tmp_path / "pid").read_text()[:-1])
    # Killed already; the kernel takes a moment to end it.
    wait_until(lambda: not exists(grandchild), seconds=5, what="the grandchild's end")


def test_first_child_stays_until_the_others_are_gone(house: House, tmp_path: Path) -> None:
    code = """
import signal, sys, time
def end(*_):
    time.sleep({pause}); open({path!r}, 'a').write({name!r}); sys.exit()
signal.signal(signal.SIGTERM, end); print('[error] ready', flush=True); time.sleep(60)
"""
    order = str(tmp_path / "order")
    for name, pause in (("broker", 0), ("web", 0.2), ("worker", 0)):
        house.start(code.format(path=order, name=f"{name} ", pause=pause), name=name)
    house.tend_until(lambda: len(house.said) == 3)
    house.supervisor.stop()
    assert Path(order).read_text() == "worker web broker "


def test_children_do_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    code = f"""
import os, pathlib, sys, time
from portal.management.supervisor import Supervisor, Task
supervisor = Supervisor(pathlib.Path({str(tmp_path)!r}), dict(os.environ), print)
child = supervisor.start(Task("child", [sys.executable, "-c", "import time; time.sleep(60)"]))
print(child.process.pid, flush=True)
time.sleep(60)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert exists(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 10
    while exists(pid):
        assert time.monotonic() < deadline, "the child lives on"
        time.sleep(0.01)
