"""A small srun: starts the tasks of one step inside a run of the local backend, all on this machine."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time

from scheduling.backends.local import hostlist, layout, paths, process, srun_options
from scheduling.backends.local.execute import execute
from scheduling.backends.local.instructions import Instructions
from scheduling.backends.local.labels import Labels
from scheduling.backends.local.srun_options import Mistake, Options
from scheduling.backends.local.state import RunFolder

FORWARDED = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCONT,
)
KILL_WAIT = 2.0
"""Seconds between SIGTERM and SIGKILL when --kill-on-bad-exit ends the other tasks."""


class Task:
    def __init__(self, *, rank: int, local: int, node_index: int, node: str, npus: list[int]) -> None:
        self.rank = rank
        self.local = local
        self.node_index = node_index
        self.node = node
        self.npus = npus
        self.pid = 0
        self.status: int | None = None


def main(arguments: list[str]) -> None:
    run = RunFolder(arguments[0])
    order = Instructions.load(run)
    try:
        options = srun_options.read(arguments[1:])
        tasks = plan(options, order)
        srun_options.note_ignored(options)
        sys.exit(Step(run=run, order=order, options=options, tasks=tasks).carry_out())
    except Mistake as exc:
        sys.stderr.write(f"srun: error: {exc}\n")
        sys.exit(255 if "option" in str(exc) else 1)


def plan(options: Options, order: Instructions) -> list[Task]:
    nodes = [(name, npus) for name, npus in order.nodes]
    if "nodelist" in options.values:
        wanted = hostlist.expand(options.values["nodelist"])
        nodes = [each for each in nodes if each[0] in wanted]
        if len(nodes) != len(set(wanted)):
            raise Mistake("Unable to create step for job: Requested node configuration is not available")
    asked_nodes, each, total = (options.number(name) for name in ("nodes", "ntasks-per-node", "ntasks"))
    if asked_nodes is not None:
        if asked_nodes > len(nodes):
            raise Mistake("Unable to create step for job: More processors requested than permitted")
        nodes = nodes[:asked_nodes]
    if total is None:
        fewer = len(nodes) < len(order.nodes)
        total = each * len(nodes) if each else len(nodes) * (order.tasks_per_node or 1) if fewer else order.tasks
    nodes = nodes[:total]
    ranks = itertools.count()
    return [
        Task(rank=next(ranks), local=local, node_index=index, node=node, npus=npus)
        for index, ((node, npus), count) in enumerate(zip(nodes, layout.distribute(total, len(nodes)), strict=True))
        for local in range(count)
    ]


class Step:
    def __init__(self, *, run: RunFolder, order: Instructions, options: Options, tasks: list[Task]) -> None:
        self.run = run
        self.order = order
        self.options = options
        self.tasks = tasks
        self.number = self._take_number()
        self.environment = self._common_environment()
        self.labels = Labels(width=len(str(len(tasks) - 1)))
        self.kill_at: float | None = None

    def carry_out(self) -> int:
        signal.pthread_sigmask(signal.SIG_BLOCK, (*FORWARDED, signal.SIGCHLD))
        for task in self.tasks:
            self._start(task)
        self.labels.start()
        while any(task.status is None for task in self.tasks):
            self._wait()
        self.labels.finish()
        return max(_exit_code(task) for task in self.tasks)

    def _take_number(self) -> int:
        for number in itertools.count():
            try:
                os.mkdir(os.path.join(self.run.steps, str(number)))
            except FileExistsError:
                continue
            return number
        raise AssertionError("counting ends never")

    def _common_environment(self) -> dict[str, str]:
        nodes = list(dict.fromkeys(task.node for task in self.tasks))
        counts = [sum(task.node == node for task in self.tasks) for node in nodes]
        names = hostlist.fold(nodes)
        made = {
            "SLURM_STEPID": str(self.number),
            process.STEP_MARK: str(self.number),
            "SLURM_STEP_NODELIST": names,
            "SLURM_STEP_NUM_NODES": str(len(nodes)),
            "SLURM_STEP_NUM_TASKS": str(len(self.tasks)),
            "SLURM_STEP_TASKS_PER_NODE": layout.fold_counts(counts),
            "SLURM_NNODES": str(len(nodes)),
            "SLURM_NTASKS": str(len(self.tasks)),
            "SLURM_NPROCS": str(len(self.tasks)),
            "SLURM_TASKS_PER_NODE": layout.fold_counts(counts),
        }
        cpus = self.options.number("cpus-per-task")
        if cpus is not None:
            made["SLURM_CPUS_PER_TASK"] = str(cpus)
        return dict(os.environ) | made

    def _start(self, task: Task) -> None:
        pipes = [os.pipe(), os.pipe()] if self.options.is_set("label") else []
        child = os.fork()
        if child == 0:
            self._become(task, pipes)
        task.pid = child
        for (reader, writer), target in zip(pipes, (1, 2), strict=False):
            os.close(writer)
            self.labels.copy(reader, rank=task.rank, target=target)

    def _become(self, task: Task, pipes: list[tuple[int, int]]) -> None:
        program = self.options.command[0]
        try:
            if len(self.tasks) > 1:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for (_, writer), target in zip(pipes, (1, 2), strict=False):
                os.dup2(writer, target)
            self._open_outputs(task)
            if "chdir" in self.options.values:
                os.chdir(self.options.values["chdir"])
            environment = self.environment | {
                "SLURM_PROCID": str(task.rank),
                "SLURM_LOCALID": str(task.local),
                "SLURM_NODEID": str(task.node_index),
                "SLURMD_NODENAME": task.node,
                "ASCEND_RT_VISIBLE_DEVICES": layout.npu_list(task.npus),
            }
            execute(program, self.options.command, environment)
        except (OSError, paths.OutsideFolder) as exc:
            code = getattr(exc, "errno", None) or 1
            reason = os.strerror(code) if isinstance(exc, OSError) else "output path outside the job's folder"
            os.write(2, f"slurmstepd: error: execve(): {program}: {reason}\n".encode())
            os._exit(code)
        finally:
            os._exit(1)

    def _open_outputs(self, task: Task) -> None:
        for name, targets in (("output", (1,) if "error" in self.options.values else (1, 2)), ("error", (2,))):
            if name not in self.options.values:
                continue
            path = paths.expand(
                self.options.values[name],
                job=self.order.job,
                name=self.order.name,
                user=self.order.user,
                node=task.node,
                node_index=task.node_index,
                task=task.rank,
                step=str(self.number),
                array_index=self.order.array_index,
            )
            here = path if path.startswith("/") else os.path.join(os.getcwd(), path)
            relative = paths.confine(path if path == paths.DISCARD else here, folder=self.order.folder)
            file = paths.open_inside(relative, folder=self.order.folder) if relative else os.open(path, os.O_WRONLY)
            for target in targets:
                os.dup2(file, target)

    def _wait(self) -> None:
        for task in self.tasks:
            if task.status is None:
                pid, status = os.waitpid(task.pid, os.WNOHANG)
                if pid:
                    task.status = status
                    self._judge(task)
        if all(task.status is not None for task in self.tasks):
            return
        if self.kill_at is not None and time.monotonic() >= self.kill_at:
            self._send(signal.SIGKILL)
        got = signal.sigtimedwait((*FORWARDED, signal.SIGCHLD), 3600.0 if self.kill_at is None else 0.1)
        if got is not None and got.si_signo != signal.SIGCHLD and not self._from_supervisor(got.si_pid):
            self._send(got.si_signo)

    def _judge(self, task: Task) -> None:
        code = os.waitstatus_to_exitcode(task.status or 0)
        if code == 0:
            return
        how = f"Exited with exit code {code}" if code > 0 else signal.strsignal(-code) or f"Signal {-code}"
        sys.stderr.write(f"srun: error: {task.node}: task {task.rank}: {how}\n")
        if self.options.is_set("kill-on-bad-exit") and self.kill_at is None:
            self.kill_at = time.monotonic() + KILL_WAIT
            self._send(signal.SIGTERM)

    def _from_supervisor(self, sender: int) -> bool:
        """It signals each process of the job by itself: passed on, the tasks would get the same signal twice."""
        started = self.run.started()
        return started is not None and started.pid == sender

    def _send(self, number: int) -> None:
        for task in self.tasks:
            if task.status is None:
                os.kill(task.pid, number)


def _exit_code(task: Task) -> int:
    code = os.waitstatus_to_exitcode(task.status or 0)
    return code if code >= 0 else 128 - code
