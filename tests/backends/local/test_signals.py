from __future__ import annotations

import signal

import pytest

from scheduling.backends.base import BackendError
from scheduling.backends.local import LocalBackend, signals
from tests.backends import make

TASK = 'trap "echo task; exit 0" USR1; echo up; while :; do sleep 0.05; done'
SCRIPT = f"trap 'echo batch' USR1\nsrun -n1 bash -c '{TASK}' & while :; do wait; [ $? -gt 128 ] || break; done"

REQUESTS = {
    "USR1": ("steps", signal.SIGUSR1, 60),
    "SIGUSR1@120": ("steps", signal.SIGUSR1, 120),
    "B:USR2@30": ("batch", signal.SIGUSR2, 30),
    "RB:TERM": ("batch", signal.SIGTERM, 60),
    "R:10@5": ("steps", signal.SIGUSR1, 5),
}


@pytest.mark.parametrize(("text", "wanted"), REQUESTS.items())
def test_request(text: str, wanted: tuple[str, int, int]) -> None:
    assert signals.request(text) == wanted


@pytest.mark.parametrize("text", ["", "@30", "B:", "NOSUCH", "USR1@", "999", "0", "X:USR1", "SIG_DFL", "USR1@-1"])
def test_no_request(text: str) -> None:
    with pytest.raises(signals.UnknownSignal):
        signals.request(text)


def test_order_with_an_unknown_signal_is_refused(local: LocalBackend) -> None:
    with pytest.raises(BackendError, match="unknown signal"):
        local.submit(make.order(signal="NOSUCH@30"))


def test_warning_before_the_limit_reaches_the_batch_script_only(local: LocalBackend) -> None:
    script = "trap 'echo warned; exit 0' USR1; echo up; while :; do sleep 0.05; done"
    seen = make.run(local, order := make.order(script, signal="B:USR1@58", time_limit_seconds=60))
    assert seen.exit_code == 0
    assert "warned" in make.output(local, order)


def test_warning_before_the_limit_reaches_the_tasks_and_not_the_script(local: LocalBackend) -> None:
    order = make.order(SCRIPT, signal="USR1@59", time_limit_seconds=60)
    make.run(local, order)
    assert "task" in make.output(local, order)
    assert "batch" not in make.output(local, order)


def test_signal_goes_to_the_tasks(local: LocalBackend) -> None:
    order = make.order(SCRIPT)
    local.submit(order)
    make.says(local, order, "up")
    local.signal(make.ref(order), "USR1")
    make.ended(local, order)
    assert "task" in make.output(local, order)
    assert "batch" not in make.output(local, order)


@pytest.mark.parametrize(("name", "wanted"), [("B:USR1", None), ("USR1", "B:USR1@1")])
def test_signal_goes_to_the_script_if_it_or_the_order_says_so(
    local: LocalBackend, name: str, wanted: str | None
) -> None:
    order = make.order("trap 'echo batch; exit 0' USR1; echo up; while :; do sleep 0.05; done", signal=wanted)
    local.submit(order)
    make.says(local, order, "up")
    local.signal(make.ref(order), name)
    assert make.ended(local, order).exit_code == 0
    assert make.output(local, order) == "up\nbatch\n"


def test_unknown_signal_is_refused(local: LocalBackend) -> None:
    order = make.order("sleep 1000")
    local.submit(order)
    with pytest.raises(BackendError, match="unknown signal"):
        local.signal(make.ref(order), "NOSUCH")
