"""The bodies and answers of the playbook's REST door."""

from __future__ import annotations

from rest_framework import serializers as drf

from memories import schemas
from memories.actions import SUSPENSIONS
from memories.inputs import MAX_NAME
from memories.reading import ListFilter
from memories.serializers import NamespaceQuery
from memoryhub.fields import Choice, End, StrictSerializer, Text


class PlaybookQuery(StrictSerializer):
    namespace = NamespaceQuery(required=False)
    kind = Text(32, required=False)
    cursor = Text(1024, required=False)
    limit = drf.IntegerField(min_value=1, max_value=200, required=False, default=100)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        cursor, limit = attrs.pop("cursor", None), attrs.pop("limit")
        return {"chosen": ListFilter(**attrs), "cursor": cursor, "limit": limit}  # type: ignore[arg-type]


class SuspensionBody(StrictSerializer):
    reason = Choice(choices=SUSPENSIONS)


class RollBackBody(StrictSerializer):
    version_id = drf.UUIDField()
    valid_until = End(required=False, allow_null=True)
    evidence_id = Text(MAX_NAME, required=False, allow_null=True)


class ProcedureShown(drf.Serializer):
    """A procedure in parts; the title is the statement, when to use it are the conditions."""

    steps = drf.ListField(child=drf.CharField())
    stop_conditions = drf.ListField(child=drf.CharField())
    applies_to = drf.CharField(allow_null=True)
    owner = drf.CharField(allow_null=True)


class EntryShown(schemas.MemoryShown):
    procedure = ProcedureShown(allow_null=True, help_text="Null for a plain sentence.")


class EntryPage(drf.Serializer):
    items = EntryShown(many=True)
    next_cursor = drf.CharField(allow_null=True)
    has_more = drf.BooleanField()


class EntryVersions(drf.Serializer):
    items = EntryShown(many=True)
