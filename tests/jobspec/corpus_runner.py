"""Runs a folder of corpus files: `python -m tests.jobspec.corpus_runner FOLDER`.

One line per differing case and key, then the count. A case of a kind without a reader, or marked with a reason, is skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from scheduling.jobspec import Component, Finding, JobSpec, Reading, read
from tests.jobspec.reference import SITE

OWN = Path(__file__).parent / "corpus"
_NOT_CASES = ("marked.yaml", "extra_errors.yaml")
Case = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    case: str
    key: str
    wanted: object
    got: object

    def __str__(self) -> str:
        return f"{self.case} {self.key} wanted {self.wanted!r} got {self.got!r}"


def cases(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.yaml")):
        if path.name not in _NOT_CASES:
            loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
            yield from (case for case in loaded or () if isinstance(case, dict) and "kind" in case)


def reasons(name: str) -> dict[str, Any]:
    return yaml.safe_load((OWN / name).read_text(encoding="utf-8")) or {}


def differences(case: Case) -> Iterator[Difference]:
    wanted, reading = case["expected"], read(case["input"], SITE)

    def differ(key: str, want: object, got: object) -> Difference:
        return Difference(case=case["id"], key=key, wanted=want, got=got)

    if "accepted" in wanted and wanted["accepted"] != reading.accepted:
        got = [_short(each) for each in reading.errors] or reading.accepted
        yield differ("accepted", wanted["accepted"], got)
    for key in ("errors", "warnings"):
        found = reading.errors if key == "errors" else reading.warnings
        for each in wanted.get(key, ()):
            if not any(_matches(each, finding, message=key == "errors") for finding in found):
                yield differ(key, f"{each['line']} {each['kind']} {each.get('message', '')}", [*map(_short, found)])
    yield from _unexplained(case, reading)
    missed = sorted(set(wanted.get("ignored_lines", ())) - set(reading.ignored_lines))
    if missed:
        yield differ("ignored_lines", wanted["ignored_lines"], list(reading.ignored_lines))
    for key, want, got in _values(wanted, reading.spec):
        if want != got:
            yield differ(key, want, got)


def _unexplained(case: Case, reading: Reading) -> Iterator[Difference]:
    """Errors beyond the named ones need a reason each, also where the case is refused anyway."""
    known = {(each["line"], each["kind"]) for each in case["expected"].get("errors", ())}
    allowed = reasons("extra_errors.yaml").get(case["id"], {})
    for error in reading.errors:
        if (error.line, error.kind) not in known and f"{error.line} {error.kind}" not in allowed:
            yield Difference(case=case["id"], key="extra error", wanted=None, got=_short(error))


def _short(finding: Finding) -> str:
    return f"{finding.line} {finding.kind} {finding.message}"


def _matches(want: Mapping[str, Any], finding: Finding, *, message: bool) -> bool:
    same = (finding.line, str(finding.kind)) == (want["line"], want["kind"])
    return same and (not message or finding.message.startswith(want.get("message", "")))


def _values(wanted: Mapping[str, Any], spec: JobSpec | None) -> Iterator[tuple[str, object, object]]:
    parts = wanted.get("components") or ([wanted["job"]] if "job" in wanted else [])
    if parts and spec is None:
        yield "job", parts, None
        return
    if parts and spec is not None and len(parts) != len(spec.components):
        yield "components", len(parts), len(spec.components)
        return
    for place, part in enumerate(parts):
        assert spec is not None
        prefix = f"components[{place}]." if "components" in wanted else ""
        for key, want in part.items():
            yield prefix + key, want, _value(key, spec, spec.components[place])


def _value(key: str, spec: JobSpec, part: Component) -> object:
    array = spec.array
    own: dict[str, object] = {
        "array": array and array.text,
        "array_size": array and array.size,
        "array_indices": array and list(array.indices),
        "array_throttle": array and array.throttle,
        "time_limit_seconds": "unlimited" if spec.time_unlimited else spec.time_limit_seconds,
        "dependency": [_dependency(asdict(each)) for each in spec.dependency] or None,
        "mail_type": list(spec.mail_type) or None,
        "signal": spec.signal
        and {name: getattr(spec.signal, name) for name in ("number", "batch_only", "seconds_before")},
        "nodelist": list(part.nodelist) or None,
        "exclude": list(part.exclude) or None,
        "exclusive": part.exclusive and (part.exclusive_scope == "node" or part.exclusive_scope),
        "gpus_per_node": part.gpus_per_node,
    }
    if key in own:
        return own[key]
    for holder in (part, spec):
        if hasattr(holder, key):
            return getattr(holder, key)
    return f"no such key: {key}"


def _dependency(each: dict[str, Any]) -> dict[str, Any]:
    delay = {"delay_minutes": each["delay_minutes"]} if each["delay_minutes"] else {}
    return {"type": each["type"], "jobs": list(each["jobs"]), **delay}


def main(folder: str) -> int:
    marked = reasons("marked.yaml")
    passed = failed = skipped = 0
    for case in cases(Path(folder)):
        if case["kind"] != "sbatch" or case["id"] in marked:
            skipped += 1
            continue
        found = list(differences(case))
        for each in found:
            print(each)
        failed += bool(found)
        passed += not found
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
