"""Child processes of one command: started in order, restarted with a growing pause, logged within bounds, stopped in order."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from logging.handlers import RotatingFileHandler
from pathlib import Path

from portal.management.leash import end_with_parent

LOG_BYTES = 5 << 20
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 60.0  # who ran this long starts afresh with the shortest pause
IMPORTANT = re.compile(r"\[(error|critical)\s*\]|\b(ERROR|CRITICAL)\b|^# .*(error|fatal)", re.IGNORECASE)

Say = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """One child: what to start, and how to ask it to end."""

    name: str
    arguments: Sequence[str]
    patience: float = 3.0  # seconds after SIGTERM until we insist
    harder: signal.Signals = signal.SIGKILL


@dataclass
class Child:
    task: Task
    process: subprocess.Popen[str] | None = None
    started: float = 0.0
    pause: float = FIRST_PAUSE_SECONDS
    start_at: float = 0.0  # when it is down: the moment of the next start
    pump: threading.Thread | None = None

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None


@dataclass
class Supervisor:
    folder: Path
    environment: Mapping[str, str]
    say: Say
    children: list[Child] = field(default_factory=list)

    def start(self, task: Task) -> Child:
        child = Child(task)
        self.children.append(child)
        self._launch(child)
        return child

    def tend(self) -> None:
        """To be called again and again by the main thread: starts anew what has ended, after its pause."""
        now = time.monotonic()
        for child in self.children:
            if child.alive:
                continue
            if child.process is not None:
                self._note_end(child, now)
            elif now >= child.start_at:
                self._launch(child)

    def stop(self) -> None:
        """All are asked at once, but what was started first (the broker) only when nobody is left who needs it."""
        for together in (self.children[1:], self.children[:1]):
            for child in together:
                if child.process is not None and child.alive:
                    child.process.send_signal(signal.SIGTERM)
            for child in together:
                self._end(child)
        self.children.clear()

    def _note_end(self, child: Child, now: float) -> None:
        assert child.process is not None
        _end_group(child.process.pid)
        if now - child.started > STEADY_SECONDS:
            child.pause = FIRST_PAUSE_SECONDS
        self.say(
            f"{child.task.name} ended ({_end_in_words(child.process.returncode)}); it starts again in {child.pause:.0f} s. "
            f"Its log: {self.log_path(child.task.name)}"
        )
        child.process = None
        child.start_at = now + child.pause
        child.pause = min(child.pause * 2, LONGEST_PAUSE_SECONDS)

    def log_path(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _launch(self, child: Child) -> None:
        child.started = time.monotonic()
        child.process = subprocess.Popen(
            child.task.arguments,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C in the terminal is for us; we pass it on in order
            preexec_fn=end_with_parent,
        )
        child.pump = threading.Thread(target=self._pump, args=(child.task.name, child.process), daemon=True)
        child.pump.start()

    def _pump(self, name: str, process: subprocess.Popen[str]) -> None:
        """Through us, so that a log has an end, and what matters is seen."""
        self.folder.mkdir(parents=True, exist_ok=True)
        log = RotatingFileHandler(self.log_path(name), maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8")
        assert process.stdout is not None
        for line in process.stdout:
            text = line.rstrip("\n")
            log.emit(logging.LogRecord(name, logging.INFO, "", 0, text, None, None))
            if IMPORTANT.search(text):
                self.say(f"{name}: {text[:300]}")
        log.close()

    def _end(self, child: Child) -> None:
        process = child.process
        if process is None:
            return
        try:
            process.wait(child.task.patience)
        except subprocess.TimeoutExpired:
            process.send_signal(child.task.harder)
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)
        _end_group(process.pid)
        process.wait(5)
        if child.pump:
            child.pump.join(2)


def _end_group(leader: int) -> None:
    """What a child leaves behind goes too; jobs are in sessions of their own and run on."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _end_in_words(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"
