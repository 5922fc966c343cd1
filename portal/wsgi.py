"""The web process. A portal that is half configured does not start: it says what is missing (portal/checks.py)."""

from __future__ import annotations

import os

from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
application = get_wsgi_application()
call_command("check", tags=["security"], verbosity=0)
# Now, not in the first request of each worker: they share what is loaded before the fork.
_addresses = get_resolver().url_patterns
