"""When waiting jobs will start: the engine itself run ahead, everything else staying as it is.

Running jobs end by their limits and started ones after their own. Between two ends nothing can start, so time jumps
from end to end. A job without a limit never ends here. What is shown is exact under these assumptions: with no new
arrivals each shown start comes true.

The work is bounded by time ahead and by how often a lane is looked at closely; both cut the future off, never the
queue, since a job that was left out could take what another was promised. Beyond the cut starts are unknown.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from scheduling.engine.admission import Admission, Admitted
from scheduling.engine.decisions import Assumption, Expected
from scheduling.engine.lending import Ledger, derive
from scheduling.engine.order import Queue
from scheduling.engine.situation import Waiting
from scheduling.engine.state import Holding, PoolState

HORIZON_SECONDS = 60 * 86_400
MOST_LOOKS = 12_000
"""One or two tenths of a second."""
MOST_STEPS = 2_000

UNKNOWN = Expected(at=None, assumption=Assumption.UNKNOWN)


class Forecast:
    """Runs the pool's state ahead, so it is used up by it: nothing else may be read from that state afterwards."""

    def __init__(self, state: PoolState, queue: Queue, *, later: Iterable[Waiting], now: int) -> None:
        """`later`: jobs that may only start from their `not_before` on."""
        self._state = state
        self._queue = queue
        self._later = sorted(((job.not_before or 0, job.id, job) for job in later), key=lambda entry: entry[:2])
        self._now = now
        self._ends = [(job.ends, job.job) for job in state.running.values() if job.ends is not None]
        heapq.heapify(self._ends)
        self._last_holder: dict[tuple[int, int], int] = {}
        self.expected: dict[int, Expected] = {}
        """By job, in the order of the starts; who is missing has no known start."""

        self.foreseen: Ledger | None = None
        """As the watched job starts."""

    def run(self, *, watched: int | None = None) -> None:
        """To the end of what is knowable, or until the watched job has started."""
        admission = Admission(self._state)
        for _ in range(MOST_STEPS):
            at = self._next_moment()
            if at is None or at > self._now + HORIZON_SECONDS or admission.looks > MOST_LOOKS:
                return
            ended = self._end_all(at)
            self._let_in(at)
            for admitted in admission.admit(self._queue.lanes, at=at):
                self._note(admitted, ended=ended, at=at)
            if watched in self.expected:
                self.foreseen = derive(self._state)
                return

    def _next_moment(self) -> int | None:
        if not self._later and all(lane.first is None for lane in self._queue.lanes):
            return None
        moments = [*(ends for ends, _ in self._ends[:1]), *(begins for begins, _, _ in self._later[:1])]
        return min(moments, default=None)

    def _end_all(self, at: int) -> list[Holding]:
        ended: list[Holding] = []
        while self._ends and self._ends[0][0] <= at:
            holding = self._state.release(heapq.heappop(self._ends)[1])
            ended.append(holding)
            for part in holding.held:
                for npu in part.npus:
                    self._last_holder[part.node, npu] = holding.job
        return ended

    def _let_in(self, at: int) -> None:
        while self._later and self._later[0][0] <= at:
            self._queue.add([self._later.pop(0)[2]])

    def _note(self, admitted: Admitted, *, ended: Sequence[Holding], at: int) -> None:
        holding = admitted.holding
        if holding.ends is not None:
            heapq.heappush(self._ends, (holding.ends, holding.job))
        self.expected[holding.job] = Expected(
            at=at, assumption=Assumption.RUNNING_LIMITS, after=self._waited_for(holding, ended)
        )

    def _waited_for(self, starting: Holding, ended: Sequence[Holding]) -> tuple[int, ...]:
        """Whose NPUs it gets, and last the job with whose end it could start."""
        npus = [(part.node, npu) for part in starting.held for npu in part.npus]
        before = [self._last_holder[npu] for npu in npus if npu in self._last_holder]
        if not ended:
            return tuple(sorted(set(before)))
        decisive = max(ended, key=lambda job: (before.count(job.job), job.team == starting.team, -job.job)).job
        return (*sorted(set(before) - {decisive}), decisive)
