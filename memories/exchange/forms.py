"""What people choose when they take memories along or hand a file over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memories.exchange.exporting import ExportInput
from memories.exchange.importing import MAX_BYTES
from memories.forms import ref_of
from memories.models import Export, Import

EVERYTHING, TENANT = "readable", "tenant"


class ExportForm(forms.Form):
    place = forms.ChoiceField(label=_("Whose memories"))
    format = forms.ChoiceField(label=_("As"), choices=Export.Format, initial=Export.Format.JSONL)

    def __init__(self, *args: Any, places: Sequence[tuple[str, Any]], whole_tenant: bool, **options: Any) -> None:
        super().__init__(*args, auto_id="export_%s", **options)
        self.places = list(places)
        more = [(EVERYTHING, _("everything I may read"))] if len(places) > 1 else []
        more += [(TENANT, _("all teams, projects and agents, and my own (as administrator)"))] if whole_tenant else []
        self.fields["place"].choices = [*self.places, *more]

    def asked(self) -> ExportInput:
        place, format_ = self.cleaned_data["place"], self.cleaned_data["format"]
        named = [name for name, _label in self.places] if place == EVERYTHING else [place]
        refs = () if place == TENANT else tuple(ref_of(name) for name in named)
        return ExportInput(refs, format_, place == TENANT)


class FormatForm(forms.Form):
    format = forms.ChoiceField(label=_("As"), choices=Export.Format, initial=Export.Format.JSONL)


class ImportForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        help_text=_("At most 16 MiB and 10,000 lines. It is read at once and not kept as a file."),
    )
    format = forms.ChoiceField(label=_("What it is"), choices=Import.Format, initial=Import.Format.JSONL)
    place = forms.ChoiceField(
        label=_("Where it goes"),
        required=False,
        help_text=_("Only places where you may add memories take any."),
    )

    def __init__(self, *args: Any, places: Sequence[tuple[str, Any]], **options: Any) -> None:
        super().__init__(*args, auto_id="import_%s", **options)
        self.fields["place"].choices = [("", _("where each line says, else to me")), *places]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(_("The file is larger than 16 MiB; split it."), code="too_large")
        return file


class StartForm(forms.Form):
    replace = forms.BooleanField(
        label=_("Where something else is remembered, put the words of the file in its place"), required=False
    )
