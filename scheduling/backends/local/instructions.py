"""order.json: an order made plain for the programs that carry it out. All thinking is done before it is written."""

from __future__ import annotations

import json

from scheduling.backends.local import state


class Instructions:
    def __init__(
        self,
        *,
        run: str,
        job: int,
        name: str,
        user: str,
        folder: str,
        output: str,
        error: str | None,
        environment: dict[str, str],
        nodes: list[tuple[str, list[int]]],
        tasks: int,
        tasks_per_node: int | None,
        array_index: int | None,
        time_limit: int | None,
        grace: int,
        warning: tuple[str, int, int] | None,
    ) -> None:
        self.run = run
        self.job = job
        self.name = name
        self.user = user
        self.folder = folder
        """Working folder of the job; `output` and `error` are relative to it."""
        self.output = output
        """Empty: nowhere."""
        self.error = error
        """None: into the same file as output."""
        self.environment = environment
        self.nodes = nodes
        """Each node with the physical ids of the run's NPUs there."""
        self.tasks = tasks
        self.tasks_per_node = tasks_per_node
        self.array_index = array_index
        self.time_limit = time_limit
        self.grace = grace
        self.warning = warning
        """Whom to signal ("batch" or "steps"), with which number, how many seconds before the limit."""

    def save(self, run: state.RunFolder) -> None:
        """Comes last: a run folder with an order is complete."""
        state.replace(run.order, json.dumps(vars(self)).encode())

    @classmethod
    def load(cls, run: state.RunFolder) -> Instructions:
        found = state.read_json(run.order)
        if found is None:
            raise FileNotFoundError(run.order)
        try:
            order = cls(**found)
        except TypeError as exc:
            raise state.Unreadable(run.order) from exc
        if type(order.job) is not int or not isinstance(order.name, str) or not isinstance(order.warning, list | None):
            raise state.Unreadable(run.order)
        return order
