"""The gallery: what it says of each preset is true, and what is marked as running here does."""

from __future__ import annotations

import subprocess

import pytest

from portal.kit.errors import NotFound
from scheduling import jobspec
from scheduling.queries.site import site_for
from scheduling.services.presets import FOLDER, OPENING, PRESETS, Preset, preset
from tests import make

ALL = pytest.mark.parametrize("each", PRESETS, ids=lambda each: each.slug)


@ALL
def test_takes_what_the_gallery_says(each: Preset) -> None:
    reading = jobspec.read(each.script, jobspec.Site())
    spec = reading.spec
    assert spec is not None
    assert (spec.nodes_min, spec.total_npus, spec.time_limit_seconds) == (each.nodes, each.npus, each.seconds)


@pytest.mark.django_db
@ALL
def test_nothing_in_it_has_to_be_mended(each: Preset) -> None:
    world = make.world()
    make.partition("inference", nodes=world.nodes)
    reading = jobspec.read(each.script, site_for(world.alice, world.nlp))
    assert not reading.errors
    assert not reading.warnings


@ALL
def test_bash_can_read_it(each: Preset) -> None:
    subprocess.run(["bash", "-n"], input=each.script.encode(), check=True)


@ALL
def test_no_preset_calls_a_program_that_debian_lacks(each: Preset) -> None:
    assert "python " not in each.script


def test_every_script_is_in_the_gallery() -> None:
    assert {path.stem for path in FOLDER.glob("*.sh")} == {each.slug for each in PRESETS}
    assert OPENING.npus == 2


def test_an_unknown_preset_is_not_found() -> None:
    with pytest.raises(NotFound):
        preset("none")
