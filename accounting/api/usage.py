"""Usage over a period, by project, person or job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounting import calendar, queries
from accounting.models import Team, UsageInterval, User
from accounting.models.price import Source
from portal.kit import clock, money
from portal.kit.access import May
from portal.kit.errors import Invalid, NotFound
from portal.kit.grains import GRAINS_PER_NPU

BY: Mapping[str, Callable[[UsageInterval], tuple[int, str]]] = {
    "project": lambda row: (row.project_id, row.project.slug),
    "user": lambda row: (row.user_id, row.user.username),
    "job": lambda row: (row.job, str(row.job)),
}


class UsageQuery(serializers.Serializer[Any]):
    """Days by the organisation's calendar: from the first day's midnight up to the midnight before `until`."""

    team = serializers.SlugField()
    since = serializers.DateField(required=False, help_text=_("First day; this month's first if left out"))
    until = serializers.DateField(required=False, help_text=_("First day that counts no more; now if left out"))
    by = serializers.ChoiceField(choices=list(BY), default="project")


class UsageLine(serializers.Serializer[Any]):
    key = serializers.CharField(help_text=_("Project, user name or job number"))
    npu_seconds = serializers.DictField(child=serializers.IntegerField(), help_text=_("By source"))
    jobs = serializers.IntegerField()
    cost = serializers.CharField(allow_null=True, help_text=_("Decimal number; null for those who may not see money"))


class UsageAnswer(serializers.Serializer[Any]):
    team = serializers.CharField()
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    lines = UsageLine(many=True)
    npu_seconds = serializers.IntegerField()
    cost = serializers.CharField(allow_null=True)


class Usage(APIView):
    @extend_schema(
        operation_id="usage",
        summary=_("What a team used, by project, person or job"),
        parameters=[UsageQuery],
        responses={200: UsageAnswer},
    )
    def get(self, request: Request) -> Response:
        query = UsageQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        user, wanted, now = cast(User, request.user), query.validated_data, clock.now()
        team = Team.objects.where(user, May.SEE_USAGE).filter(slug=wanted["team"]).first()
        if team is None:
            raise NotFound()
        start, end = _period(wanted, now)
        rows = UsageInterval.objects.filter(team=team).select_related("project", "user")
        lines = queries.usage_lines(rows, start=start, end=end, now=now, by=BY[wanted["by"]])
        with_money = user.may(May.SEE_MONEY, team)
        return Response(
            {
                "team": team.slug,
                "since": start,
                "until": end,
                "lines": [_line(line, with_money) for line in lines],
                "npu_seconds": sum(line.total_grain_seconds for line in lines) // GRAINS_PER_NPU,
                "cost": str(money.to_decimal(sum(line.cost for line in lines))) if with_money else None,
            }
        )


def _period(wanted: Mapping[str, Any], now: datetime) -> tuple[datetime, datetime]:
    zone = ZoneInfo(settings.ORGANISATION_TIME_ZONE)
    start = calendar.midnight(wanted["since"], zone) if "since" in wanted else calendar.month_of(now, zone).start
    end = calendar.midnight(wanted["until"], zone) if "until" in wanted else now.astimezone(UTC).replace(microsecond=0)
    if end <= start:
        raise Invalid(code="period_empty", field="until")
    return start, end


def _line(line: queries.Line, with_money: bool) -> dict[str, Any]:
    return {
        "key": line.label,
        "npu_seconds": {source: line.grain_seconds[source] // GRAINS_PER_NPU for source in Source.values},
        "jobs": len(line.jobs),
        "cost": str(money.to_decimal(line.cost)) if with_money else None,
    }
