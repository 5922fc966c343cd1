"""The role table: who may do what, over what. One table in the code as in the design; everything that asks, asks here."""

from __future__ import annotations

from enum import StrEnum

from django.utils.translation import gettext_lazy as _


class Role(StrEnum):
    VIEWER = "viewer"
    MEMBER = "member"
    LEAD = "lead"
    APPROVER = "approver"
    OPERATOR = "operator"
    AUDITOR = "auditor"
    FINANCE = "finance"

    @property
    def label(self) -> str:
        return str(ROLE_LABELS[self])


ROLE_LABELS = {
    Role.VIEWER: _("viewer"),
    Role.MEMBER: _("member"),
    Role.LEAD: _("lead"),
    Role.APPROVER: _("approver"),
    Role.OPERATOR: _("operator"),
    Role.AUDITOR: _("auditor"),
    Role.FINANCE: _("finance"),
}


class May(StrEnum):
    """What one may do to a team or to something of a team's."""

    SEE = "see"  # name, script, log, person, cost
    SUBMIT = "submit"
    OPERATE_OWN = "operate_own"  # cancel, hold, release what one submitted oneself
    OPERATE = "operate"  # the same for any job of the team
    MANAGE = "manage"  # members, projects, presets, requests
    SEE_USAGE = "see_usage"  # amounts by project and person
    SEE_MONEY = "see_money"
    DECIDE = "decide"  # requests
    ADMINISTER = "administer"  # clusters, pools, nodes, policy
    SET_PRICES = "set_prices"


ALLOWS: dict[Role, frozenset[May]] = {
    Role.VIEWER: frozenset({May.SEE, May.SEE_USAGE, May.SEE_MONEY}),
    Role.MEMBER: frozenset({May.SEE, May.SEE_USAGE, May.SEE_MONEY, May.SUBMIT, May.OPERATE_OWN}),
    Role.LEAD: frozenset({May.SEE, May.SEE_USAGE, May.SEE_MONEY, May.SUBMIT, May.OPERATE_OWN, May.OPERATE, May.MANAGE}),
    Role.APPROVER: frozenset({May.SEE_USAGE, May.DECIDE}),
    Role.OPERATOR: frozenset({May.SEE, May.SEE_USAGE, May.OPERATE, May.ADMINISTER}),
    Role.AUDITOR: frozenset({May.SEE, May.SEE_USAGE, May.SEE_MONEY}),
    Role.FINANCE: frozenset({May.SEE, May.SEE_USAGE, May.SEE_MONEY, May.SET_PRICES}),
}

OVER_TEAM = (Role.VIEWER, Role.MEMBER, Role.LEAD)
OVER_DEPARTMENT = (Role.APPROVER, Role.AUDITOR)
OVER_CENTRE = (Role.APPROVER, Role.OPERATOR, Role.AUDITOR, Role.FINANCE)


def roles_that(may: May) -> list[Role]:
    return [role for role, allowed in ALLOWS.items() if may in allowed]
