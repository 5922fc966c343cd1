"""The demo's world: a small centre with four teams, their people, doors and prices. Believable, and invented."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import make_password

from accounting.models import Department, Grant, Membership, Price, Project, Quota, Team, User
from accounting.models.price import Source
from npu_inventory.models import NPU, Cluster, Node, Partition, Pool
from portal.kit.access import Role
from portal.kit.grains import GRAINS_PER_NPU

HOUR = 3600
NODES = ("npu-01", "npu-02")
NPUS_PER_NODE = 8


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """The guide's 30 / 25 / 20 and 25 elastic of a hundred, in small: 5 / 4 / 3 / 0 and 4 of sixteen."""

    name: str
    slug: str
    guaranteed: int
    colour: int
    projects: tuple[tuple[str, str], ...]
    people: tuple[tuple[str, str, Role], ...]


TEAMS = (
    TeamPlan(
        "NLP", "nlp", 5, 1,
        (("Long context", "longctx"), ("Fine-tuning", "sft"), ("Evaluation", "eval")),
        (
            ("chenhao", "陈浩 Chen Hao", Role.LEAD),
            ("linyue", "林悦 Lin Yue", Role.MEMBER),
            ("wangjing", "王静 Wang Jing", Role.MEMBER),
        ),
    ),
    TeamPlan(
        "Vision", "vision", 4, 2,
        (("Detection", "detection"), ("OCR", "ocr")),
        (("tangxin", "唐鑫 Tang Xin", Role.LEAD), ("gaofei", "高飞 Gao Fei", Role.MEMBER)),
    ),
    TeamPlan(
        "Speech", "speech", 3, 3,
        (("Recognition", "asr"), ("Synthesis", "tts")),
        (("luojun", "罗军 Luo Jun", Role.LEAD), ("heping", "何平 He Ping", Role.MEMBER)),
    ),
    TeamPlan(
        "Recommendation", "recommendation", 0, 4,
        (("Ranking", "ranking"),),
        (("fangling", "方玲 Fang Ling", Role.LEAD), ("zhukai", "朱凯 Zhu Kai", Role.MEMBER)),
    ),
)  # fmt: skip

CENTRE = (
    ("zhaomin", "赵敏 Zhao Min", Role.OPERATOR),
    ("sunli", "孙丽 Sun Li", Role.FINANCE),
)

PRICES = ((Source.GUARANTEED, 4_000_000), (Source.ELASTIC, 3_200_000), (Source.BORROWED, 3_200_000))


def build(now: datetime) -> None:
    """Rows of the centre. Those who may sign in by a click have the demo's password, the others none."""
    began = now - timedelta(days=120)
    cluster = Cluster.objects.create(
        name="this-machine", title="This machine", backend=Cluster.Backend.LOCAL, grace_seconds=10
    )
    pool = Pool.objects.create(name="910b", title="910B", npu_model="Ascend910B")
    nodes = [
        Node.objects.create(
            cluster=cluster, pool=pool, name=name, cpus=192, memory_mb=1_500_000, features=["ascend910b", "roce"]
        )
        for name in NODES
    ]
    NPU.objects.bulk_create(NPU(node=node, index=index) for node in nodes for index in range(NPUS_PER_NODE))
    doors = (
        ("training", {"is_default": True, "max_seconds": 72 * HOUR, "default_seconds": HOUR}),
        ("inference", {"default_seconds": 8 * HOUR}),
        ("experimental", {"max_seconds": 4 * HOUR, "default_seconds": HOUR // 2}),
    )
    for name, columns in doors:
        Partition.objects.create(cluster=cluster, pool=pool, name=name, **columns).nodes.set(nodes)
    for source, micro in PRICES:
        Price.objects.create(pool=pool, source=source, micro_per_npu_hour=micro, starts_at=began)
    department = Department.objects.create(name="AI Research 智能研究院")
    known = make_password(settings.DEMO_PASSWORD)  # once for all: a hash takes a while by design
    for plan in TEAMS:
        _team(plan, department, pool, known, began)
    for username, name, role in CENTRE:
        Grant.objects.create(user=_person(username, name, known, began), role=role)
    Membership.objects.update(since=began)


def _team(plan: TeamPlan, department: Department, pool: Pool, known: str, began: datetime) -> None:
    team = Team.objects.create(name=plan.name, slug=plan.slug, department=department, colour=plan.colour)
    Quota.objects.create(team=team, pool=pool, guaranteed=plan.guaranteed * GRAINS_PER_NPU)
    for position, (name, slug) in enumerate(plan.projects):
        Project.objects.create(team=team, name=name, slug=slug, is_default=position == 0)
    for username, name, role in plan.people:
        Membership.objects.create(user=_person(username, name, known, began), team=team, role=role)


def _person(username: str, name: str, known: str, began: datetime) -> User:
    offered = {str(person["username"]) for person in settings.DEMO_PEOPLE}
    password = known if username in offered else make_password(None)
    return User.objects.create(
        username=username, email=f"{username}@demo.invalid", name=name, password=password, date_joined=began
    )
