"""The jobs of the REST API. Each endpoint: parse, call the service that the pages call too, shape the answer."""

from __future__ import annotations

import hashlib
import json
from typing import Any, cast

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounting import queries as accounts
from accounting.models import Project, Team, User
from portal.kit import clock
from portal.kit.access import May
from portal.kit.api import Pages
from portal.kit.errors import Invalid
from scheduling import jobspec
from scheduling.api import shapes
from scheduling.filters import JobFilter
from scheduling.models import Job
from scheduling.queries.jobs import job_for
from scheduling.queries.site import site_for
from scheduling.services import jobs, logs, simulate
from scheduling.texts import refusal

ERRORS = dict.fromkeys(
    ("401", "403", "404", "409", "422"), shapes.ErrorShape
)  # what any endpoint may answer, in one shape
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description=_("The same key and body within 24 hours is the same job"),
)


def person(request: Request) -> User:
    return cast(User, request.user)


def read_body(request: Request) -> tuple[Team, Project | None, jobspec.Reading, bool]:
    body = shapes.SubmitBody(data=request.data)
    body.is_valid(raise_exception=True)
    given = body.validated_data
    team = _team(person(request), given.get("team"))
    project = _project(team, given.get("project"))
    site = site_for(person(request), team)
    fields = dict(given.get("spec") or {})
    if "script" in given:
        fields["script"] = given["script"]
    reading = jobspec.from_fields(fields, site) if given.get("spec") else jobspec.read(given["script"], site)
    return team, project, reading, given["own_only"]


def _team(user: User, slug: str | None) -> Team:
    teams = Team.objects.where(user, May.SUBMIT).filter(active=True)
    if slug is not None:
        team = teams.filter(slug=slug).first()
    else:
        found = list(teams[:2])
        team = found[0] if len(found) == 1 else None
    if team is None:
        known = ", ".join(teams.values_list("slug", flat=True)) or "–"
        raise Invalid(code="which_team", field="team", facts={"known": known})
    return team


def _project(team: Team, slug: str | None) -> Project | None:
    if slug is None:
        return None
    project = team.projects.filter(slug=slug, active=True).first()
    if project is None:
        raise Invalid(code="no_project", field="project", facts={"team": team.name})
    return project


def digest(request: Request) -> str:
    """Of what was meant: order of keys and blanks do not make another body."""
    return hashlib.sha256(json.dumps(request.data, sort_keys=True).encode()).hexdigest()


def detail(request: Request, job: Job) -> dict[str, Any]:
    now = clock.now()
    context = {
        "use": accounts.cost_of_jobs([job.pk], now=now).get(job.pk),
        "with_money": person(request).may(May.SEE_MONEY, job.team) or job.user_id == person(request).pk,
    }
    return shapes.JobDetailShape(job, context=context).data


