"""The back office of memories: ids, states and times. No column that can hold a remembered text is named here."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin import ErrandAdmin, MetadataAdmin
from accounts.principals import Principal
from memories.extraction import asking
from memories.models import (
    Candidate,
    Erasure,
    Evidence,
    Export,
    Extraction,
    Import,
    Memory,
    Namespace,
    Operation,
    PolicyVersion,
    Recall,
    Reveal,
)


@admin.register(PolicyVersion)
class PolicyVersionAdmin(MetadataAdmin):
    shown = ("version", "is_active", "created_by", "created_at")


@admin.register(Namespace)
class NamespaceAdmin(MetadataAdmin):
    shown = ("type", "membership", "agent", "group", "revision", "created_at")
    list_filter = ("type",)


@admin.register(Memory)
class MemoryAdmin(MetadataAdmin):
    shown = ("namespace", "version", "status", "kind", "evidence_class", "policy_version", "created_at", "valid_until")
    list_filter = ("status", "kind", "evidence_class")


@admin.register(Candidate)
class CandidateAdmin(MetadataAdmin):
    shown = ("namespace", "action", "status", "awaiting", "reason", "kind", "created_at", "lapses_at", "decided_at")
    list_filter = ("status", "awaiting", "action")


@admin.register(Evidence)
class EvidenceAdmin(MetadataAdmin):
    shown = ("type", "subject", "agent", "reviewer", "occurred_at", "expires_at", "created_at")
    list_filter = ("type",)


@admin.register(Operation)
class OperationAdmin(MetadataAdmin):
    shown = ("verb", "decision", "reason", "memory", "candidate", "policy_version", "created_at")
    list_filter = ("verb", "decision", "reason")


@admin.register(Recall)
class RecallAdmin(MetadataAdmin):
    shown = ("status", "actor_id", "subject_id", "agent_id", "created_at")
    list_filter = ("status",)


@admin.register(Reveal)
class RevealAdmin(MetadataAdmin):
    shown = ("namespace", "reader", "ground", "created_at", "until")
    list_filter = ("ground",)


@admin.register(Erasure)
class ErasureAdmin(MetadataAdmin):
    shown = ("state", "actor_id", "subject_id", "counts", "attempts", "created_at", "hidden_at", "purged_at")
    list_filter = ("state",)


@admin.register(Export)
class ExportAdmin(ErrandAdmin):
    shown = ("state", "scope", "format", "written", "total", "size")
    list_filter = ("state", "scope", "format")


@admin.register(Import)
class ImportAdmin(ErrandAdmin):
    shown = ("state", "format", "replaces", "total")
    list_filter = ("state", "format")


@admin.register(Extraction)
class ExtractionAdmin(ErrandAdmin):
    shown = ("state", "method", "total", "withheld")
    list_filter = ("state", "method")

    def retry(self, principal: Principal, errand: Extraction) -> None:
        asking.try_again(principal, errand)
