from __future__ import annotations

import os
from pathlib import Path

import pytest

from scheduling.backends.base import BackendError, Ending
from scheduling.backends.local import LocalBackend, paths
from tests.backends import make

PATTERNS = {
    "slurm-%j.out": "slurm-7.out",
    "%5j-%10j": "00007-0000000007",
    "%99j": "0000000007",
    "%A_%a": "7_4294967294",
    "%x.%u@%N": "train.alice@npu-01",
    "%3n %2t %s": "000 00 batch",
    "%J": "7.batch",
    "100%%": "100%",
    "%5x": "train",
    "%q %": "%q %",
    r"\%j": "%j",
    "日志_%j.out": "日志_7.out",
}


@pytest.mark.parametrize(("pattern", "wanted"), PATTERNS.items())
def test_pattern(pattern: str, wanted: str) -> None:
    assert paths.expand(pattern, job=7, name="train", user="alice", node="npu-01") == wanted


def test_pattern_of_an_array() -> None:
    made = paths.expand("%A_%4a.%b", job=7, name="x", user="y", node="z", array_index=12)
    assert made == "7_0012.2"


CONFINED = {
    "logs/7.out": "logs/7.out",
    "./a//b.out": "a/b.out",
    "/home/alice/7.out": "home/alice/7.out",
    "/root/jobs/7/logs/7.out": "logs/7.out",
    "/dev/null": "",
    "..a/b..": "..a/b..",
}


@pytest.mark.parametrize(("path", "wanted"), CONFINED.items())
def test_path_stays_in_the_job_s_folder(path: str, wanted: str) -> None:
    assert paths.confine(path, folder="/root/jobs/7") == wanted


@pytest.mark.parametrize("path", ["../x", "a/../../x", "..", "", "/", "logs/", "a\0b", "/root/jobs/7/../8/x"])
def test_path_that_leads_out_is_refused(path: str) -> None:
    with pytest.raises(paths.OutsideFolder):
        paths.confine(path, folder="/root/jobs/7")


def test_folders_of_the_logs_are_made(local: LocalBackend) -> None:
    make.run(local, make.order("echo out; echo err >&2", output="logs/a/%j.out", error="logs/b/%j.err"))
    folder = local.root / "jobs" / "7" / "logs"
    assert ((folder / "a/7.out").read_text(), (folder / "b/7.err").read_text()) == ("out\n", "err\n")


def test_streams_are_apart_where_asked_and_together_else(local: LocalBackend) -> None:
    apart = make.order("echo out; echo err >&2", error="e")
    together = make.order("echo out; echo err >&2", job=8)
    same_file = make.order("echo out; echo err >&2", job=9, output="f", error="f")
    for order in (apart, together, same_file):
        make.run(local, order)
    assert (make.output(local, apart), make.output(local, apart, "error")) == ("out\n", "err\n")
    assert (make.output(local, together), make.output(local, same_file)) == ("out\nerr\n", "out\nerr\n")


@pytest.mark.parametrize("pattern", ["../%j.out", "logs/../../x", "%x"])
def test_output_that_leads_out_is_refused_before_anything_is_made(local: LocalBackend, pattern: str) -> None:
    order = make.order(output=pattern, name="../../evil")
    with pytest.raises(BackendError) as refusal:
        local.submit(order)
    assert not refusal.value.retryable
    assert not local.root.exists()


def test_symbolic_link_does_not_lead_the_log_out(local: LocalBackend, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    folder = local.root / "jobs" / "7"
    folder.mkdir(parents=True)
    (folder / "logs").symlink_to(tmp_path / "outside")
    seen = make.run(local, make.order("echo ran", output="logs/%j.out"))
    assert (seen.ending, seen.reason) == (Ending.FAILED, "output_path")
    assert os.listdir(tmp_path / "outside") == []


def test_link_in_place_of_the_log_is_replaced_not_followed(local: LocalBackend, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep")
    folder = local.root / "jobs" / "7"
    folder.mkdir(parents=True)
    (folder / "7.out").symlink_to(tmp_path / "precious")
    make.run(local, make.order("echo ran", output="%j.out"))
    assert ((tmp_path / "precious").read_text(), (folder / "7.out").read_text()) == ("keep", "ran\n")


def test_script_cannot_make_the_portal_read_another_file(local: LocalBackend, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2")
    order = make.order(f'ln -sf {tmp_path}/secret "$(dirname $0)/output.log"; ln -sf {tmp_path}/secret slurm-7.out')
    make.run(local, order)
    assert not local.log(make.ref(order), "output", offset=0, limit=100).exists


def test_each_attempt_keeps_its_log(local: LocalBackend) -> None:
    first = make.order("echo first > kept; echo one")
    second = make.order("cat kept; echo two", attempt=2)
    make.run(local, first)
    make.run(local, second)
    assert (make.output(local, first), make.output(local, second)) == ("one\n", "first\ntwo\n")
    assert (local.root / "jobs" / "7" / "slurm-7.out").read_text() == "first\ntwo\n"


def test_output_to_nowhere(local: LocalBackend) -> None:
    order = make.order("echo lost", output="/dev/null")
    assert make.run(local, order).exit_code == 0
    assert not local.log(make.ref(order), "output", offset=0, limit=10).exists
