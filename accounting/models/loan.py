from __future__ import annotations

from django.db import models


class LoanEntry(models.Model):
    """The journal of loans: a lender lent a borrower so much for one job, from then to then. Closed rows never change.

    The ledger itself is derived from what runs; this is its history. `job` is the job's number: rows of a higher app are
    named, not pointed at.
    """

    pool = models.ForeignKey("npu_inventory.Pool", on_delete=models.PROTECT, related_name="+")
    lender = models.ForeignKey(
        "accounting.Team", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )  # null: the elastic pool
    borrower = models.ForeignKey("accounting.Team", on_delete=models.PROTECT, related_name="+")
    job = models.PositiveBigIntegerField()
    grains = models.PositiveBigIntegerField()
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["since", "id"]
        verbose_name_plural = "loan entries"
        indexes = [models.Index(fields=["pool", "since"], name="loan_by_pool")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(lender__isnull=True) | ~models.Q(lender=models.F("borrower")),
                name="loan_between_two",
            ),
            models.CheckConstraint(condition=models.Q(grains__gt=0), name="loan_of_something"),
            models.UniqueConstraint(
                fields=["pool", "lender", "borrower", "job"],
                condition=models.Q(until__isnull=True),
                name="one_standing_loan_a_job_and_pair",
            ),
            models.UniqueConstraint(
                fields=["pool", "borrower", "job"],
                condition=models.Q(until__isnull=True, lender__isnull=True),
                name="one_standing_elastic_loan_a_job",
            ),
        ]
