from __future__ import annotations

import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

from tests.services.process import wait_until
from tests.services.valkey import Valkey


def start(command: str) -> tuple[subprocess.Popen[str], list[int]]:
    """The command with services of its own, and their ports."""
    arguments = [
        sys.executable,
        "-m",
        "tests.services",
        "run",
        "--",
        "sh",
        "-c",
        f"echo $DATABASE_URL $REDIS_URL; {command}",
    ]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    return process, [urlsplit(url).port or 0 for url in process.stdout.readline().split()]


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_services_are_there_for_a_command_and_gone_with_it() -> None:
    process, ports = start("read line; exit 7")
    process.communicate(timeout=60)
    assert process.returncode == 7
    assert len(ports) == 2
    assert not any(map(answers, ports))


def test_services_are_gone_after_an_interruption() -> None:
    process, ports = start("exec sleep 60")
    assert all(map(answers, ports))
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 130
    assert not any(map(answers, ports))


def test_broker_that_was_killed_can_be_started_again_on_its_port(broker: Valkey) -> None:
    broker.kill()
    assert not answers(broker.port)
    broker.start()
    wait_until(lambda: answers(broker.port), seconds=10, what="the broker")
