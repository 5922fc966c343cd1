"""Words read as options with values, the way getopt_long reads them: abbreviations, glued values, values in the next word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scheduling.jobspec.findings import Fact, Finding, Kind, Severity
from scheduling.jobspec.options import LONG, SHORT, Option, Takes, candidates, closest
from scheduling.jobspec.tokens import Word

LONGEST_GUESSED = 60
MOST_GUESSES = 100
"""Unknown options for which the closest known one is looked up: each takes a tenth of a millisecond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An option as it was given, and where."""

    option: str
    value: str | None = None
    line: int = 0
    column: int = 0
    length: int = 0
    """Column and length cover the word with the value, option name included when they are one word."""
    field: str = ""
    prefix: str = ""
    """What stands before the value in that span: "--nodes=", "-N"."""
    translated: bool = False
    """Came from a PBS or LSF line."""

    def finding(
        self,
        kind: Kind,
        message: str,
        *,
        severity: Severity = Severity.ERROR,
        repair: str | None = None,
        facts: Mapping[str, Fact] | None = None,
    ) -> Finding:
        """`repair` replaces the value only."""
        return Finding(
            kind=kind,
            severity=severity,
            message=message,
            line=self.line,
            column=self.column,
            length=self.length,
            repair=None if repair is None or self.translated else self.prefix + repair,
            field=self.field,
            facts=dict(facts or {}),
        )


class Options:
    """One pass over the words. Where sbatch stops at its first error this goes on, so that all are found."""

    def __init__(self, words: Sequence[Word], *, version: tuple[int, ...] | None) -> None:
        self.words = words
        self.version = version
        self.at = 0
        self.given: list[Given] = []
        self.findings: list[Finding] = []

    def read(self) -> None:
        only_words = False
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if only_words or not word.text.startswith("-") or word.text == "-":
                self._stray(word)
            elif word.text == "--":
                only_words = True
            elif word.text.startswith("--"):
                self._long(word)
            else:
                self._short(word)

    def _stray(self, word: Word) -> None:
        self._error(word, Kind.STRAY_WORD, f"Invalid directive found in batch script: {word.text}", {"word": word.text})
        while self.at < len(self.words):  # the rest of a sentence says nothing new
            following = self.words[self.at]
            if following.line != word.line or following.text.startswith("-"):
                break
            self.at += 1

    def _long(self, word: Word) -> None:
        name, equals, value = word.text[2:].partition("=")
        found = candidates(name, self.version)
        if not found:
            self._unknown(word, name, value if equals else None)
        elif len(found) > 1:
            names = [f"'--{each.name}'" for each in found]
            self._error(
                word,
                Kind.AMBIGUOUS_OPTION,
                f"option '{word.text}' is ambiguous; possibilities: {' '.join(names)}",
                {"option": name, "candidates": " ".join(each.name for each in found)},
            )
        elif equals and found[0].takes is Takes.NOTHING:
            self._error(
                word,
                Kind.UNEXPECTED_VALUE,
                f"option '--{found[0].name}' doesn't allow an argument",
                {"option": found[0].name, "value": value},
                repair=f"--{found[0].name}",
            )
        elif equals:
            self._give(found[0], value, word, prefix=f"--{name}=")
        elif found[0].takes is Takes.A_VALUE:
            self._value_in_next_word(found[0], word, f"option '--{found[0].name}' requires an argument")
        else:
            self._give(found[0], None, word)

    def _short(self, word: Word) -> None:
        for place, letter in enumerate(word.text[1:], start=1):
            option = SHORT.get(letter)
            rest = word.text[place + 1 :]
            if option is None:
                self._error(word, Kind.UNKNOWN_OPTION, f"invalid option -- '{letter}'", {"option": letter})
                return
            if option.takes is Takes.NOTHING:
                self._give(option, None, word)
            elif rest or option.takes is Takes.MAYBE:
                self._give(option, rest or None, word, prefix=word.text[: place + 1])
                return
            else:
                self._value_in_next_word(option, word, f"option requires an argument -- '{letter}'")
                return

    def _value_in_next_word(self, option: Option, word: Word, missing: str) -> None:
        if self.at >= len(self.words):
            self._error(word, Kind.MISSING_VALUE, missing, {"option": option.name})
            return
        following = self.words[self.at]
        if following.line == word.line:
            self.at += 1
            self._give(option, following.text, following)
            return
        # sbatch takes the next line's first word for the value. If a word is then left over it stops there.
        after = self.words[self.at + 1] if self.at + 1 < len(self.words) else None
        facts: dict[str, Fact] = {"option": option.name, "eaten": following.text}
        if after is not None and after.line == following.line and not after.text.startswith("-"):
            message = f"Invalid directive found in batch script: {after.text}"
            self._error(word, Kind.MISSING_VALUE, message, facts)
            return
        message = f'"{following.text}" of the next line is taken as the value of --{option.name}'
        self._error(word, Kind.MISSING_VALUE, message, facts, severity=Severity.WARNING)
        self.at += 1
        self._give(option, following.text, word)

    def _unknown(self, word: Word, name: str, value: str | None) -> None:
        near = closest(name) if len(name) <= LONGEST_GUESSED and len(self.findings) < MOST_GUESSES else None
        facts: dict[str, Fact] = {"option": name}
        if near:
            facts["closest"] = near
        severity = Severity.WARNING if self.version is None else Severity.ERROR
        message = f"unrecognized option '{word.text}'"
        repair = f"--{near}{word.text[len(name) + 2 :]}" if near else None
        self._error(word, Kind.UNKNOWN_OPTION, message, facts, severity=severity, repair=repair)
        following = self.words[self.at] if self.at < len(self.words) else None
        if value is None and following and following.line == word.line and not following.text.startswith("-"):
            value = following.text
            self.at += 1
        self.given.append(_at(word, option=name, value=value))

    def _give(self, option: Option, value: str | None, word: Word, *, prefix: str = "") -> None:
        self.given.append(_at(word, option=option.means, value=value, prefix=prefix))

    def _error(
        self,
        word: Word,
        kind: Kind,
        message: str,
        facts: Mapping[str, Fact],
        *,
        severity: Severity = Severity.ERROR,
        repair: str | None = None,
    ) -> None:
        self.findings.append(_at(word, option="").finding(kind, message, severity=severity, repair=repair, facts=facts))


def single_dash(given: Given) -> str | None:
    """The long form that was meant by -nodes=2, which is read as -n with the value "odes=2"."""
    if len(given.prefix) != 2 or given.prefix.startswith("--") or not given.value:
        return None
    written = given.prefix[1:] + given.value
    return f"--{written}" if written.partition("=")[0] in LONG else None


def _at(word: Word, *, option: str, value: str | None = None, prefix: str = "") -> Given:
    return Given(option=option, value=value, line=word.line, column=word.column, length=word.length, prefix=prefix)
