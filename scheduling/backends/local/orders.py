"""From an order to the folder of its run: the environment, the programs of the job, the instructions."""

from __future__ import annotations

import os
import shlex

from scheduling.backends.base import BackendError, Order, Place
from scheduling.backends.local import hostlist, launch, layout, paths, process, signals, state
from scheduling.backends.local.instructions import Instructions

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def prepare(order: Order, *, run: state.RunFolder, job_folder: str, cluster: str, python: str) -> None:
    """Safe to be done twice and at once by two workers: each file is replaced whole and the order comes last."""
    instructions = _instruct(order, run=run, job_folder=job_folder, cluster=cluster)
    run.make()
    os.makedirs(job_folder, mode=0o700, exist_ok=True)
    state.replace(run.script, order.script.encode("utf-8", "surrogateescape"), mode=0o700)
    for program in ("srun", "scontrol"):
        command = launch.command(program, run.path, python=python)
        text = f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'
        state.replace(os.path.join(run.programs, program), text.encode(), mode=0o700)
    instructions.save(run)


def _instruct(order: Order, *, run: state.RunFolder, job_folder: str, cluster: str) -> Instructions:
    nodes = _nodes(order.places)
    tasks = _tasks(order, nodes=len(nodes))
    first = nodes[0][0]
    output = _log_path(order.output, order=order, node=first, folder=job_folder)
    error = None if order.error is None else _log_path(order.error, order=order, node=first, folder=job_folder)
    try:
        warning = signals.request(order.signal) if order.signal else None
    except signals.UnknownSignal as exc:
        raise BackendError("refused", f"unknown signal {order.signal}", retryable=False) from exc
    return Instructions(
        run=str(order.run),
        job=order.job,
        name=order.name,
        user=order.user,
        folder=job_folder,
        output=output,
        error=None if error == output else error,
        environment=_environment(order, nodes=nodes, tasks=tasks, run=run, job_folder=job_folder, cluster=cluster),
        nodes=nodes,
        tasks=tasks,
        tasks_per_node=order.tasks_per_node,
        array_index=order.array_index,
        time_limit=order.time_limit_seconds,
        grace=order.grace_seconds,
        warning=warning,
    )


def _nodes(places: tuple[Place, ...]) -> list[tuple[str, list[int]]]:
    if not places:
        raise BackendError("refused", "an order names at least one node", retryable=False)
    npus: dict[str, set[int]] = {}
    for place in places:
        npus.setdefault(place.node, set()).update(place.npus)
    return [(node, sorted(ids)) for node, ids in npus.items()]


def _tasks(order: Order, *, nodes: int) -> int:
    """--ntasks-per-node alone gives the number of tasks; without either there is one task for each node."""
    if order.tasks_per_node and order.tasks <= 1:
        return order.tasks_per_node * nodes
    return max(order.tasks, nodes)


def _log_path(pattern: str, *, order: Order, node: str, folder: str) -> str:
    path = paths.expand(
        pattern,
        job=order.job,
        name=order.name,
        user=order.user,
        node=node,
        array_index=order.array_index,
    )
    try:
        return paths.confine(path, folder=folder)
    except paths.OutsideFolder as exc:
        raise BackendError("refused", f"output path outside the job's folder: {pattern}", retryable=False) from exc


def _environment(
    order: Order,
    *,
    nodes: list[tuple[str, list[int]]],
    tasks: int,
    run: state.RunFolder,
    job_folder: str,
    cluster: str,
) -> dict[str, str]:
    """All that the script sees. Nothing is taken from the portal's own environment: it holds secrets."""
    given = {name: value for name, value in order.environment.items() if _can_stand(name, value)}
    path = f"{run.programs}:{given.get('PATH', SYSTEM_PATH)}"
    names = hostlist.fold([node for node, _ in nodes])
    cpus = [sum(place.cpus for place in order.places if place.node == node) or 1 for node, _ in nodes]
    memory = max(place.memory_mb for place in order.places)
    made: dict[str, object] = {
        "HOME": job_folder,
        "LANG": "C.UTF-8",
        "LOGNAME": order.user,
        "USER": order.user,
        "SHELL": "/bin/bash",
        "TMPDIR": run.temporary,
        "SLURM_CLUSTER_NAME": cluster,
        "SLURM_JOB_ID": order.job,
        "SLURM_JOBID": order.job,
        "SLURM_JOB_NAME": order.name,
        "SLURM_JOB_USER": order.user,
        "SLURM_JOB_UID": os.getuid(),
        "SLURM_JOB_GID": os.getgid(),
        "SLURM_JOB_ACCOUNT": order.team,
        "SLURM_JOB_PARTITION": order.partition,
        "SLURM_JOB_NODELIST": names,
        "SLURM_NODELIST": names,
        "SLURM_JOB_NUM_NODES": len(nodes),
        "SLURM_NNODES": len(nodes),
        "SLURM_JOB_CPUS_PER_NODE": layout.fold_counts(cpus),
        "SLURM_CPUS_ON_NODE": cpus[0],
        "SLURM_CPUS_PER_TASK": order.cpus_per_task,
        "SLURM_NTASKS": tasks,
        "SLURM_NPROCS": tasks,
        "SLURM_TASKS_PER_NODE": layout.fold_counts(layout.distribute(tasks, len(nodes))),
        "SLURM_SUBMIT_DIR": job_folder,
        "SLURMD_NODENAME": nodes[0][0],
        "SLURM_NODEID": 0,
        "SLURM_PROCID": 0,
        "SLURM_LOCALID": 0,
        "ASCEND_RT_VISIBLE_DEVICES": layout.npu_list(nodes[0][1]),
    }
    if order.tasks_per_node:
        made["SLURM_NTASKS_PER_NODE"] = order.tasks_per_node
    if memory:
        made["SLURM_MEM_PER_NODE"] = memory
    if order.attempt > 1:
        made["SLURM_RESTART_COUNT"] = order.attempt - 1
    if order.array_index is not None:
        made |= {"SLURM_ARRAY_JOB_ID": order.job, "SLURM_ARRAY_TASK_ID": order.array_index}
    made |= {"PATH": path, process.RUN_MARK: order.run}
    return given | {name: str(value) for name, value in made.items()}


def _can_stand(name: str, value: str) -> bool:
    return bool(name) and "=" not in name and "\0" not in name + value
