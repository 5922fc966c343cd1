"""What the READMEs name is there: files, tests, make targets, settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("portal", "scheduling", "accounting", "npu_inventory")
PAGES = {name: (ROOT / name).read_text() for name in ("README.md", *(f"{app}/README.md" for app in APPS))}
CODE = re.compile(r"`([^`\n]+)`")
A_PATH = re.compile(r"(?:[\w.-]+/)*[\w-]+\.(?:py|sh|html|md|toml|yml|txt)")
TOLD_BY_MAKE = {"PORT", "VAR", "HOST", "PYTHON", "CASES"}


def _exists(path: str, page: str) -> bool:
    """From the root or from the page's own folder."""
    return (ROOT / path).exists() or (ROOT / page).parent.joinpath(path).exists()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", PAGES[page])
    assert [link for link in links if "://" not in link and not _exists(link, page)] == []


@pytest.mark.parametrize("page", PAGES)
def test_named_files_are_there(page: str) -> None:
    named = {word for word in CODE.findall(PAGES[page]) if A_PATH.fullmatch(word)}
    beside = {path.name for folder in (*APPS, "tests") for path in (ROOT / folder).rglob("*")}
    assert sorted(word for word in named if not _exists(word, page) and word not in beside) == []


@pytest.mark.parametrize("page", PAGES)
def test_named_tests_are_there(page: str) -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    named = set(re.findall(r"`(test_\w+)`", PAGES[page]))
    assert sorted(name for name in named if f"def {name}(" not in sources) == []


@pytest.mark.parametrize("page", PAGES)
def test_named_targets_are_there(page: str) -> None:
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z]+)", PAGES[page], re.MULTILINE))
    assert named <= targets


def test_every_setting_stands_in_the_readme_and_no_other() -> None:
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', (ROOT / "portal" / "settings.py").read_text()))
    rows = re.findall(r"^\|((?: `[A-Z_]+=?`,?)+)", PAGES["README.md"], re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}
    assert told == read


def test_every_variable_of_make_stands_in_the_readme() -> None:
    given = set(re.findall(r"^([A-Z]+) +\?=|^([A-Z]+)\?=", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {name for pair in given for name in pair if name} == TOLD_BY_MAKE
    assert all(f"{name}=" in PAGES["README.md"] for name in TOLD_BY_MAKE)
