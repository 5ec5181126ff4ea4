"""What people enter about memories. Every text is taken as typed; the gate, not the form, judges content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.errors import InvalidInput
from accounts.forms import Day
from memories.access import NamespaceRef
from memories.actions import ForgetPlan
from memories.inputs import MAX_NAME, MAX_STATEMENT, MAX_VALUE_BYTES, ProposalInput
from memories.models import Memory, Namespace, Reveal
from memories.policy import Policy
from memories.reasons import FIELD_OF, sentence
from memoryhub.api import broken_characters

DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


def place_of(namespace: Namespace) -> str:
    """A namespace as one value of a choice or an address."""
    return f"{namespace.type}:{namespace.owner_name}"


def ref_of(place: str) -> NamespaceRef:
    type_, _colon, owner = place.partition(":")
    return NamespaceRef(type_, owner)


def place_choices(namespaces: Sequence[Namespace], own_id: object) -> list[tuple[str, Any]]:
    """The namespaces by names people know; one's own first."""
    own = [(place_of(one), _("you")) for one in namespaces if one.membership_id == own_id]
    others = [
        (place_of(one), f"{one.get_type_display()} {one.owner_name}")
        for one in namespaces
        if one.membership_id != own_id
    ]
    return own + others


def kind_choices(policy: Policy) -> list[tuple[str, str]]:
    return [(rule.name, rule.label.get(get_language() or "en")) for rule in policy.kinds]


class ContentForm(forms.Form):
    """The texts of a memory and its last day."""

    statement = forms.CharField(
        label=_("What should be remembered"),
        max_length=MAX_STATEMENT,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        help_text=_("One short sentence, as you would say it."),
    )
    conditions = forms.CharField(
        label=_("When it applies"),
        max_length=MAX_STATEMENT,
        required=False,
        widget=forms.TextInput(attrs={"dir": "auto"}),
        help_text=_("Leave empty if always."),
    )
    valid_until = Day(
        label=_("Last day"),
        required=False,
        widget=DAY,
        help_text=_("It ends when this day ends for its owner. Some kinds need one."),
    )

    def show_refusal(self, reason: str) -> None:
        """Put the gate's reason in words beside the field it speaks about."""
        field = FIELD_OF.get(reason)
        self.add_error(field if field in self.fields else None, forms.ValidationError(sentence(reason), code=reason))


