"""Sentences for the reasons, findings and refusals of scheduling, in the reader's language.

The parts below hold codes and facts; only here, at the edge, do they become words.
"""

from scheduling.texts.refusals import REFUSALS, refusal

__all__ = ["REFUSALS", "refusal"]
