"""The web process. A portal that is half configured does not start: it says what is missing (portal/checks.py)."""

from __future__ import annotations

import os

from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
application = get_wsgi_application()
# This also loads all addresses and views now, not in the first request of each worker: they share it after the fork.
call_command("check", verbosity=0)
