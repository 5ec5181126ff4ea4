"""What people enter about the playbook: procedures in parts, reasons, choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from accounts.errors import InvalidInput
from accounts.forms import Day
from memories import procedures
from memories.actions import SUSPENSIONS
from memories.forms import DAY, ContentForm, VersionForm, last_day, ref_of
from memories.inputs import MAX_NAME, ProposalInput
from memories.models import Memory
from memories.policy import Policy
from memories.procedures import Procedure

REASONS = {
    "harmful": _("it does harm"),
    "wrong": _("it is wrong"),
    "outdated": _("it is out of date"),
    "contradicted": _("runs speak against it"),
    "under_review": _("it is being looked at again"),
}
STATES = (
    ("", _("all")),
    ("active", _("active")),
    ("ending", _("end soon")),
    ("suspended", _("suspended")),
    ("expired", _("expired")),
)


class ChoiceForm(forms.Form):
    """Which entries of the playbook to show."""

    namespace = forms.ChoiceField(label=_("Belongs to"), required=False)
    kind = forms.ChoiceField(label=_("Kind"), required=False)
    state = forms.ChoiceField(label=_("Status"), choices=STATES, required=False)

    def __init__(self, *args: Any, policy: Policy, places: Sequence[tuple[str, Any]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["kind"].choices = [("", _("all")), *how_to_choices(policy)]
        self.fields["namespace"].choices = [("", _("all")), *places]


class SuspendForm(VersionForm):
    reason = forms.ChoiceField(label=_("Why"), choices=[("", _("choose…")), *((c, REASONS[c]) for c in SUSPENSIONS)])


class RenewForm(VersionForm):
    valid_until = Day(label=_("New last day"), widget=DAY)


class CompareForm(forms.Form):
    """Two versions of one entry."""

    older = forms.TypedChoiceField(label=_("From version"), coerce=int)
    newer = forms.TypedChoiceField(label=_("To version"), coerce=int)

    def __init__(self, *args: Any, versions: Sequence[Memory], **options: Any) -> None:
        super().__init__(*args, **options)
        numbers = [(one.version, one.version) for one in versions if one.status != Memory.Status.DELETED]
        for field in self.fields.values():
            field.choices = numbers
        if len(numbers) > 1:
            self.initial = {"older": numbers[1][0], "newer": numbers[0][0]}


class LinesField(forms.CharField):
    """A list of texts, one a line; empty lines do not count."""

    widget = forms.Textarea(attrs={"rows": 6, "dir": "auto"})

    def to_python(self, value: Any) -> list[str]:
        return [line.strip() for line in (super().to_python(value) or "").splitlines() if line.strip()]

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != self.to_python(data)


class ProcedureForm(ContentForm):
    """A procedure in parts, to be proposed anew or as another version of what stands."""

    steps = LinesField(label=_("Steps"), help_text=_("One step a line, in order."))
    stop_conditions = LinesField(
        label=_("Stop when"),
        required=False,
        help_text=_("One condition a line: when to stop and ask a person."),
    )
    applies_to = forms.CharField(
        label=_("Where it applies"), required=False, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    owner = forms.CharField(
        label=_("Kept up to date by"),
        required=False,
        widget=forms.TextInput(attrs={"dir": "auto"}),
        help_text=_("A team or role rather than a person."),
    )
    field_order = ["namespace", "kind", "key", "statement", "conditions", "steps", "stop_conditions", "applies_to"]
    field_order += ["owner", "valid_until"]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["statement"].label = _("Title")
        self.fields["statement"].help_text = _("What is done, in one short sentence.")
        self.fields["conditions"].label = _("When to use it")
        self.fields["valid_until"].required = True

    def clean(self) -> dict[str, Any]:
        """The parts hold what the service asks of them at every door; an error stands beside its field."""
        given = super().clean() or {}
        if "steps" in given:
            try:
                procedures.check(self.value())
            except InvalidInput as error:
                field = error.errors[0].pointer.split(".")[1]
                self.add_error(field, forms.ValidationError(gettext(error.detail), code=error.errors[0].code))
        return given

    def value(self) -> dict[str, Any]:
        """The parts as the memory's value."""
        given = self.cleaned_data
        return Procedure(
            tuple(given.get("steps", ())),
            tuple(given.get("stop_conditions", ())),
            given.get("applies_to", ""),
            given.get("owner", ""),
        ).value()


class NewEntryForm(ProcedureForm):
    namespace = forms.ChoiceField(label=_("For"))
    kind = forms.ChoiceField(label=_("Kind"))
    key = forms.CharField(
        label=_("Name"),
        max_length=MAX_NAME,
        help_text=_("A short name such as refund_check. What is approved later under the same name replaces this."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, policy: Policy, places: Sequence[tuple[str, Any]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["namespace"].choices = list(places)
        self.fields["kind"].choices = how_to_choices(policy)

    def proposal(self) -> ProposalInput:
        given = self.cleaned_data
        return ProposalInput(
            namespace=ref_of(given["namespace"]),
            kind=given["kind"],
            key=given["key"],
            statement=given["statement"],
            value=self.value(),
            conditions=given["conditions"] or None,
            valid_until=given["valid_until"],
        )


class NewVersionForm(VersionForm, ProcedureForm):
    def __init__(self, *args: Any, memory: Memory, **options: Any) -> None:
        parts = procedures.read(memory.value) or Procedure(())
        shown = {
            "statement": memory.statement,
            "conditions": memory.conditions or "",
            "steps": list(parts.steps),
            "stop_conditions": list(parts.stop_conditions),
            "applies_to": parts.applies_to,
            "owner": parts.owner,
            "valid_until": last_day(memory),
            "expected_version": memory.version,
        }
        super().__init__(*args, initial=shown, **options)

    def changes(self) -> dict[str, Any]:
        """What the new version says; an untouched end keeps its exact instant."""
        given = self.cleaned_data
        changes = {
            "statement": given["statement"],
            "conditions": given["conditions"] or None,
            "value": self.value(),
        }
        return changes | ({"valid_until": given["valid_until"]} if "valid_until" in self.changed_data else {})


def how_to_choices(policy: Policy) -> list[tuple[str, str]]:
    language = get_language() or "en"
    return [(rule.name, rule.label.get(language)) for rule in policy.kinds if rule.name in policy.how_to_kinds]
