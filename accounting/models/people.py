from __future__ import annotations

from typing import ClassVar, Self
from zoneinfo import available_timezones

from django.contrib.auth.models import AbstractUser, UserManager
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from portal.kit.access import ALLOWS, OVER_CENTRE, OVER_DEPARTMENT, OVER_TEAM, May, Role, roles_that


def validate_time_zone(name: str) -> None:
    if name not in available_timezones():
        raise ValidationError(_("%(name)s is not a time zone"), params={"name": name})


class User(AbstractUser):
    """A person. What they may do follows from memberships (over a team) and grants (over a department or the centre)."""

    first_name = None  # type: ignore[assignment]  # one name, as people write it
    last_name = None  # type: ignore[assignment]
    name = models.CharField(_("name"), max_length=150, blank=True)
    language = models.CharField(max_length=10, blank=True)  # empty: the browser's
    time_zone = models.CharField(
        max_length=64, blank=True, validators=[validate_time_zone]
    )  # empty: the organisation's

    objects: ClassVar[UserManager[Self]] = UserManager()
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta(AbstractUser.Meta):
        ordering = ["username"]

    def __str__(self) -> str:
        return self.name or self.username

    def get_full_name(self) -> str:
        return self.name or self.username

    def get_short_name(self) -> str:
        return self.name or self.username

    @cached_property
    def roles_by_team(self) -> dict[int, Role]:
        return {m.team_id: Role(m.role) for m in self.memberships.all()}

    @cached_property
    def grants(self) -> list[Grant]:
        return list(self.granted.all())

    @cached_property
    def centre_roles(self) -> frozenset[Role]:
        return frozenset(Role(g.role) for g in self.grants if g.department_id is None)

    @property
    def is_operator(self) -> bool:
        return Role.OPERATOR in self.centre_roles

    def may_at_centre(self, may: May) -> bool:
        return self.is_active and any(may in ALLOWS[role] for role in self.centre_roles)

    def may(self, may: May, team: Team) -> bool:
        """Whether this person may do this to this team's things, by any of their roles."""
        if not self.is_active:
            return False
        if self.may_at_centre(may):
            return True
        role = self.roles_by_team.get(team.pk)
        if role and may in ALLOWS[role]:
            return True
        return any(
            may in ALLOWS[Role(g.role)]
            for g in self.grants
            if g.department_id and g.department_id == team.department_id
        )


class Department(models.Model):
    """A group of teams."""

    name = models.CharField(max_length=80, unique=True)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="children")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class TeamQuerySet(models.QuerySet["Team"]):
    def where(self, user: User, may: May) -> TeamQuerySet:
        """Teams over whose things this person may do this."""
        if not user.is_active:
            return self.none()
        if user.may_at_centre(may):
            return self
        roles = roles_that(may)
        return self.filter(
            models.Exists(Membership.objects.filter(team=models.OuterRef("pk"), user=user, role__in=roles))
            | models.Exists(Grant.objects.filter(department=models.OuterRef("department"), user=user, role__in=roles))
        )


class Team(models.Model):
    """Owns quotas; its usage is booked on its projects."""

    name = models.CharField(max_length=80, unique=True)
    slug = models.SlugField(max_length=40, unique=True)  # the account of its jobs on a backend
    department = models.ForeignKey(Department, null=True, blank=True, on_delete=models.PROTECT, related_name="teams")
    members = models.ManyToManyField(User, through="accounting.Membership", related_name="teams")
    active = models.BooleanField(default=True)
    colour = models.PositiveSmallIntegerField(default=1)  # which of the four team colours; they repeat

    objects = TeamQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=models.Q(colour__gte=1, colour__lte=4), name="team_colour_1_to_4"),
        ]

    def __str__(self) -> str:
        return self.name


class Project(models.Model):
    """What inside a team usage is booked on."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="projects")
    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=40)
    active = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)

    class Meta:
        ordering = ["team", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "slug"],
                name="project_once_a_team",
                violation_error_message=_("The team has a project of this name already."),
            ),
            models.UniqueConstraint(
                fields=["team"], condition=models.Q(is_default=True), name="one_default_project_a_team"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person in a team, with a role."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=[(r.value, r.value) for r in OVER_TEAM])
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["team", "user"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "team"],
                name="member_once",
                violation_error_message=_("This person is in the team already."),
            ),
            models.CheckConstraint(condition=models.Q(role__in=[r.value for r in OVER_TEAM]), name="membership_role"),
        ]


class Grant(models.Model):
    """A role over a department, or over the whole centre where the department is empty."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="granted")
    role = models.CharField(max_length=10, choices=[(r.value, r.value) for r in OVER_CENTRE])
    department = models.ForeignKey(Department, null=True, blank=True, on_delete=models.CASCADE, related_name="grants")

    class Meta:
        ordering = ["user", "role"]
        constraints = [
            models.UniqueConstraint(fields=["user", "role", "department"], name="grant_once_a_department"),
            models.UniqueConstraint(
                fields=["user", "role"],
                condition=models.Q(department__isnull=True),
                name="grant_once_over_the_centre",
            ),
            models.CheckConstraint(
                condition=models.Q(department__isnull=True, role__in=[r.value for r in OVER_CENTRE])
                | models.Q(department__isnull=False, role__in=[r.value for r in OVER_DEPARTMENT]),
                name="grant_role_fits_its_reach",
            ),
        ]
