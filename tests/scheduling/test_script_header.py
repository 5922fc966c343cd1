"""The form's fields read from a script, and written back without touching anything else."""

from __future__ import annotations

import pytest

from scheduling.forms.header import field_at, fields_of, with_fields
from scheduling.forms.repairs import mended, repaired
from scheduling.jobspec import Site, read

SCRIPT = """#!/bin/bash
# what it is for
#SBATCH --job-name=train   # its name
#SBATCH -N 2 --gres=npu:910b:8,licence:1
#SBATCH --mem=64G

srun python3 train.py
"""
CHANGES = {
    "a value in place, its comment stays": ({"name": "other"}, ("=train ", "=other ")),
    "a short option in a word of its own": ({"nodes": "4"}, ("-N 2", "-N 4")),
    "the number of NPUs, not their type nor other devices": ({"npus": "4"}, ("910b:8", "910b:4")),
    "no NPUs at all": ({"npus": "0"}, ("npu:910b:8,licence", "licence")),
    "an option taken out of a line with others": ({"nodes": ""}, ("#SBATCH -N 2 --gres", "#SBATCH --gres")),
    "an option alone in its line": ({"name": ""}, ("#SBATCH --job-name=train   # its name\n", "")),
    "a new option after the last one": ({"time": "1:00:00"}, ("=64G\n", "=64G\n#SBATCH --time=1:00:00\n")),
    "a value with a blank is quoted": ({"name": 'a "b"'}, ("=train ", '="a \\"b\\"" ')),
    "a line break in a value is none": ({"name": "a\nb"}, ("=train ", '="a b" ')),
    "the commands": ({"command": "echo hello"}, ("srun python3 train.py", "echo hello")),
    "what is the same changes nothing": (fields_of(SCRIPT), ("", "")),
}


@pytest.mark.parametrize(("fields", "change"), CHANGES.values(), ids=CHANGES.keys())
def test_only_what_changed_is_written(fields: dict[str, str], change: tuple[str, str]) -> None:
    assert with_fields(SCRIPT, fields) == SCRIPT.replace(*change)


def test_what_is_written_is_read_again() -> None:
    wanted = {"name": "x y", "partition": "training", "nodes": "2-4", "npus": "8", "tasks_per_node": "8",
              "cpus_per_task": "4", "time": "1-00:00:00", "output": "logs/%j.out", "command": "true\n\nfalse"}  # fmt: skip
    assert fields_of(with_fields("", wanted)) == wanted


def test_a_script_without_a_header_gets_one() -> None:
    assert with_fields("#!/bin/sh\ntrue\n", {"npus": "2"}) == "#!/bin/sh\n#SBATCH --gres=npu:2\ntrue\n"
    assert with_fields("", {"npus": "2"}).startswith("#!/bin/bash\n#SBATCH --gres=npu:2\n")


def test_an_option_given_twice_is_taken_out_twice() -> None:
    assert with_fields("#!/bin/sh\n#SBATCH -t 1\n#SBATCH --time=2\ntrue\n", {"time": ""}) == "#!/bin/sh\ntrue\n"


def test_a_place_in_the_script_has_its_field() -> None:
    assert field_at(SCRIPT, line=4, column=12) == "nodes"
    assert field_at(SCRIPT, line=4, column=14) == "npus"
    assert field_at(SCRIPT, line=5, column=9) == ""
    assert field_at(SCRIPT, line=7, column=1) == ""


def test_repairs_are_made_together() -> None:
    text = "#!/bin/bash\n#SBATCH --nodes=２ --time=90m\ntrue\n"
    found = [finding for finding in read(text, Site()).findings if finding.repair is not None]
    assert mended(text, found) == "#!/bin/bash\n#SBATCH --nodes=2 --time=01:30:00\ntrue\n"


def test_a_repair_of_another_text_changes_nothing() -> None:
    finding = read("#!/bin/bash\n\n\n\n#SBATCH --nodes=２\n", Site()).errors[0]
    assert repaired("#!/bin/bash\n", finding) == "#!/bin/bash\n"
