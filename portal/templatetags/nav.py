"""The portal's sections: route, word, icon, key after `g`, and the first words of the routes that belong to it."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.template import RequestContext
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Section(NamedTuple):
    route: str
    word: str | Promise
    icon: str
    key: str
    routes: tuple[str, ...]


SECTIONS = (
    Section("home", _("Home"), "home", "h", ("home",)),
    Section("submit", _("Submit"), "plus", "s", ("submit", "preset", "resubmit")),
    Section("queue", _("Queue"), "list-details", "q", ("queue", "job")),
    Section("team", _("Team"), "users", "t", ("team", "teams", "project", "member", "usage")),
    Section("cluster", _("Cluster"), "server-2", "c", ("cluster", "clusters", "pool", "node", "npu")),
)


def current_route(context: RequestContext) -> str:
    match = getattr(context.get("request"), "resolver_match", None)
    return (match.url_name or "") if match else ""


def nav(context: RequestContext) -> list[dict[str, Any]]:
    """The sections that this portal has, the current one marked. `nav` in the context overrules the route."""
    here = context.get("nav") or current_route(context).split("_")[0]
    items = []
    for section in SECTIONS:
        try:
            url = reverse(section.route)
        except NoReverseMatch:
            continue
        items.append({"section": section, "url": url, "current": here in section.routes})
    return items
