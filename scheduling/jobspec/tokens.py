"""A script's directive lines cut into words, exactly as sbatch cuts them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scheduling.jobspec.findings import Finding, Kind, Severity

BLANKS = frozenset(" \t\n\v\f\r")  # C's isspace; a no-break or full-width blank is none
_PLAIN = re.compile(r"""[^ \t\n\v\f\r\\"'#]+""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    text: str
    line: int
    column: int
    """1-based, in characters."""
    length: int
    """As it stands in the line, quotes included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    line: int
    words: tuple[Word, ...]
    findings: tuple[Finding, ...] = ()


def cut(text: str, *, line: int, start: int) -> Directive:
    """The words of one directive line after its first `start` characters (the magic word)."""
    text = text.split("\0", 1)[0]
    words: list[Word] = []
    findings: list[Finding] = []
    at = start
    while at < len(text) and text[at] in BLANKS:
        at += 1
    while True:
        rest_from = at
        while at < len(text) and text[at] in BLANKS:
            at += 1
        if at >= len(text):
            break
        if text[at] == ":":
            findings.append(_colon(text[rest_from:], line=line, column=at + 1))
            break
        begin = at
        letters, at, quote = _word(text, at)
        if quote:
            findings.append(_unmatched(quote, text[rest_from:], line=line, column=begin + 1))
            break
        if at < len(text) and text[at] == "#" and letters:
            findings.append(_cut_at_hash("".join(letters), text[at:], line=line, column=begin + 1, length=at - begin))
        if not letters:  # a comment, an empty pair of quotes or a lone backslash ends the line
            break
        words.append(Word(text="".join(letters), line=line, column=begin + 1, length=at - begin))
    if text.endswith("\\"):
        findings.append(_backslash(line=line, column=len(text)))
    return Directive(line=line, words=tuple(words), findings=tuple(findings))


def _word(text: str, at: int) -> tuple[list[str], int, str]:
    """Its letters, where it ends, and the quote that was left open."""
    letters: list[str] = []
    quote = ""
    escaped = False
    while at < len(text) and (quote or text[at] not in BLANKS):
        plain = None if escaped or quote else _PLAIN.match(text, at)
        if plain:
            letters.append(plain[0])
            at = plain.end()
            continue
        letter = text[at]
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
            at += 1
            continue
        elif quote:
            if letter == quote:
                quote = ""
                at += 1
                continue
        elif letter in "\"'":
            quote = letter
            at += 1
            continue
        elif letter == "#":
            break
        letters.append(letter)
        at += 1
    return letters, at, quote


def _colon(rest: str, *, line: int, column: int) -> Finding:
    return Finding(
        kind=Kind.UNEXPECTED_COLON,
        severity=Severity.ERROR,
        message=f"Unexpected `:` in [{rest}]",
        line=line,
        column=column,
        length=1,
        repair="",
    )


def _unmatched(quote: str, rest: str, *, line: int, column: int) -> Finding:
    return Finding(
        kind=Kind.UNMATCHED_QUOTE,
        severity=Severity.ERROR,
        message=f"Unmatched `{quote}` in [{rest}]",
        line=line,
        column=column,
        facts={"quote": quote},
    )


def _cut_at_hash(kept: str, lost: str, *, line: int, column: int, length: int) -> Finding:
    return Finding(
        kind=Kind.VALUE_CUT_AT_HASH,
        severity=Severity.WARNING,
        message=f'Everything after "#" is a comment: only "{kept}" is read',
        line=line,
        column=column,
        length=length,
        facts={"kept": kept, "lost": lost},
    )


def _backslash(*, line: int, column: int) -> Finding:
    return Finding(
        kind=Kind.BACKSLASH_AT_END,
        severity=Severity.INFO,
        message="A backslash does not continue a directive: each line is read on its own",
        line=line,
        column=column,
        length=1,
        repair="",
    )
