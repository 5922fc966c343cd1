from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection

from accounting.models import Token, User
from accounting.services import tokens
from portal.kit import clock
from portal.kit.errors import PortalError
from scheduling.texts import refusal


class Command(BaseCommand):
    help = "Makes a token for the REST API and prints it, this once."
    requires_system_checks = []  # it needs the database alone; a shell beside the portal has none of its secrets

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="the name that the person signs in with")
        parser.add_argument("--name", default="made on the command line", help="what it is for")
        parser.add_argument("--read-only", action="store_true", help="it may look, not change")
        parser.add_argument("--days", type=int, help="it expires after so many days; without: never")

    def handle(self, *args: Any, user: str, name: str, read_only: bool, days: int | None, **options: Any) -> None:
        person = find_person(user)
        if person is None:
            raise CommandError(f"There is no active user {user!r}.")
        try:
            _, key = tokens.make(
                person,
                name=name,
                scope=Token.Scope.READ if read_only else Token.Scope.WRITE,
                expires_at=None if days is None else clock.now() + timedelta(days=days),
            )
        except PortalError as error:
            raise CommandError(refusal(error)) from error
        self.stdout.write(key)


def find_person(username: str) -> User | None:
    try:
        return User.objects.filter(username=username, is_active=True).first()
    except DatabaseError as error:
        raise CommandError(
            f"There is no portal in the database {connection.settings_dict['NAME']} ({error}).\n"
            "Name the portal's own: VAR=/its/folder for a demo, DATABASE_URL=postgres://... in production."
        ) from None
