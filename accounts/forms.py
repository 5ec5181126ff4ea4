"""The forms of a person's own settings, and the filters of the audit."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.audit_trail import TrailFilter
from accounts.principals import ActorKind, Principal, Scope

SCOPE_WORDS = {
    Scope.READ: _("list and read memories"),
    Scope.RECALL: _("recall memories for a question"),
    Scope.PROPOSE: _("propose and correct memories"),
    Scope.FORGET: _("pause and forget memories"),
    Scope.PROVISION: _("set up webhooks, where you maintain or administer"),
    Scope.AUDIT: _("read the audit trail"),
}
LIFETIMES = (("30", _("30 days")), ("90", _("90 days")), ("365", _("one year")))
ACTORS = (
    ("", _("all")),
    (ActorKind.PERSON.value, _("a person")),
    (ActorKind.AGENT.value, _("an agent")),
    (ActorKind.SYSTEM.value, _("MemoryHub itself")),
)
THEMES = ("system", "light", "dark")


class TimeZoneForm(forms.Form):
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        required=False,
        help_text=_("Times are shown in it, and a day you name as an end lasts until midnight there."),
    )

    def __init__(self, *args: Any, tenant_zone: str, **options: Any) -> None:
        super().__init__(*args, **options)
        zones = [(name, name.replace("_", " ")) for name in sorted(available_timezones()) if "/" in name]
        default = _("as the organisation: %(zone)s") % {"zone": tenant_zone}
        self.fields["time_zone"].choices = [("", default), ("UTC", "UTC"), *zones]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=64, help_text=_("So that you know later what uses it, such as: backup script")
    )
    scopes = forms.MultipleChoiceField(label=_("It may"), widget=forms.CheckboxSelectMultiple)
    days = forms.ChoiceField(label=_("Ends after"), choices=LIFETIMES, initial="90")

    def __init__(self, *args: Any, principal: Principal, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["scopes"].choices = [(s.value, words) for s, words in SCOPE_WORDS.items() if s in principal.scopes]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "days" in cleaned:
            cleaned["expires_at"] = timezone.now() + timedelta(days=int(cleaned["days"]))
        return cleaned


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=[(name, name) for name in THEMES])


class KeysForm(forms.Form):
    keys = forms.ChoiceField(choices=[("on", "on"), ("off", "off")])


class MembershipForm(forms.Form):
    membership = forms.UUIDField()


class AuditForm(forms.Form):
    """Which events an auditor wants to see. Days are those of the reader's time zone, both included."""

    since = forms.DateField(label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label=_("To"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    actor = forms.ChoiceField(label=_("Done by"), choices=ACTORS, required=False)
    action = forms.CharField(label=_("Action"), max_length=48, required=False)
    outcome = forms.CharField(label=_("Outcome"), max_length=32, required=False)
    party_id = forms.UUIDField(label=_("Id that takes part"), required=False)
    before = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def chosen(self) -> TrailFilter:
        given = {name: value for name, value in self.cleaned_data.items() if value and name != "before"}
        if since := given.get("since"):
            given["since"] = midnight(since)
        if until := given.get("until"):
            given["until"] = midnight(until + timedelta(days=1))
        return TrailFilter(**given)


def midnight(day: date) -> datetime:
    """The moment at which a day begins where the reader is."""
    return timezone.make_aware(datetime.combine(day, time.min))
