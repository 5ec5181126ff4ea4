"""What tells of a forgotten person's or tenant's use: recalls with what was made of them, operations, the files
that were asked for or handed over, and the conversations that were looked through."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts import tenancy
from memories.exchange import files
from memories.models import Erasure, Evidence, Export, Extraction, Feedback, Import, Operation, Recall

SLICE = 1000
TRACES: tuple[tuple[str, type[models.Model]], ...] = (
    ("recalls", Recall),
    ("extractions", Extraction),
    ("operations", Operation),
    ("imports", Import),
    ("exports", Export),
)


def drop(erasure: Erasure) -> None:
    """Remove them a slice at a time, and count them in the receipt. For other scopes there is nothing to do."""
    whose = {
        Erasure.Scope.PERSON: Q(subject_id=erasure.target_id) | Q(actor_id=erasure.target_id),
        Erasure.Scope.TENANT: Q(),
    }.get(Erasure.Scope(erasure.scope))
    if whose is None:
        return
    # What was attested while the person was being forgotten.
    Evidence.objects.filter(subject_id=erasure.target_id).update(text=None, speaker="")
    exports = Export.objects.filter(whose)
    exports.exclude(state__in=files.ENDED).update(state=Export.State.WITHDRAWN, finished_at=timezone.now())
    files.clear(list(exports.values_list("pk", flat=True)))
    for store, model in TRACES:
        rows = model.objects.filter(whose)  # type: ignore[attr-defined]
        while gone := _drop_slice(erasure, store, rows):
            if gone < SLICE:
                break


def _drop_slice(erasure: Erasure, store: str, rows: models.QuerySet[Any]) -> int:
    with tenancy.atomic():
        ids = list(rows.order_by("pk").values_list("pk", flat=True)[:SLICE])
        if not ids:
            return 0
        counts = erasure.counts
        if store == "recalls":
            told, _ = Feedback.objects.filter(recall_id__in=ids).delete()
            counts["feedback"] = counts.get("feedback", 0) + told
        rows.model.objects.filter(pk__in=ids).delete()  # type: ignore[attr-defined]
        counts[store] = counts.get(store, 0) + len(ids)
        Erasure.objects.filter(pk=erasure.pk).update(counts=counts)
    return len(ids)
