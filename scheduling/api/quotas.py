"""Quotas with what is used of them: everybody's, since fairness must be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from npu_inventory.models import Pool
from scheduling.api import shapes
from scheduling.api.jobs import ERRORS
from scheduling.queries.pools import PoolUse, pool_use


class Quotas(APIView):
    @extend_schema(
        operation_id="quotas_list",
        summary=_("Quotas of all teams and what is used of them"),
        parameters=[
            OpenApiParameter("team", str, description=_("short name")),
            OpenApiParameter("pool", str, description=_("its name")),
        ],
        responses={200: shapes.QuotaShape(many=True), **ERRORS},
    )
    def get(self, request: Request) -> Response:
        pools, team = Pool.objects.all(), request.query_params.get("team")
        if name := request.query_params.get("pool"):
            pools = pools.filter(name=name)
        rows = [row for use in pool_use(pools).values() for row in _rows(use) if team in (None, row["team"])]
        return Response(shapes.QuotaShape(rows, many=True).data)


def _rows(use: PoolUse) -> Iterator[Mapping[str, Any]]:
    for team in sorted(use.by_team.values(), key=lambda each: each.slug):
        yield {
            "team": team.slug,
            "pool": use.pool.name,
            "guaranteed": team.guaranteed,
            "may_borrow": team.may_borrow,
            "may_lend": team.may_lend,
            "own": team.own,
            "borrowed": team.borrowed,
            "lent": team.lent,
            "free": team.free,
            "running_jobs": team.running_jobs,
        }
