"""The journal of loans: what the ledger that the engine derives was, from when to when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from accounting.models import LoanEntry

LoanKey = tuple[int | None, int, int]  # lender (None: the elastic pool), borrower, job


@transaction.atomic
def record(*, pool: int, at: datetime, ledger: Mapping[LoanKey, int]) -> int:
    """Makes the standing entries equal the ledger; returns the number of changes."""
    wanted = dict(ledger)
    over: list[int] = []
    for entry in LoanEntry.objects.filter(pool=pool, until__isnull=True):
        key = (entry.lender_id, entry.borrower_id, entry.job)
        if wanted.get(key) == entry.grains:
            del wanted[key]
        else:
            over.append(entry.pk)
    LoanEntry.objects.filter(pk__in=over).update(until=at)
    LoanEntry.objects.bulk_create(
        LoanEntry(pool_id=pool, lender_id=lender, borrower_id=borrower, job=job, grains=grains, since=at)
        for (lender, borrower, job), grains in wanted.items()
    )
    return len(over) + len(wanted)
