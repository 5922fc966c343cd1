"""The gallery of the submit page: presets that come with the portal. Their scripts are files in `scheduling/presets`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.kit.errors import NotFound

FOLDER = Path(__file__).resolve().parent.parent / "presets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    slug: str
    title: Promise
    about: Promise
    icon: str
    nodes: int
    npus: int
    """In all."""
    seconds: int
    """Its time limit."""
    lasts: Promise
    runs_here: bool = True
    """On the built-in backend, where there is neither the toolkit nor anybody's data."""

    @property
    def script(self) -> str:
        return _script(self.slug)


PRESETS = (
    Preset(
        slug="first-job",
        title=_("A first job"),
        about=_("Says which NPUs it was given and counts its steps."),
        icon="player-play",
        nodes=1,
        npus=2,
        seconds=300,
        lasts=_("ends after 20 seconds"),
    ),
    Preset(
        slug="two-nodes",
        title=_("Training on two nodes"),
        about=_("Writes a rank table and starts 16 ranks by srun; a stand-in for the training tells its loss."),
        icon="hierarchy-2",
        nodes=2,
        npus=16,
        seconds=600,
        lasts=_("ends after half a minute"),
    ),
    Preset(
        slug="checkpoint",
        title=_("Training that resumes"),
        about=_("Saves a checkpoint when it is asked to stop, and goes on from there when it is started again."),
        icon="device-floppy",
        nodes=1,
        npus=1,
        seconds=600,
        lasts=_("ends after a minute and a half"),
    ),
    Preset(
        slug="evaluation",
        title=_("Evaluation on one NPU"),
        about=_("Scores five tasks and writes the result to a file."),
        icon="checklist",
        nodes=1,
        npus=1,
        seconds=300,
        lasts=_("ends after 15 seconds"),
    ),
    Preset(
        slug="sweep",
        title=_("Four trials side by side"),
        about=_("Tries four learning rates at once, one NPU each, and names the best."),
        icon="layout-grid",
        nodes=1,
        npus=4,
        seconds=600,
        lasts=_("ends after 15 seconds"),
    ),
    Preset(
        slug="inference",
        title=_("Inference that stays up"),
        about=_("A stand-in for a model server: answers requests until its limit or until you cancel it."),
        icon="server-bolt",
        nodes=1,
        npus=1,
        seconds=7200,
        lasts=_("runs until it is stopped"),
    ),
    Preset(
        slug="llm-finetune",
        title=_("LLM fine-tuning"),
        about=_("The usual way on Ascend: the toolkit's environment, a rank table, srun. Bring your own train.py."),
        icon="brain",
        nodes=2,
        npus=16,
        seconds=86_400,
        lasts=_("as long as your training takes"),
        runs_here=False,
    ),
)
OPENING = PRESETS[0]
"""What the page starts with."""


def preset(slug: str) -> Preset:
    found = next((each for each in PRESETS if each.slug == slug), None)
    if found is None:
        raise NotFound()
    return found


@cache
def _script(slug: str) -> str:
    return (FOLDER / f"{slug}.sh").read_text(encoding="utf-8")
