from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Source(models.TextChoices):
    """On whose quota capacity was used."""

    GUARANTEED = "guaranteed", _("own")
    ELASTIC = "elastic", _("elastic pool")
    BORROWED = "borrowed", _("borrowed")


class Price(models.Model):
    """Of one NPU for one hour, in micro-units of the currency, from a moment on. A change is a new row."""

    pool = models.ForeignKey("npu_inventory.Pool", on_delete=models.PROTECT, related_name="prices")
    source = models.CharField(max_length=12, choices=Source)
    micro_per_npu_hour = models.PositiveBigIntegerField()
    starts_at = models.DateTimeField()

    class Meta:
        ordering = ["pool", "source", "starts_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "source", "starts_at"],
                name="one_price_a_moment",
                violation_error_message=_("There is a price from this moment on already."),
            ),
        ]
