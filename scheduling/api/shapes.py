"""What goes in and out of the job endpoints. Input is checked strictly; output of others' jobs leaves out what §2 keeps back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field, inline_serializer
from rest_framework import serializers

from accounting.queries import Line
from portal.kit import grains, money
from scheduling.models import Job, JobEvent
from scheduling.texts import reasons


class NpuField(serializers.ReadOnlyField):
    """Grains as NPUs: "8", "0.25"."""

    def to_representation(self, value: int | None) -> str | None:
        return None if value is None else grains.as_text(value, places=4)


class MoneyField(serializers.ReadOnlyField):
    """Micro-units as a decimal string."""

    def to_representation(self, value: int | None) -> str | None:
        return None if value is None else str(money.to_decimal(value))


NpuText = extend_schema_field(serializers.CharField(help_text=_('NPUs, e.g. "8" or "0.25"')))
NpuText(NpuField)
extend_schema_field(serializers.CharField(help_text=_("Decimal number")))(MoneyField)


class SubmitBody(serializers.Serializer[Any]):
    """A script, or its fields, or both: fields win over the script's directives, as options win on sbatch's command line."""

    script = serializers.CharField(
        trim_whitespace=False, max_length=1 << 20, required=False, help_text=_("The whole sbatch script")
    )
    spec = serializers.DictField(
        required=False, help_text=_("Fields of the specification, instead of directives or beside them")
    )
    team = serializers.SlugField(
        required=False, help_text=_("Short name of the team; not needed by a member of one team")
    )
    project = serializers.SlugField(
        required=False, help_text=_("Short name of the project; the team's default if left out")
    )
    own_only = serializers.BooleanField(default=False, help_text=_("Take only the team's own quota, never borrow"))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        unknown = set(self.initial_data) - set(self.fields)
        if unknown:
            raise serializers.ValidationError(dict.fromkeys(sorted(unknown), "There is no such field."))
        if not attrs.get("script") and not attrs.get("spec"):
            raise serializers.ValidationError({"script": "Send a script, a spec, or both."})
        return attrs


class JobNumbers(serializers.Serializer[Any]):
    jobs = serializers.ListField(child=serializers.IntegerField(min_value=1), min_length=1, max_length=1000)
    why = serializers.CharField(required=False, max_length=60, default="")


class Why(serializers.Serializer[Any]):
    why = serializers.CharField(required=False, max_length=60, default="")


class WaitShape(serializers.Serializer[Any]):
    reason = serializers.CharField()
    text = serializers.CharField()
    facts = serializers.DictField()
    place = serializers.IntegerField(allow_null=True)
    expected_at = serializers.DateTimeField(allow_null=True)
    expected_on = serializers.CharField()
    expected_after = serializers.ListField(child=serializers.IntegerField())


class SourceShape(serializers.Serializer[Any]):
    own = NpuField()
    elastic = NpuField()
    borrowed = NpuField()


class JobShape(serializers.ModelSerializer[Job]):
    """Of a job that the reader may not see, name, project, user, script and reason are null."""

    PRIVATE = ("name", "project", "user", "wait", "ended_why", "exit_code", "own_only", "uuid")

    number = serializers.IntegerField(source="pk")
    team = serializers.CharField(source="team.slug")
    project = serializers.CharField(source="project.slug", allow_null=True)
    user = serializers.CharField(source="user.username", allow_null=True)
    pool = serializers.CharField(source="pool.name")
    partition = serializers.CharField(source="partition.name")
    nodes = serializers.IntegerField(source="nodes_min")
    npus = NpuField(source="grains")
    ends_by = serializers.DateTimeField(allow_null=True)
    wait = serializers.SerializerMethodField()
    on = serializers.SerializerMethodField(help_text=_("On whose quota it runs"))

    class Meta:
        model = Job
        fields = (
            "number", "uuid", "name", "state", "team", "project", "user", "pool", "partition", "nodes", "npus",
            "npus_per_node", "cpus_per_node", "time_limit_seconds", "own_only", "submitted_at", "started_at", "ends_by",
            "ended_at", "exit_code", "ended_why", "attempts", "wait", "on",
        )  # fmt: skip

    @extend_schema_field(WaitShape(allow_null=True))
    def get_wait(self, job: Job) -> Mapping[str, Any] | None:
        if not job.wait_reason:
            return None
        return {
            "reason": job.wait_reason,
            "text": str(reasons.told(job)),
            "facts": job.wait_facts,
            "place": job.place,
            "expected_at": job.expected_at,
            "expected_on": job.expected_on,
            "expected_after": job.expected_after,
        }

    @extend_schema_field(SourceShape)
    def get_on(self, job: Job) -> Mapping[str, str]:
        amounts = {"own": job.on_own, "elastic": job.on_elastic, "borrowed": job.on_borrowed}
        return {name: grains.as_text(amount, places=4) for name, amount in amounts.items()}

    def to_representation(self, job: Job) -> dict[str, Any]:
        shape: dict[str, Any] = super().to_representation(job)
        seen = self.context.get("seen")
        if seen is not None and job.pk not in seen:
            shape.update(dict.fromkeys(self.PRIVATE))
        return shape


class FindingShape(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    kind = serializers.CharField()
    severity = serializers.CharField()
    message = serializers.CharField()
    facts = serializers.DictField()


class CostShape(serializers.Serializer[Any]):
    npu_seconds = serializers.IntegerField()
    cost = MoneyField()


class JobDetailShape(JobShape):
    script = serializers.CharField()
    spec = serializers.DictField()
    findings = FindingShape(many=True)
    use = serializers.SerializerMethodField(help_text=_("So far; cost only for those who may see it"))

    class Meta(JobShape.Meta):
        fields = (*JobShape.Meta.fields, "script", "spec", "findings", "use")  # type: ignore[assignment]  # longer

    @extend_schema_field(CostShape)
    def get_use(self, job: Job) -> Mapping[str, Any]:
        line: Line | None = self.context["use"]
        return {
            "npu_seconds": line.total_grain_seconds // grains.GRAINS_PER_NPU if line else 0,
            "cost": str(money.to_decimal(line.cost if line else 0)) if self.context["with_money"] else None,
        }


class EventShape(serializers.ModelSerializer[JobEvent]):
    by = serializers.CharField(source="by.username", allow_null=True, default=None)

    class Meta:
        model = JobEvent
        fields = ("at", "what", "was", "now", "by", "why", "facts")


class LogShape(serializers.Serializer[Any]):
    text = serializers.CharField()
    offset = serializers.IntegerField()
    next_offset = serializers.IntegerField(help_text=_("Ask for this offset to go on"))
    size = serializers.IntegerField()
    exists = serializers.BooleanField()
    ended = serializers.BooleanField(help_text=_("Nothing will be added any more"))


class LogQuery(serializers.Serializer[Any]):
    stream = serializers.ChoiceField(choices=("output", "error"), default="output")
    offset = serializers.IntegerField(default=0, help_text=_("In bytes; negative counts from the end"))
    limit = serializers.IntegerField(default=65_536, min_value=1, max_value=1 << 20)
    attempt = serializers.IntegerField(required=False, min_value=1)


class RefusedShape(serializers.Serializer[Any]):
    job = serializers.IntegerField()
    code = serializers.CharField()
    message = serializers.CharField()


class BulkShape(serializers.Serializer[Any]):
    done = serializers.ListField(child=serializers.IntegerField())
    refused = RefusedShape(many=True)


ErrorShape = inline_serializer(  # every refusal has this shape; as a class its `fields` would hide the serializer's own
    "Error",
    {
        "code": serializers.CharField(),
        "message": serializers.CharField(),
        "fields": serializers.DictField(child=serializers.ListField(child=serializers.CharField())),
        "findings": FindingShape(many=True),
    },
)


class QuotaShape(serializers.Serializer[Any]):
    """Amounts in NPUs; null = no limit."""

    team = serializers.CharField()
    pool = serializers.CharField()
    guaranteed = NpuField()
    may_borrow = NpuField()
    may_lend = NpuField()
    own = NpuField()
    borrowed = NpuField()
    lent = NpuField()
    free = NpuField()
    running_jobs = serializers.IntegerField()


class CostLineShape(serializers.Serializer[Any]):
    on = serializers.CharField(source="source", help_text=_("guaranteed, elastic or borrowed"))
    npus = NpuField(source="grains")
    price_per_npu_hour = MoneyField(source="micro_per_npu_hour")
    cost = MoneyField(source="micro")


class PreviewShape(serializers.Serializer[Any]):
    """What would become of the job if it were submitted now."""

    npus = NpuField(source="grains")
    nodes = serializers.IntegerField(source="job.nodes_min")
    time_limit_seconds = serializers.IntegerField(source="job.time_limit_seconds", allow_null=True)
    starts_now = serializers.BooleanField()
    expected_at = serializers.DateTimeField(allow_null=True)
    expected_on = serializers.CharField(source="assumption")
    expected_after = serializers.ListField(source="after", child=serializers.IntegerField())
    place = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    facts = serializers.DictField()
    used_before = NpuField()
    used_after = NpuField()
    cost = MoneyField(source="cost_micro")
    cost_lines = CostLineShape(source="cost", many=True)
