from __future__ import annotations

import re

import pytest

from scheduling.backends.base import Place
from scheduling.backends.local import LocalBackend
from tests.backends import make

TWO = (Place(node="npu-01", npus=(3, 1), cpus=8, memory_mb=4096), Place(node="npu-02", npus=(7,), cpus=8))
SHELL_S_OWN = {"PWD", "SHLVL", "_", "OLDPWD"}
EXPECTED = [
    "ASCEND_RT_VISIBLE_DEVICES",
    "HOME",
    "LANG",
    "LOGNAME",
    "NPU_PORTAL_RUN",
    "PATH",
    "SHELL",
    "SLURMD_NODENAME",
    "SLURM_CLUSTER_NAME",
    "SLURM_CPUS_ON_NODE",
    "SLURM_CPUS_PER_TASK",
    "SLURM_JOBID",
    "SLURM_JOB_ACCOUNT",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_JOB_GID",
    "SLURM_JOB_ID",
    "SLURM_JOB_NAME",
    "SLURM_JOB_NODELIST",
    "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_PARTITION",
    "SLURM_JOB_UID",
    "SLURM_JOB_USER",
    "SLURM_LOCALID",
    "SLURM_NNODES",
    "SLURM_NODEID",
    "SLURM_NODELIST",
    "SLURM_NPROCS",
    "SLURM_NTASKS",
    "SLURM_PROCID",
    "SLURM_SUBMIT_DIR",
    "SLURM_TASKS_PER_NODE",
    "SLURM_TASK_PID",
    "TMPDIR",
    "USER",
]


def _seen(local: LocalBackend, **changes: object) -> dict[str, str]:
    order = make.order("env", **changes)
    make.run(local, order)
    lines = make.output(local, order).splitlines()
    found = dict(line.partition("=")[::2] for line in lines)
    return {name: value for name, value in found.items() if name not in SHELL_S_OWN}


def test_nothing_of_the_portal_s_environment_reaches_a_job(
    local: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOO_SECRET", "hunter2")
    monkeypatch.setenv("PYTHONPATH", "/portal")
    seen = _seen(local)
    assert sorted(seen) == EXPECTED
    assert "hunter2" not in str(seen)


def test_two_nodes_look_as_under_slurm(local: LocalBackend) -> None:
    seen = _seen(local, places=TWO, tasks=16, tasks_per_node=8, cpus_per_task=4, attempt=3)
    wanted = {
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_NODELIST": "npu-[01-02]",
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_NTASKS": "16",
        "SLURM_NTASKS_PER_NODE": "8",
        "SLURM_TASKS_PER_NODE": "8(x2)",
        "SLURM_JOB_CPUS_PER_NODE": "8(x2)",
        "SLURM_CPUS_PER_TASK": "4",
        "SLURM_MEM_PER_NODE": "4096",
        "SLURM_JOB_ACCOUNT": "nlp",
        "SLURM_JOB_USER": "alice",
        "SLURM_RESTART_COUNT": "2",
        "SLURMD_NODENAME": "npu-01",
        "ASCEND_RT_VISIBLE_DEVICES": "1,3",
    }
    assert {name: seen.get(name) for name in wanted} == wanted


def test_tasks_per_node_alone_gives_the_number_of_tasks(local: LocalBackend) -> None:
    assert _seen(local, places=TWO, tasks_per_node=4)["SLURM_NTASKS"] == "8"


def test_without_a_number_each_node_has_one_task(local: LocalBackend) -> None:
    assert _seen(local, places=TWO)["SLURM_NTASKS"] == "2"


def test_array_index_is_told(local: LocalBackend) -> None:
    seen = _seen(local, array_index=5)
    assert (seen["SLURM_ARRAY_JOB_ID"], seen["SLURM_ARRAY_TASK_ID"]) == ("7", "5")


def test_job_without_npus_sees_none(local: LocalBackend) -> None:
    assert _seen(local, places=(Place(node="npu-01", npus=()),))["ASCEND_RT_VISIBLE_DEVICES"] == ""


def test_given_variables_reach_the_job_but_cannot_lie_about_it(local: LocalBackend) -> None:
    seen = _seen(local, environment={"GLOG_v": "2", "SLURM_JOB_ID": "1", "PATH": "/opt/bin:/usr/bin:/bin"})
    assert (seen["GLOG_v"], seen["SLURM_JOB_ID"]) == ("2", "7")
    assert re.fullmatch(r"/.*/bin:/opt/bin:/usr/bin:/bin", seen["PATH"])


def test_home_and_working_folder_are_the_job_s(local: LocalBackend) -> None:
    order = make.order("echo $HOME $PWD $SLURM_SUBMIT_DIR; umask")
    make.run(local, order)
    assert make.output(local, order) == " ".join([str(local.root / "jobs" / "7")] * 3) + "\n0022\n"


def test_no_descriptor_is_inherited(local: LocalBackend) -> None:
    order = make.order("#!/bin/sh\nexec ls /proc/self/fd\n")
    make.run(local, order)
    assert make.output(local, order).split() == ["0", "1", "2", "3"]  # 3 is the folder that ls reads


def test_scontrol_unfolds_the_node_list(local: LocalBackend) -> None:
    order = make.order("scontrol show hostnames $SLURM_JOB_NODELIST; scontrol reboot", places=TWO)
    assert make.run(local, order).exit_code == 1
    assert make.output(local, order).startswith("npu-01\nnpu-02\nscontrol: error: ")
