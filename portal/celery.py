"""The Celery application. Tasks are named and thin; the schedule stands here, in code and review."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

app = Celery("portal")
app.set_default()  # what is "current" holds for one thread only; web threads would send to Celery's own default
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    "pass": {"task": "scheduling.run_pass", "schedule": settings.PASS_EVERY_SECONDS, "options": {"expires": 10}},
    "observe": {"task": "scheduling.observe", "schedule": settings.OBSERVE_EVERY_SECONDS, "options": {"expires": 5}},
    "dispatch": {"task": "scheduling.dispatch", "schedule": 5, "options": {"expires": 10}},
    "housekeeping": {"task": "scheduling.housekeeping", "schedule": 3600, "options": {"expires": 1800}},
}

if settings.DEMO:
    app.conf.beat_schedule["demo"] = {"task": "portal.demo_goes_on", "schedule": 60, "options": {"expires": 30}}


@setup_logging.connect
def use_the_portals_logging(**_: object) -> None:
    """Celery leaves logging alone when somebody answers this signal; Django has set it up already."""
