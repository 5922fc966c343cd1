"""What a collector or a backend tells about hardware: plain values that the higher parts hand in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NpuReport:
    index: int
    """Physical id on its node."""
    healthy: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    name: str
    up: bool
    draining: bool = False
    reason: str = ""
    cpus: int = 0
    memory_mb: int = 0
    npus: tuple[NpuReport, ...] = ()
