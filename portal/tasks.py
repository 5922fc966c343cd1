"""Tasks of the site itself."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from portal.kit.locks import named_lock
from portal.management import demo_stage


@shared_task(name="portal.demo_goes_on")
def demo_goes_on() -> None:
    with named_lock("portal.demo", wait=False) as got:
        if got and settings.DEMO:
            demo_stage.go_on()