class EntryForm(ContentForm):
    namespace = forms.ChoiceField(label=_("For"), help_text=_("Team and project memories are seen by their members."))
    kind = forms.ChoiceField(label=_("Kind"))
    key = forms.CharField(
        label=_("Name"),
        max_length=MAX_NAME,
        help_text=_("A short name such as answer_style. What you enter later under the same name replaces this."),
        widget=forms.TextInput(attrs={"list": "known-keys", "autocapitalize": "none", "spellcheck": "false"}),
    )
    field_order = ["statement", "key", "kind", "namespace", "conditions", "valid_until"]

    def __init__(self, *args: Any, policy: Policy, places: Sequence[tuple[str, Any]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["kind"].choices = kind_choices(policy)
        self.fields["namespace"].choices = list(places)

    def proposal(self) -> ProposalInput:
        given = self.cleaned_data
        return ProposalInput(
            namespace=ref_of(given["namespace"]),
            kind=given["kind"],
            key=given["key"],
            statement=given["statement"],
            conditions=given["conditions"] or None,
            valid_until=given["valid_until"],
        )


class VersionForm(forms.Form):
    """The version a person looked at when they pressed the button."""

    expected_version = forms.IntegerField(min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)


class FiniteDecoder(json.JSONDecoder):
    """JSON as the standard says it, in characters every database can hold, nested no deeper than can be read."""

    def decode(self, text: str, *args: Any) -> Any:
        try:
            found = super().decode(text, *args)
            json.dumps(found, allow_nan=False)
            if not broken_characters(found):
                return found
        except (ValueError, RecursionError):
            pass
        raise json.JSONDecodeError("not JSON", "", 0)


class JSONText(forms.JSONField):
    """A JSON value of bounded size."""

    widget = forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none"})

    def __init__(self, **options: Any) -> None:
        super().__init__(decoder=FiniteDecoder, **options)

    def to_python(self, value: Any) -> Any:
        found = super().to_python(value)
        if len(json.dumps(found, ensure_ascii=False).encode()) > MAX_VALUE_BYTES:
            raise forms.ValidationError(_("It is too large."), code="max_length")
        return found


class CorrectionForm(VersionForm, ContentForm):
    value = JSONText(
        label=_("Value for programs (JSON)"),
        required=False,
        help_text=_("Programs read this instead of the sentence; keep the two in step or empty it."),
    )

    def __init__(self, *args: Any, memory: Memory, **options: Any) -> None:
        shown = {
            "statement": memory.statement,
            "conditions": memory.conditions or "",
            "valid_until": last_day(memory),
            "value": memory.value,
            "expected_version": memory.version,
        }
        super().__init__(*args, initial=shown, **options)
        self.memory = memory
        if memory.value is None:
            del self.fields["value"]

    def changes(self) -> dict[str, Any]:
        """Only what the person changed: an untouched end keeps its exact instant."""
        touched = {name: self.cleaned_data[name] for name in self.changed_data if name != "expected_version"}
        return touched | ({"conditions": touched["conditions"] or None} if "conditions" in touched else {})

    def renewed(self, memory: Memory, statement: str) -> CorrectionForm:
        """The same entries with this statement, ready to be put over the version that is current now."""
        data = self.data.copy()
        data["expected_version"] = str(memory.version)
        data["statement"] = statement
        return CorrectionForm(data, memory=memory)


class ForgetForm(VersionForm):
    understood = forms.BooleanField(label=_("I understand that this cannot be undone"))


class WideForgetForm(forms.Form):
    """The yes to a plan that was shown; for an account also its name, typed."""

    confirm_token = forms.CharField(max_length=16_384, widget=forms.HiddenInput)
    typed = forms.CharField(max_length=MAX_NAME, required=False)
    understood = forms.BooleanField(label=_("I understand that this cannot be undone"))

    def show_refusal(self, error: InvalidInput) -> None:
        """Say beside the field what is missing."""
        if any(one.pointer == "typed" for one in error.errors):
            self.add_error("typed", _("Type the name exactly as it is shown."))
        else:
            self.add_error(None, _("This page was open too long. Look at the list again and confirm."))

    def with_token(self, plan: ForgetPlan) -> WideForgetForm:
        """The same entries for what is shown now."""
        if self.is_bound:
            data = self.data.copy()
            data["confirm_token"] = plan.confirm_token
            self.data = data
        self.initial["confirm_token"] = plan.confirm_token
        if plan.typed is None:
            del self.fields["typed"]
        else:
            self.fields["typed"].widget.attrs |= {"autocomplete": "off", "autocapitalize": "none"}
            self.fields["typed"].label = _("Type “%(name)s” to confirm") % {"name": plan.typed}
        return self


class RevealForm(forms.Form):
    """Whose memories somebody must read, and why."""

    person = forms.CharField(
        label=_("Whose memories"),
        max_length=MAX_NAME,
        help_text=_("The short name of the person, as it stands among the people here."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    ground = forms.ChoiceField(label=_("What for"), choices=Reveal.Ground.choices, widget=forms.RadioSelect)
    words = forms.CharField(
        label=_("Reason"),
        min_length=20,
        max_length=500,
        help_text=_("The person reads these words. Quote nothing of what you know of them."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )


def last_day(memory: Memory) -> Any:
    """The last day on which a memory holds, as its reader's calendar shows it."""
    if memory.valid_until is None:
        return None
    return timezone.localtime(memory.valid_until - timedelta(microseconds=1)).date()
