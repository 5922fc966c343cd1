from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
application = get_wsgi_application()
_ = (
    get_resolver().url_patterns
)  # now, not in the first request of each worker: they share what is loaded before the fork
