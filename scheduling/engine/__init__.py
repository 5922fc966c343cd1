"""The scheduling engine: a situation in, a plan out. Standard library only; README.md tells how it decides."""

from scheduling.engine.check import BadSituation
from scheduling.engine.planner import plan
from scheduling.engine.preview import ledger, what_if

__all__ = ["BadSituation", "ledger", "plan", "what_if"]
