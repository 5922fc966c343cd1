from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from celery.bin.celery import celery
from django.core.management import get_commands
from gunicorn.config import Config

ROOT = Path(__file__).resolve().parent.parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
OURS = {name: service for name, service in COMPOSE["services"].items() if service.get("image") == "npu-portal"}
SECRETS = {"POSTGRES_PASSWORD", "REDIS_PASSWORD", "SECRET_KEY"}


def read_by_settings() -> set[str]:
    return set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', (ROOT / "portal" / "settings.py").read_text()))


def filled_in(text: str) -> str:
    """As compose does it, each required variable with a value."""
    return re.sub(
        r"\$\{([A-Z_]+)(?::-([^}]*)|:\?[^}]*)\}", lambda found: found[2] or f"{found[1].lower()}-{'x' * 40}", text
    )


def test_there_are_the_parts_of_a_production_site() -> None:
    assert {"web", "worker", "beat", "migrate"} == set(OURS)
    assert {"postgres", "redis"} == set(COMPOSE["services"]) - set(OURS)


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_one_that_the_settings_read(name: str) -> None:
    assert set(OURS[name]["environment"]) <= read_by_settings()


def test_variables_of_the_image_are_ones_that_the_settings_read() -> None:
    named = set(re.findall(r"\b([A-Z_]+)=", re.search(r"^ENV .*", DOCKERFILE, re.MULTILINE)[0]))  # type: ignore[index]
    assert {name for name in named if not name.startswith("PYTHON")} <= read_by_settings()


def test_no_secret_has_a_value_or_a_default_here() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    for name in SECRETS:
        uses = re.findall(rf"\$\{{{name}(.{{2}})", text)
        assert uses
        assert set(uses) == {":?"}


@pytest.mark.parametrize("name", OURS)
def test_commands_are_ones_that_exist(name: str) -> None:
    program, *words = OURS[name]["command"]
    if program == "gunicorn":
        assert Config().parser().parse_args(words).args == ["portal.wsgi"]
    elif program == "celery":
        assert words[:2] == ["-A", "portal.celery"]
        command = celery.commands[words[2]]
        _, left, _ = command.make_parser(click.Context(command)).parse_args(words[3:])
        assert left == []
    else:
        assert [program, words[0]] == ["python", "manage.py"]
        assert words[1] in get_commands()


def test_settings_accept_what_compose_gives_them() -> None:
    given = {name: filled_in(value) for name, value in OURS["web"]["environment"].items()}
    given["ALLOWED_HOSTS"], given["CSRF_TRUSTED_ORIGINS"] = "portal.example.org", "https://portal.example.org"
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    arguments = [sys.executable, "manage.py", "check", "--deploy"]
    done = subprocess.run(arguments, cwd=ROOT, env=kept | given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Whether other sites under the same domain speak TLS only is for the organisation to say, not for us.
    assert set(re.findall(r"\((\w+\.[A-Z]\d+)\)", done.stderr)) <= {"security.W005", "security.W021"}, done.stderr


def test_web_can_be_reached_only_through_what_stands_before_it() -> None:
    assert COMPOSE["services"]["web"]["ports"] == ["127.0.0.1:8000:8000"]
    assert not any("ports" in service for name, service in COMPOSE["services"].items() if name != "web")


def test_what_is_waited_for_has_a_health_check_or_an_end() -> None:
    for service in OURS.values():
        for other, condition in service["depends_on"].items():
            wanted = condition["condition"]
            assert other in COMPOSE["services"]
            if wanted == "service_healthy":
                assert "healthcheck" in COMPOSE["services"][other]


def test_image_copies_what_is_in_the_repository() -> None:
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    sources = {source for line in copied for source in line.split()}
    assert {"portal", "scheduling", "accounting", "npu_inventory", "templates", "static", "locale"} <= sources
    assert all((ROOT / source).exists() for source in sources)
