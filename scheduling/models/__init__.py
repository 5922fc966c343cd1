from scheduling.models.command import Command
from scheduling.models.job import Job, JobEvent, State, move
from scheduling.models.pass_ import Pass
from scheduling.models.request import SubmitRequest
from scheduling.models.run import Allocation, Run

__all__ = ["Allocation", "Command", "Job", "JobEvent", "Pass", "Run", "State", "SubmitRequest", "move"]
