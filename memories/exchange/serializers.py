"""What the API takes and answers for exports and imports."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers as drf

from memories.exchange.exporting import ExportInput
from memories.models import Export, Import, ImportLine
from memories.serializers import MAX_NAMES, NamespaceInput, NamespaceQuery
from memoryhub.fields import Choice, Flag, StrictSerializer, Text

EXPORT_FORMATS = Export.Format.values
IMPORT_FORMATS = Import.Format.values
EXPORT_SCOPES = Export.Scope.values
ASKED_SCOPES = [Export.Scope.NAMESPACES.value, Export.Scope.TENANT.value]
EXPORT_STATES = Export.State.values
IMPORT_STATES = Import.State.values


class ExportBody(StrictSerializer):
    namespaces = drf.ListField(
        child=NamespaceInput(), min_length=1, max_length=MAX_NAMES, required=False, allow_null=True
    )
    scope = Choice(choices=ASKED_SCOPES, required=False, default=Export.Scope.NAMESPACES.value)
    format = Choice(choices=Export.Format.values, required=False, default=Export.Format.JSONL.value)

    def validate(self, attrs: dict[str, Any]) -> ExportInput:
        whole, named = attrs["scope"] == Export.Scope.TENANT, attrs.get("namespaces") or ()
        if whole and named:
            raise drf.ValidationError({"namespaces": [_("The whole organisation has them all; name none.")]})
        return ExportInput(tuple(named), attrs["format"], whole)


class QueryFlag(Flag):
    """true or false as a query string spells them."""

    def to_internal_value(self, data: Any) -> bool:
        return super().to_internal_value({"true": True, "false": False}.get(data, data))


class ImportQuery(StrictSerializer):
    dry_run = QueryFlag(required=False, default=False)
    format = Choice(choices=Import.Format.values, required=False, default=Import.Format.JSONL.value)
    namespace = NamespaceQuery(required=False)
    replace = QueryFlag(required=False, default=False)


class StartBody(StrictSerializer):
    replace = Flag(required=False, default=False)


class LinesQuery(StrictSerializer):
    result = Choice(choices=ImportLine.Result.values, required=False)
    cursor = Text(1024, required=False)
    limit = drf.IntegerField(min_value=1, max_value=200, required=False, default=100)


class FileProgressShown(drf.Serializer):
    done = drf.IntegerField()
    total = drf.IntegerField()


class ExportShown(drf.Serializer):
    """An export and how far it is. `sha256`, `size` and `expires_at` are there while the file is."""

    id = drf.UUIDField()
    state = drf.ChoiceField(choices=EXPORT_STATES)
    scope = drf.ChoiceField(choices=EXPORT_SCOPES)
    format = drf.ChoiceField(choices=Export.Format.values)
    progress = FileProgressShown(help_text="Memories written and to be written.")
    size = drf.IntegerField(allow_null=True)
    sha256 = drf.CharField(allow_null=True)
    error = drf.CharField(allow_null=True)
    created_at = drf.DateTimeField()
    finished_at = drf.DateTimeField(allow_null=True)
    expires_at = drf.DateTimeField(allow_null=True)


class LineShown(drf.Serializer):
    """One line: its number in the file, what becomes of it and why. `key` and `statement` only while it is staged."""

    line = drf.IntegerField()
    result = drf.ChoiceField(choices=ImportLine.Result.values)
    reason = drf.CharField()
    field = drf.CharField(allow_null=True)
    key = drf.CharField(allow_null=True)
    statement = drf.CharField(allow_null=True)


class ImportShown(drf.Serializer):
    """A handed-over file. `examples` holds the first lines of each result."""

    id = drf.UUIDField()
    state = drf.ChoiceField(choices=IMPORT_STATES)
    format = drf.ChoiceField(choices=Import.Format.values)
    replace = drf.BooleanField()
    counts = drf.DictField(child=drf.IntegerField(), help_text="Lines by result.")
    progress = FileProgressShown(help_text="Lines settled and lines there are.")
    examples = LineShown(many=True)
    error = drf.CharField(allow_null=True)
    created_at = drf.DateTimeField()
    finished_at = drf.DateTimeField(allow_null=True)
    expires_at = drf.DateTimeField(allow_null=True)


class LinePage(drf.Serializer):
    items = LineShown(many=True)
    next_cursor = drf.CharField(allow_null=True)
    has_more = drf.BooleanField()