class Jobs(APIView):
    @extend_schema(
        operation_id="jobs_list", summary=_("List jobs"),
        parameters=[
            OpenApiParameter(name, str, description=text)
            for name, text in (
                ("scope", _("mine, team (default: what you may see) or all")),
                ("state", _("a state, or waiting, running, ended; may be repeated")),
                ("pool", _("its name")), ("partition", _("its name")), ("team", _("short name")), ("project", _("short name")),
                ("user", _("user name")), ("node", _("its name")), ("source", _("own or borrowed")),
                ("text", _("in name or number")),
            )
        ]
        + [OpenApiParameter("page", int), OpenApiParameter("page_size", int)],
        responses={200: shapes.JobShape(many=True), **ERRORS},
    )  # fmt: skip
    def get(self, request: Request) -> Response:
        user = person(request)
        seen = Job.objects.where(user, May.SEE)
        everything = request.query_params.get("scope") == "all"
        rows = JobFilter(request.GET, Job.objects.with_people() if everything else seen.with_people(), user=user)
        if not rows.is_valid():
            raise ValidationError({name: [str(text) for text in texts] for name, texts in rows.errors.items()})
        pages = Pages()
        page: list[Job] = pages.paginate_queryset(rows.qs.order_by("-id"), request, view=self) or []
        visible = set(seen.filter(pk__in=[job.pk for job in page]).values_list("pk", flat=True))
        return pages.get_paginated_response(shapes.JobShape(page, many=True, context={"seen": visible}).data)

    @extend_schema(
        operation_id="jobs_submit",
        summary=_("Submit a job"),
        parameters=[KEY],
        request=shapes.SubmitBody,
        responses={201: shapes.JobDetailShape, 200: shapes.JobDetailShape, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        user, key = person(request), request.headers.get("Idempotency-Key")

        def make() -> Job:
            team, project, reading, own_only = read_body(request)
            return jobs.submit(user, team=team, project=project, reading=reading, own_only=own_only)

        if key is None:
            job, made = make(), True
        else:
            job, made = jobs.submit_once(user, key=key, digest=digest(request), make=make)
        shape = detail(request, Job.objects.with_people().get(pk=job.pk))
        where = request.build_absolute_uri(reverse("api_job", args=[job.pk]))
        return Response(shape, status=201 if made else 200, headers={"Location": where})


class Preview(APIView):
    @extend_schema(
        operation_id="jobs_preview",
        summary=_("What would become of a job, without submitting it"),
        request=shapes.SubmitBody,
        responses={200: shapes.PreviewShape, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        team, project, reading, own_only = read_body(request)
        preview = simulate.preview(person(request), team=team, project=project, reading=reading, own_only=own_only)
        return Response(shapes.PreviewShape(preview).data)


class JobDetail(APIView):
    @extend_schema(
        operation_id="jobs_detail",
        summary=_("One job, with its script and use"),
        responses={200: shapes.JobDetailShape, **ERRORS},
    )
    def get(self, request: Request, number: int) -> Response:
        return Response(detail(request, job_for(person(request), number, May.SEE)))


class Events(APIView):
    @extend_schema(
        operation_id="jobs_events",
        summary=_("What happened to a job"),
        responses={200: shapes.EventShape(many=True), **ERRORS},
    )
    def get(self, request: Request, number: int) -> Response:
        job = job_for(person(request), number, May.SEE)
        pages = Pages()
        page = pages.paginate_queryset(job.events.select_related("by"), request, view=self)
        return pages.get_paginated_response(shapes.EventShape(page, many=True).data)


class Log(APIView):
    @extend_schema(
        operation_id="jobs_log",
        summary=_("Part of a job's log"),
        parameters=[shapes.LogQuery],
        responses={200: shapes.LogShape, **ERRORS, "503": shapes.ErrorShape},
    )
    def get(self, request: Request, number: int) -> Response:
        job = job_for(person(request), number, May.SEE)
        query = shapes.LogQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        part = logs.tail(job, **query.validated_data)
        ended = job.is_ended and part.next_offset >= part.size
        return Response(
            {
                "text": part.text,
                "offset": part.offset,
                "next_offset": part.next_offset,
                "size": part.size,
                "exists": part.exists,
                "ended": ended,
            }
        )


class Cancel(APIView):
    @extend_schema(
        operation_id="jobs_cancel",
        summary=_("Cancel a job, or stop it if it runs"),
        request=shapes.Why,
        responses={200: shapes.JobDetailShape, **ERRORS},
    )
    def post(self, request: Request, number: int) -> Response:
        body = shapes.Why(data=request.data)
        body.is_valid(raise_exception=True)
        job = job_for(person(request), number, May.OPERATE)
        jobs.cancel(job, by=person(request), why=body.validated_data["why"])
        return Response(detail(request, job))


class CancelMany(APIView):
    @extend_schema(
        operation_id="jobs_cancel_many",
        summary=_("Cancel several jobs, each for itself"),
        request=shapes.JobNumbers,
        responses={200: shapes.BulkShape, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        body = shapes.JobNumbers(data=request.data)
        body.is_valid(raise_exception=True)
        given = body.validated_data
        result = jobs.cancel_many(person(request), given["jobs"], why=given["why"])
        refused = [
            {"job": number, "code": error.code, "message": refusal(error)} for number, error in result.refused.items()
        ]
        return Response({"done": result.done, "refused": refused})


class Hold(APIView):
    @extend_schema(
        operation_id="jobs_hold",
        summary=_("Keep a waiting job back"),
        request=None,
        responses={200: shapes.JobDetailShape, **ERRORS},
    )
    def post(self, request: Request, number: int) -> Response:
        return Response(detail(request, jobs.hold(job_for(person(request), number, May.OPERATE), by=person(request))))


class Release(APIView):
    @extend_schema(
        operation_id="jobs_release",
        summary=_("Let a held job wait its turn again"),
        request=None,
        responses={200: shapes.JobDetailShape, **ERRORS},
    )
    def post(self, request: Request, number: int) -> Response:
        return Response(
            detail(request, jobs.release(job_for(person(request), number, May.OPERATE), by=person(request)))
        )
