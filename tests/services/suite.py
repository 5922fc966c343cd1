"""`make test`: the checks, then the tests group by group, on services of their own; one summary line at the end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from xml.etree import ElementTree

from tests.services import packages
from tests.services.postgres import Postgres
from tests.services.valkey import Valkey

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = Path(sys.executable).parent
APPS = ("portal", "scheduling", "accounting", "npu_inventory")
NO_TESTS = 5  # pytest's exit code when a group has none
MOST_UNSTEADY = 3  # more failures than this are no accident
PARALLEL = ("-n", "2", "--dist", "loadfile")


@dataclass(frozen=True)
class Check:
    name: str
    arguments: Sequence[str]


@dataclass(frozen=True)
class Group:
    name: str
    arguments: Sequence[str]
    on_sqlite: bool = False


@dataclass
class Totals:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


LINT = (
    Check("ruff", [str(BIN / "ruff"), "check", "--quiet", "."]),
    Check("ruff format", [str(BIN / "ruff"), "format", "--check", "--quiet", "."]),
    Check("imports", [str(BIN / "lint-imports")]),
)
CHECKS = (
    Check("types", [str(BIN / "mypy"), *APPS]),
    *LINT,
    Check("manage.py check", [sys.executable, "manage.py", "check", "--fail-level", "WARNING"]),
    Check("migrations", [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]),
)
# Browsers and workers have clocks of their own: they run alone, the rest two at a time.
GROUPS = (
    Group("PostgreSQL", [*PARALLEL, "-m", "not workers and not browser"]),
    Group(
        "rows on SQLite",
        [*PARALLEL, "-m", "rows and not workers and not browser"],
        on_sqlite=True,
    ),
    Group("workers", ["-m", "workers and not browser"]),
    Group("browser", ["-m", "browser"]),
)


def run_suite() -> int:
    os.chdir(ROOT)
    packages.provide()
    totals = Totals()
    with services() as environment:
        run_checks(CHECKS + templates(), environment, totals)
        for group in GROUPS:
            run_group(group, environment, totals)
    print(f"\n{totals}", flush=True)
    return 1 if totals.failed or not totals.passed else 0


def run_lint() -> int:
    os.chdir(ROOT)
    totals = Totals()
    run_checks(LINT + templates(), dict(os.environ), totals)
    return 1 if totals.failed else 0


@contextmanager
def services() -> Iterator[dict[str, str]]:
    """PostgreSQL and Redis in a folder of their own, gone with it whatever happens; the environment that names them."""
    signal.signal(signal.SIGTERM, _as_interrupt)
    signal.signal(signal.SIGHUP, _as_interrupt)
    folder = Path(tempfile.mkdtemp(prefix="portal-services-"))
    folder.chmod(0o755)  # PostgreSQL runs as another user where we are root
    try:
        with Postgres(folder / "postgres") as database, Valkey(folder / "redis") as broker:
            scratch = folder / "scratch"
            scratch.mkdir()
            yield {
                **os.environ,
                "DATABASE_URL": database.url,
                "REDIS_URL": broker.url,
                "PORTAL_TESTING": "1",
                "PORTAL_TEST_FOLDER": str(scratch),
                "SECRET_KEY": "a key for tests only, long enough for the system check",
                "VAR": str(scratch),
            }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_checks(checks: Sequence[Check], environment: Mapping[str, str], totals: Totals) -> None:
    def run(check: Check) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            check.arguments,
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    with ThreadPoolExecutor(2) as pool:
        for check, done in zip(checks, pool.map(run, checks), strict=True):
            print(f"{'ok    ' if done.returncode == 0 else 'FAILED'} {check.name}", flush=True)
            if done.returncode:
                totals.failed += 1
                print(done.stdout, flush=True)
            else:
                totals.passed += 1


def run_group(group: Group, environment: Mapping[str, str], totals: Totals) -> None:
    print(f"\n--- {group.name}", flush=True)
    started = time.monotonic()
    own = dict(environment)
    if group.on_sqlite:
        own["DATABASE_URL"] = f"sqlite:///{own['PORTAL_TEST_FOLDER']}/rows.sqlite3"
    counted = run_pytest(group.arguments, own)
    if 0 < counted.failed <= MOST_UNSTEADY:
        counted = look_again(group, own, counted)
    totals.passed += counted.passed
    totals.failed += counted.failed
    totals.skipped += counted.skipped
    print(f"--- {group.name}: {counted} in {time.monotonic() - started:.0f} s", flush=True)


def run_pytest(arguments: Sequence[str], environment: dict[str, str]) -> Totals:
    report = Path(environment["PORTAL_TEST_FOLDER"], "report.xml")
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", *arguments, f"--junitxml={report}"]
    code = subprocess.run(command, env=environment, check=False).returncode
    counted = count(report)
    if code not in (0, NO_TESTS) and not counted.failed:
        counted.failed = 1  # it broke before or outside of a test
    return counted


def look_again(group: Group, environment: dict[str, str], first: Totals) -> Totals:
    """Real processes with clocks of their own can be late once on a busy machine. What fails alone too has failed; what
    passes alone is named, since it is a test to mend."""
    print(f"--- {group.name}: {first.failed} failed; once more, alone", flush=True)
    alone = [word for word in group.arguments if word not in PARALLEL]
    second = run_pytest([*alone, "--last-failed", "--last-failed-no-failures=none", "-rA"], environment)
    if second.failed or second.passed < first.failed:
        return first
    print(f"--- {group.name}: UNSTEADY, passed only the second time: {first.failed} (named above)", flush=True)
    return Totals(passed=first.passed + first.failed, skipped=first.skipped)


def count(report: Path) -> Totals:
    """From pytest's report, errors being failures."""
    if not report.exists():
        return Totals()
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    tests, failed, errors, skipped = (int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
    return Totals(passed=max(tests - failed - errors - skipped, 0), failed=failed + errors, skipped=skipped)


def templates() -> tuple[Check, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", "templates/*.html", "*/templates/*.html"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = [name for name in listed.split("\0") if name]
    if not names:
        return ()
    return (Check("templates", [str(BIN / "djade"), "--check", "--target-version", "5.2", *names]),)


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
