from accounting.models.event import AccountingEvent
from accounting.models.loan import LoanEntry
from accounting.models.people import Department, Grant, Membership, Project, Team, User
from accounting.models.price import Price
from accounting.models.quota import Quota
from accounting.models.token import Token
from accounting.models.usage import UsageInterval

__all__ = [
    "AccountingEvent",
    "Department",
    "Grant",
    "LoanEntry",
    "Membership",
    "Price",
    "Project",
    "Quota",
    "Team",
    "Token",
    "UsageInterval",
    "User",
]
