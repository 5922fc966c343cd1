from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounting.models import User
from npu_inventory.models import Node
from npu_inventory.services import nodes as service
from portal.boards import clusters as board
from portal.kit.access import May
from portal.kit.errors import NotAllowed
from portal.kit.http import PortalRequest, render_part


@require_GET
@login_required
def clusters(request: PortalRequest) -> HttpResponse:
    return render(request, "npu_inventory/clusters.html", {"rows": board.clusters()})


@require_GET
@login_required
def cluster(request: PortalRequest, name: str) -> HttpResponse:
    state = request.GET.get("state", "")
    page = board.cluster_page(request.user, name, state=state, number=request.GET.get("page", "1"))
    return render_part(request, "npu_inventory/cluster.html", "nodes", {"page": page, "state": state})


@require_GET
@login_required
def node(request: PortalRequest, cluster: str, name: str) -> HttpResponse:
    found = board.node_for(cluster, name)
    row = board.node_rows(request.user, [found])[0]
    context = {"node": found, "row": row, "may_operate": request.user.may_at_centre(May.ADMINISTER)}
    return render(request, "npu_inventory/node.html", context)


@require_POST
@login_required
def node_drain(request: PortalRequest, cluster: str, name: str) -> HttpResponse:
    found = _node_to_operate(request.user, cluster, name)
    service.drain(found, by=request.user, why=request.POST.get("why", ""))
    messages.success(request, _("{node} takes no new jobs.").format(node=found))
    return redirect("node", cluster, name)


@require_POST
@login_required
def node_resume(request: PortalRequest, cluster: str, name: str) -> HttpResponse:
    found = _node_to_operate(request.user, cluster, name)
    service.resume(found, by=request.user)
    messages.success(request, _("{node} takes jobs again.").format(node=found))
    return redirect("node", cluster, name)


def _node_to_operate(user: User, cluster: str, name: str) -> Node:
    found = board.node_for(cluster, name)
    if not user.may_at_centre(May.ADMINISTER):
        raise NotAllowed()
    return found
