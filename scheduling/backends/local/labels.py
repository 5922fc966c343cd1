"""srun --label: each line of a task's output with its rank before it."""

from __future__ import annotations

import os
import threading

CLOSE_PATIENCE = 2.0
"""Seconds to wait for pipes that a daemon of an ended task still holds open."""


class Labels:
    def __init__(self, *, width: int) -> None:
        self.width = width
        self.lock = threading.Lock()
        self.copiers: list[threading.Thread] = []

    def copy(self, reader: int, *, rank: int, target: int) -> None:
        copier = threading.Thread(
            target=self._copy, args=(reader, f"{rank:>{self.width}}: ".encode(), target), daemon=True
        )
        self.copiers.append(copier)

    def start(self) -> None:
        """Only after the last fork: a thread of the parent would be missing in the child, its lock would stay."""
        for copier in self.copiers:
            copier.start()

    def finish(self) -> None:
        for copier in self.copiers:
            copier.join(CLOSE_PATIENCE)

    def _copy(self, reader: int, prefix: bytes, target: int) -> None:
        with os.fdopen(reader, "rb") as lines:
            for line in lines:
                whole = line if line.endswith(b"\n") else line + b"\n"
                with self.lock:
                    os.write(target, prefix + whole)
