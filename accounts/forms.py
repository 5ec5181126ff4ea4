"""The forms of a person's own settings, and the filters of the audit."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import agents
from accounts.audit_trail import TrailFilter
from accounts.models import Group, Membership
from accounts.principals import ActorKind, Principal, Role, Scope


class Day(forms.DateField):
    """A day that can be counted on from and back from."""

    widget = forms.DateInput(attrs={"type": "date"})
    default_validators = (MinValueValidator(date(1900, 1, 1)), MaxValueValidator(date(9000, 12, 31)))


SCOPE_WORDS = {
    Scope.READ: _("list and read memories"),
    Scope.RECALL: _("recall memories for a question"),
    Scope.PROPOSE: _("propose and correct memories"),
    Scope.FORGET: _("pause and forget memories"),
    Scope.AUDIT: _("read the audit trail"),
    Scope.ATTEST: _("say what you said or what happened"),
    Scope.ATTEST_REVIEW: _("say what a reviewer decided"),
    Scope.RELAY: _("pass on a yes or no of yours"),
    Scope.MINT: _("give its tools tokens with fewer rights"),
    Scope.PROVISION: _("set up people, agents and webhooks, where you maintain or administer"),
}
LIFETIMES = (("30", _("30 days")), ("90", _("90 days")), ("365", _("one year")))
ACTORS = (
    ("", _("all")),
    (ActorKind.PERSON.value, _("a person")),
    (ActorKind.AGENT.value, _("an agent")),
    (ActorKind.SYSTEM.value, _("MemoryHub itself")),
)
ROLES = (
    (Role.MEMBER.value, _("member: own memories")),
    (Role.REVIEWER.value, _("reviewer: decides what is shared")),
    (Role.AUDITOR.value, _("auditor: reads the audit")),
    (Role.ADMIN.value, _("administrator: people, teams, everything set up here")),
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


class AgentForm(forms.Form):
    """A new agent of one's own: what it is called and what it may do."""

    name = forms.CharField(label=_("Name"), max_length=64, help_text=_("Such as: writing assistant on my laptop"))
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        widget=forms.CheckboxSelectMultiple,
        choices=[(scope.value, SCOPE_WORDS[scope]) for scope in agents.GIVEN],
    )


class RotateForm(forms.Form):
    at_once = forms.BooleanField(
        label=_("End the old key at once"),
        required=False,
        help_text=_("If someone else may have seen it. Otherwise it stays valid for a day, so that nothing stops."),
    )


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(label=_("Roles"), widget=forms.CheckboxSelectMultiple, choices=ROLES)


class PersonForm(forms.Form):
    """Someone of the organisation who is to belong to a group."""

    person = forms.ModelChoiceField(label=_("Person"), queryset=Membership.everywhere.none())

    def __init__(self, *args: Any, people: QuerySet[Membership], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["person"].queryset = people
        self.fields["person"].label_from_instance = lambda one: one.name or one.external_id


class GroupForm(forms.Form):
    type = forms.ChoiceField(label=_("What it is"), choices=Group.Type.choices)
    slug = forms.SlugField(
        label=_("Short name"), max_length=64, help_text=_("How agents name it: letters, digits, hyphens. It stays.")
    )
    name = forms.CharField(label=_("Name"), max_length=200, required=False)


class InvitationForm(forms.Form):
    """An address to invite; on the page of a group straight `into` it."""

    email = forms.EmailField(label=_("E-mail address"), widget=forms.EmailInput(attrs={"autocomplete": "off"}))
    role = forms.ChoiceField(label=_("Role"), choices=ROLES, initial=Role.MEMBER.value)
    group = forms.ModelChoiceField(label=_("Straight into"), queryset=Group.everywhere.none(), required=False)

    def __init__(self, *args: Any, groups: QuerySet[Group], into: Group | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["group"].queryset = groups
        self.fields["group"].label_from_instance = lambda one: f"{one.get_type_display()} {one.name or one.slug}"
        self.fields["group"].empty_label = _("no team or project")
        if into is not None:
            del self.fields["group"], self.fields["role"]

    def clean(self) -> dict[str, Any]:
        return {"role": Role.MEMBER.value} | (super().clean() or {})


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=[(name, name) for name in THEMES])


class KeysForm(forms.Form):
    keys = forms.ChoiceField(choices=[("on", "on"), ("off", "off")])


class MembershipForm(forms.Form):
    membership = forms.UUIDField()


class AuditForm(forms.Form):
    """Which events an auditor wants to see. Days are those of the reader's time zone, both included."""

    since = Day(label=_("From"), required=False)
    until = Day(label=_("To"), required=False)
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
