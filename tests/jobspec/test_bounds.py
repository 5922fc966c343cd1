"""What one script may cost: time to read, and findings to keep. And log files that could never be made."""

from __future__ import annotations

import json
import time

import pytest

from scheduling.backends.local import paths
from scheduling.jobspec import Finding, Kind, Reading, Severity, from_fields, read
from scheduling.jobspec.sbatch import MOST_DIRECTIVES, MOST_FINDINGS
from tests.jobspec.test_sbatch import PORTAL

QUICK = 0.5
"""Seconds of processor time: a fifth on a machine at rest, more where others share its cores."""
SMALL = 200_000


def stored(reading: Reading) -> int:
    return len(json.dumps([each.to_dict() for each in reading.findings]))


def quickly(script: str) -> Reading:
    """The best of three: what else the machine does is not counted."""
    spent = []
    for _ in range(3):
        began = time.process_time()
        reading = read(script, PORTAL)
        spent.append(time.process_time() - began)
    assert min(spent) < QUICK
    return reading


@pytest.mark.parametrize("magic", ["#SBATCH --nonsense", "#PBS -l x=1", "#BSUB -Z", "#SLURM -N1"])
@pytest.mark.parametrize("before", ["", "true\n"], ids=["header", "after a command"])
def test_a_script_of_50000_directives_is_refused_at_once_with_one_finding(magic: str, before: str) -> None:
    reading = quickly("#!/bin/bash\n" + before + f"{magic}\n" * 50_000)
    [only] = reading.findings
    assert (only.kind, only.severity) == (Kind.TOO_MANY_DIRECTIVES, Severity.ERROR)
    assert only.facts == {"directives": 50_000, "limit": MOST_DIRECTIVES}


@pytest.mark.parametrize("line", ["#SBATCH --nonsense=1", "#SBATCH stray", "#SBATCH -N x", "#SBATCH -J a"])
def test_findings_are_bounded_and_counted(line: str) -> None:
    reading = quickly("#!/bin/bash\n" + f"{line}\n" * MOST_DIRECTIVES)
    assert len(reading.findings) == MOST_FINDINGS + 1
    last = reading.findings[-1]
    assert last.kind == Kind.TOO_MANY_FINDINGS
    assert last.facts["shown"] == MOST_FINDINGS
    assert int(last.facts["count"]) >= MOST_DIRECTIVES - 1
    assert stored(reading) < SMALL


@pytest.mark.parametrize("line", [" #SBATCH -N1", "##SBATHC -N1", "#$ -cwd"])
def test_a_megabyte_of_look_alikes_is_read_quickly_into_few_findings(line: str) -> None:
    reading = quickly("#!/bin/bash\n" + f"{line}\n" * (1_000_000 // len(line)))
    assert stored(reading) < SMALL


def test_an_error_among_many_warnings_is_not_left_out() -> None:
    reading = read("#!/bin/bash\n" + "#SBATCH -J a\n" * 500 + "#SBATCH -N x\n", PORTAL)
    assert not reading.accepted
    assert reading.errors[0].line == 502


def test_one_long_value_makes_no_large_finding() -> None:
    reading = quickly("#!/bin/bash\n#SBATCH --time=" + "x" * 900_000 + "\n")
    assert not reading.accepted
    assert stored(reading) < SMALL


def found(directives: str) -> Finding:
    [only] = read(f"#!/bin/bash\n{directives}\ntrue\n", PORTAL).errors
    return only


LONG = "é" * 128
NO_FILE = {
    "--output=x/": Kind.PATH_NAMES_NO_FILE,
    "--output=.": Kind.PATH_NAMES_NO_FILE,
    "--error=./.": Kind.PATH_NAMES_NO_FILE,
    "--output=logs/../x.out": Kind.PATH_OUTSIDE,
    f"--output={LONG}/x": Kind.PATH_PART_TOO_LONG,
    f"--error=x/{LONG}": Kind.PATH_PART_TOO_LONG,
    "--output=%x.out --job-name=../x": Kind.PATH_OUTSIDE,
    "--job-name=.. --output=%x": Kind.PATH_OUTSIDE,
    "--output=logs/%x --job-name=a/": Kind.PATH_NAMES_NO_FILE,
    "--output=/%x --job-name=a": Kind.PATH_OUTSIDE,
    f"--output=%x --job-name={'j' * 256}": Kind.PATH_PART_TOO_LONG,
}


@pytest.mark.parametrize(("options", "kind"), NO_FILE.items())
def test_a_log_file_that_could_never_be_made_is_refused_at_its_line(options: str, kind: Kind) -> None:
    refused = found("# first\n#SBATCH " + options)
    assert (refused.kind, refused.line) == (kind, 3)


def test_so_is_one_given_as_a_field() -> None:
    reading = from_fields({"script": "#!/bin/bash\ntrue\n", "output": "x/"}, PORTAL)
    assert [(each.kind, each.field) for each in reading.errors] == [(Kind.PATH_NAMES_NO_FILE, "output")]


@pytest.mark.parametrize(
    "path", ["x", "a/b/x.out", "./x", "%x-%j.out", "%%", "a//b", "...", "x\\%x", "é" * 127, "%9999j"]
)
def test_what_is_accepted_the_cluster_can_make(path: str) -> None:
    script = f"#!/bin/bash\n#SBATCH --job-name=train --output='{path}'\ntrue\n"
    reading = read(script, PORTAL)
    assert reading.accepted
    assert reading.spec is not None
    made = paths.expand(reading.spec.output, job=1, name="train", user="alice", node="npu-01")
    assert paths.confine(made, folder="/jobs/1")
