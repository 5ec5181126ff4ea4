"""What one may ask on the page that tries a recall."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from typing import Any, cast

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.forms import Day
from memories.forms import DAY, place_choices
from memories.inputs import MAX_QUERY, MAX_TOKENS
from memories.models import Namespace
from memories.recall_gate import Mode
from memoryhub.api import broken_characters

MODES = (
    (Mode.GENEROUS.value, _("generous: rather too much")),
    (Mode.BALANCED.value, _("balanced")),
    (Mode.PRECISE.value, _("precise: rather too little")),
)


class PlaygroundForm(forms.Form):
    """A question to try, where to look and what it may cost."""

    query = forms.CharField(label=_("Question"), max_length=MAX_QUERY)
    namespace = forms.ChoiceField(label=_("Where"), required=False)
    mode = forms.ChoiceField(label=_("How sure"), choices=MODES, initial=Mode.GENEROUS.value)
    as_of = Day(label=_("As of"), required=False, widget=DAY, help_text=_("What held at the end of this day."))
    token_budget = forms.IntegerField(label=_("Tokens at most"), min_value=1, max_value=MAX_TOKENS, required=False)

    def __init__(self, *args: Any, places: Sequence[Namespace], own_id: object, **options: Any) -> None:
        super().__init__(*args, **options)
        where = cast(forms.ChoiceField, self.fields["namespace"])
        where.choices = [("", _("everywhere")), *place_choices(places, own_id)]

    def clean_query(self) -> str:
        query: str = self.cleaned_data["query"]
        if broken_characters(query):
            raise forms.ValidationError(_("It holds a character that no text has."), code="broken_characters")
        return query

    def clean_as_of(self) -> datetime | None:
        day = self.cleaned_data["as_of"]
        return timezone.make_aware(datetime.combine(day, time.max)) if day else None
