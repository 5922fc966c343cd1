from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET

from portal.boards.search import find
from portal.kit.http import PortalRequest

IN_THE_MENU, ON_THE_PAGE = 5, 25


@require_GET
@login_required
def search(request: PortalRequest) -> HttpResponse:
    """The page, or for the box in the head what opens below it."""
    query = request.GET.get("q", "").strip()
    in_the_menu = bool(request.htmx) and not request.htmx.boosted
    groups = find(request.user, query, most=IN_THE_MENU if in_the_menu else ON_THE_PAGE)
    if in_the_menu and not query:
        response = HttpResponse()
    else:
        template = "kit/search_results.html" if in_the_menu else "portal/search.html"
        response = render(request, template, {"groups": groups, "query": query})
    patch_vary_headers(response, ["HX-Request"])
    return response
