"""A site of one page that shows every part of the look, for the tests that draw it in a browser."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import engines
from django.urls import include, path

from portal.kit.grains import from_npus
from scheduling.models import State

TEMPLATE = Path(__file__).with_name("showcase.html")
STATES = (*State.values, "put_back", "recalled", "healthy", "sick", "out_of_service", "draining", "away", "unknown")


@dataclass(frozen=True)
class Person:
    name: str
    is_authenticated: bool = True

    def get_full_name(self) -> str:
        return self.name


class AskForm(forms.Form):
    amount = forms.IntegerField(label="Guarantee", min_value=1, help_text="In whole NPUs.")
    until = forms.DateField(label="Until")
    why = forms.CharField(label="Word to the approver", required=False, widget=forms.Textarea(attrs={"rows": 2}))
    pool = forms.ChoiceField(label="Pool", choices=[("910B", "910B"), ("310P", "310P")])
    kind = forms.ChoiceField(
        label="When it does not fit", choices=[("part", "In part"), ("no", "Not at all")], widget=forms.RadioSelect
    )
    mail = forms.BooleanField(label="Tell me by mail", required=False)


def team(**npus: str | int | None) -> dict[str, int | None]:
    return {name: None if value is None else from_npus(value) for name, value in npus.items()}


def context(request: HttpRequest) -> dict[str, Any]:
    now = datetime.now(UTC)
    return {
        "user": Person(request.GET.get("as", "Lin Yue")),
        "nav": "queue",
        "states": STATES,
        "below": team(own=16, borrowed=0, lent=6, free=3, guaranteed=25, may_borrow=12),
        "above": team(own=30, borrowed=12, lent=0, free=0, guaranteed=30, may_borrow=16),
        "none": team(own=0, borrowed=19, lent=0, free=0, guaranteed=0, may_borrow=32),
        "slices": team(own="24/7", borrowed=0, lent="8/7", free="10/7", guaranteed=6, may_borrow=None),
        "capacity": from_npus(10),
        "pool": team(own=62, borrowed=31, free=7),
        "job": from_npus(16),
        "ago": now - timedelta(minutes=10),
        "soon": now + timedelta(hours=2, minutes=35, seconds=30),
        "began": now - timedelta(hours=3, minutes=43),
        "form": AskForm({"amount": "0", "kind": "part"}),
        "clean_form": AskForm(prefix="clean"),
        "findings": [
            {"level": "error", "line": 9, "anchor": "line-9", "text": "a node has 8 NPUs, you ask for 9."},
            {"level": "warning", "line": 7, "text": "--account is set by the portal."},
            {"level": "note", "text": "--comment is handed on.", "said": "sbatch: unrecognized option"},
        ],
        "events": [
            {"icon": "player-play", "tone": "accent", "title": "Running on npu-a09", "text": "Second run.", "at": now},
            {"icon": "rotate-clockwise-2", "tone": "warn", "title": "Put back", "text": "2 min to repeat", "at": now},
            {
                "icon": "send",
                "tone": "mute",
                "title": "Submitted by Lin Yue",
                "text": "",
                "at": now - timedelta(days=1),
            },
        ],
        "tabs": [
            {"url": "?tab=overview", "label": "Overview", "current": True},
            {"url": "?tab=log", "label": "Log", "current": False, "count": 3},
        ],
        "page": Paginator(range(1000), 25).page(7),
        "lines": [{"text": f"[13:{n:02}:00] step {n}", "tone": "warn" if n % 9 == 0 else ""} for n in range(40)],
        "rows": rows(request),
    }


def rows(request: HttpRequest) -> list[dict[str, Any]]:
    more = int(request.GET.get("more", "0"))
    names = [f"new-{n}" for n in range(more)] + ["det-swin-h", "sft-qa-zh", "two-tower-v5"]
    return [
        {"number": 8418 + n, "name": name, "npus": from_npus(8), "mine": name == "sft-qa-zh", "step": more}
        for n, name in zip([*range(100, 100 + more), 0, 3, 5], names, strict=True)
    ]


def page(request: HttpRequest) -> HttpResponse:
    text = engines["django"].from_string(TEMPLATE.read_text()).render(context(request), request)
    return HttpResponse(text)


def log(request: HttpRequest) -> HttpResponse:
    return render(
        request, "kit/log_lines.html#lines", {"lines": [{"text": "one line more", "tone": ""}], "more_url": ""}
    )


def explain(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        '<h2>Stop 8388?</h2><p>Three hours are lost.</p><button class="btn" data-close-dialog>Back</button>'
    )


def refuse(request: HttpRequest) -> HttpResponse:
    told = json.dumps({"toast": {"text": "The job has ended already.", "tone": "bad"}})
    return HttpResponse(status=409, headers={"HX-Trigger": told})


urlpatterns = [
    path("", page, name="home"),
    path("submit/", page, name="submit"),
    path("queue/", page, name="queue"),
    path("team/", page, name="team"),
    path("cluster/", page, name="cluster"),
    path("search/", page, name="search"),
    path("profile/", page, name="profile"),
    path("logout/", page, name="account_logout"),
    path("log/", log),
    path("explain/", explain),
    path("refuse/", refuse),
    path("i18n/", include("django.conf.urls.i18n")),
]
