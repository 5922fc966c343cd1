from __future__ import annotations

import pytest

from scheduling.backends.base import Ending, Observation, Place
from scheduling.backends.local import LocalBackend
from tests.backends import make

NODES = (Place(node="npu-01", npus=(0, 1), cpus=8), Place(node="npu-02", npus=(2, 3), cpus=8))


def _srun(local: LocalBackend, command: str, **changes: object) -> tuple[Observation, list[str]]:
    order = make.order(f"srun {command}", **({"places": NODES} | changes))
    return make.run(local, order), make.output(local, order).splitlines()


def test_sixteen_tasks_on_two_nodes_know_their_places(local: LocalBackend) -> None:
    show = "bash -c 'echo $SLURM_PROCID $SLURM_LOCALID $SLURM_NODEID $SLURMD_NODENAME $ASCEND_RT_VISIBLE_DEVICES'"
    _, lines = _srun(local, show, tasks=16, tasks_per_node=8)
    first = [f"{rank} {rank} 0 npu-01 0,1" for rank in range(8)]
    second = [f"{rank} {rank - 8} 1 npu-02 2,3" for rank in range(8, 16)]
    assert sorted(lines) == sorted(first + second)


@pytest.mark.parametrize(
    ("options", "tasks"),
    {
        "": 4,
        "-n 3": 3,
        "-n3": 3,
        "--ntasks=5": 5,
        "--ntasks 5": 5,
        "-N1": 2,
        "-N 2 --ntasks-per-node=3": 6,
        "-w npu-02 -n1": 1,
        "--mpi=pmix --export=ALL --cpu-bind=none -u -n 2": 2,
    }.items(),
)
def test_number_of_tasks(local: LocalBackend, options: str, tasks: int) -> None:
    _, lines = _srun(local, f"{options} echo task", tasks=4, tasks_per_node=2)
    assert lines == ["task"] * tasks


def test_uneven_tasks_fill_earlier_nodes_first(local: LocalBackend) -> None:
    _, lines = _srun(local, "-n3 bash -c 'echo $SLURM_PROCID $SLURMD_NODENAME $SLURM_TASKS_PER_NODE'")
    assert sorted(lines) == ["0 npu-01 2,1", "1 npu-01 2,1", "2 npu-02 2,1"]


def test_label_marks_each_line(local: LocalBackend) -> None:
    _, lines = _srun(local, "-l -n2 bash -c 'echo a; echo b >&2'")
    assert sorted(lines) == ["0: a", "0: b", "1: a", "1: b"]


def test_highest_exit_code_is_passed_on(local: LocalBackend) -> None:
    seen, lines = _srun(local, "-n3 bash -c 'exit $SLURM_PROCID'")
    assert seen.exit_code == 2
    assert "srun: error: npu-02: task 2: Exited with exit code 2" in lines


def test_missing_program_is_told_as_slurm_tells_it(local: LocalBackend) -> None:
    seen, lines = _srun(local, "-n1 python-of-nowhere train.py")
    assert seen.exit_code == 2
    assert lines == [
        "slurmstepd: error: execve(): python-of-nowhere: No such file or directory",
        "srun: error: npu-01: task 0: Exited with exit code 2",
    ]


def test_task_killed_by_a_signal_counts_as_in_a_shell(local: LocalBackend) -> None:
    seen, lines = _srun(local, "-n1 bash -c 'kill -9 $$'")
    assert seen.exit_code == 137
    assert lines == ["srun: error: npu-01: task 0: Killed"]


def test_failure_leaves_other_tasks_alone_unless_asked(local: LocalBackend) -> None:
    command = "bash -c '[ $SLURM_PROCID = 0 ] && exit 1; sleep 0.5; echo finished'"
    _, lines = _srun(local, f"-n2 {command}")
    assert "finished" in lines
    seen, lines = _srun(local, f"-n2 -K {command.replace('0.5', '60')}")
    assert "finished" not in lines
    assert seen.exit_code == 143


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("--frobnicate true", 255, "srun: error: unrecognized option '--frobnicate'"),
        ("-n zero true", 1, 'srun: error: Invalid numeric value "zero" for --ntasks.'),
        ("-n 2", 1, "srun: error: No command given to execute."),
        ("-N 3 true", 1, "srun: error: Unable to create step for job: More processors requested than permitted"),
    ],
)
def test_mistakes_are_told(local: LocalBackend, command: str, code: int, message: str) -> None:
    seen, lines = _srun(local, command)
    assert (seen.exit_code, lines) == (code, [message])


def test_unknown_option_with_a_value_is_passed_over_with_a_note(local: LocalBackend) -> None:
    _, lines = _srun(local, "--frobnicate=1 --gres=npu:1 -n1 echo ran")
    assert lines == ["srun: note: ignored here: --frobnicate, --gres", "ran"]


def test_each_task_may_write_its_own_file(local: LocalBackend) -> None:
    _srun(local, "-n2 -o logs/%j-%s-%t-%N.txt bash -c 'echo $SLURM_PROCID'")
    folder = local.root / "jobs" / "7" / "logs"
    assert {file.name: file.read_text() for file in folder.iterdir()} == {
        "7-0-0-npu-01.txt": "0\n",
        "7-0-1-npu-02.txt": "1\n",
    }


def test_task_cannot_write_outside_the_job_s_folder(local: LocalBackend) -> None:
    seen, lines = _srun(local, "-n1 -o ../../escaped.txt true")
    assert seen.exit_code != 0
    assert "output path outside the job's folder" in lines[0]
    assert not (local.root / "escaped.txt").exists()


COUNTS_TERMS = """
import signal, time
signal.signal(signal.SIGTERM, lambda *_: print("term", flush=True))
print("up", flush=True)
time.sleep(1.5)
"""


def test_each_task_gets_a_stop_signal_once(local: LocalBackend) -> None:
    order = make.order(f"trap '' TERM; srun -n2 python3 -c '{COUNTS_TERMS}'", places=NODES)
    local.submit(order)
    make.until(lambda: make.output(local, order).count("up") == 2)
    local.cancel(make.ref(order), grace_seconds=10)
    assert make.ended(local, order).ending == Ending.CANCELLED
    assert make.output(local, order).count("term") == 2


def test_signal_sent_to_srun_reaches_its_tasks(local: LocalBackend) -> None:
    task = 'trap "echo got; exit 0" USR1; echo up; while :; do sleep 0.05; done'
    order = make.order(f"srun -n2 bash -c '{task}' &\nuntil [ -e go ]; do sleep 0.05; done; kill -USR1 $!; wait $!")
    local.submit(order)
    make.until(lambda: make.output(local, order).count("up") == 2)
    (local.root / "jobs" / "7" / "go").touch()
    assert make.ended(local, order).exit_code == 0
    assert make.output(local, order).count("got") == 2
