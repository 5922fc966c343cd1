"""What the demo's people do now: jobs that really run on this machine, through the same service as everybody's.

`begin` puts a few jobs on stage when the data are new. `open` plays the opening at the first sign-in: one job that ends
within half a minute, and one that waits for it. `go_on` keeps the stage from falling empty, and steps aside as soon as
anybody waits.
"""

from __future__ import annotations

from dataclasses import dataclass

from accounting.models import Team, User
from portal.kit import clock
from portal.kit.grains import GRAINS_PER_NPU
from portal.kit.locks import named_lock
from scheduling import jobspec
from scheduling.models import Job
from scheduling.queries.site import site_for
from scheduling.services import jobs

BUSY_ENOUGH = 8  # NPUs: below this the stage looks empty

TRAIN = """\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --partition=training
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --gres=npu:{npus}
#SBATCH --time={limit}
#SBATCH --output=logs/%j.out
echo "node $SLURM_JOB_NODELIST, NPUs $ASCEND_RT_VISIBLE_DEVICES"
trap 'echo "asked to stop, checkpoint saved at step $step"; exit 143' TERM
end=$((SECONDS + {seconds}))
step=0
while [ $SECONDS -lt $end ]; do
  step=$((step + 50))
  echo "[$(date +%H:%M:%S)] step $step | loss $((20000 / (step + 40))).$((step % 97)) | 412 ms/step"
  sleep 2 & wait $!
done
echo "done after $step steps"
"""

OUT_OF_MEMORY = """\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --partition=training
#SBATCH --nodes=1
#SBATCH --gres=npu:{npus}
#SBATCH --time={limit}
#SBATCH --output=logs/%j.out
echo "loading checkpoint, 13 billion parameters"
sleep {seconds}
echo "step 212: rank 3 asks for 4.2 GB, 1.1 GB of 64 GB is free on NPU $ASCEND_RT_VISIBLE_DEVICES" >&2
echo "RuntimeError: NPU out of memory. A smaller micro-batch or recomputation is the usual remedy." >&2
exit 1
"""


@dataclass(frozen=True, slots=True)
class Act:
    user: str
    team: str
    project: str
    name: str
    npus: int
    limit: str
    seconds: int
    script: str = TRAIN

    def text(self) -> str:
        return self.script.format(name=self.name, npus=self.npus, limit=self.limit, seconds=self.seconds)


FIRST = (
    Act("linyue", "nlp", "longctx", "qwen-7b-longctx", 4, "10", 530),
    Act("gaofei", "vision", "detection", "det-swin-l", 3, "8", 430),
    Act("zhukai", "recommendation", "ranking", "dlrm-ctr-daily", 1, "9", 500),
    Act("heping", "speech", "asr", "asr-conformer-xl", 1, "7", 390),
    Act("linyue", "nlp", "sft", "sft-qa-zh", 1, "5", 2, OUT_OF_MEMORY),
)
SHORT = Act("luojun", "speech", "tts", "tts-hifi-24k", 3, "1", 24)
WAITER = Act("linyue", "nlp", "eval", "ceval-full", 5, "2", 45)
GOES_ON = (
    Act("gaofei", "vision", "detection", "det-yolo-x", 3, "6", 330),
    Act("heping", "speech", "tts", "tts-vits-multi", 2, "5", 270),
    Act("linyue", "nlp", "longctx", "rope-scale", 4, "7", 390),
    Act("zhukai", "recommendation", "ranking", "two-tower-v5", 1, "4", 200),
)


def _play(act: Act) -> Job:
    user, team = User.objects.get(username=act.user), Team.objects.get(slug=act.team)
    reading = jobspec.read(act.text(), site_for(user, team))
    return jobs.submit(user, team=team, project=team.projects.get(slug=act.project), reading=reading)


def begin() -> None:
    for act in FIRST:
        _play(act)


def open_once() -> bool:
    """Played at the first sign-in; of two at once the lock lets one play."""
    if Job.objects.filter(name=WAITER.name).exists():
        return False
    with named_lock("portal.demo_opening", wait=True):
        if Job.objects.filter(name=WAITER.name).exists():
            return False
        _play(SHORT)
        _play(WAITER)
    return True


def go_on() -> int:
    """Submits what the stage lacks, and nothing while anybody waits. Returns how many jobs."""
    if Job.objects.waiting().exists():
        return 0
    busy = sum(Job.objects.holding().values_list("grains", flat=True)) // GRAINS_PER_NPU
    if busy >= BUSY_ENOUGH:
        return 0
    turn = clock.epoch(clock.now()) // 60 % len(GOES_ON)
    _play(GOES_ON[turn])
    return 1
