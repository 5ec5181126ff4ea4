"""How people narrow their list, choose several memories in it, and keep a view under a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.forms import Day
from accounts.models import Agent
from memories.forms import DAY, kind_choices, ref_of
from memories.inputs import MAX_QUERY
from memories.listing import SIZES, Wanted
from memories.policy import Policy
from memories.reasons import EVIDENCE

ANY = ("", _("all"))
TABS = (
    ("", _("current")),
    ("active", _("active")),
    ("paused", _("paused")),
    ("expired", _("expired")),
    ("superseded", _("superseded")),
)
SORTS = (
    ("", _("newest first")),
    ("oldest", _("oldest first")),
    ("changed", _("last changed first")),
    ("used", _("most used first")),
    ("ending", _("ending soonest first")),
)
SENSITIVITIES = (ANY, ("personal", _("personal")), ("internal", _("internal")))
USES = (ANY, ("30", _("not in 30 days")), ("90", _("not in 90 days")))
ENDS = (ANY, ("7", _("within 7 days")), ("30", _("within 30 days")))
READY = (
    (_("Ending soon"), "ends=30&sort=ending"),
    (_("Not used for 90 days"), "unused=90"),
    (_("Most used"), "sort=used"),
)
"""Views that everyone has."""
MAX_CHOSEN = 100
CHIPS = ("q", "kind", "namespace", "agent", "source", "sensitivity", "ends", "unused", "since", "until")


class FilterForm(forms.Form):
    q = forms.CharField(
        label=_("Search"),
        max_length=MAX_QUERY,
        required=False,
        widget=forms.TextInput(
            attrs={"type": "search", "dir": "auto", "data-key": "/"}
            | {"aria-label": _("Search my memories"), "placeholder": _("Search my memories")}
        ),
    )
    status = forms.ChoiceField(label=_("Status"), choices=TABS, required=False)
    kind = forms.ChoiceField(label=_("Kind"), required=False)
    namespace = forms.ChoiceField(label=_("Belongs to"), required=False)
    agent = forms.ChoiceField(label=_("Proposed by"), required=False)
    source = forms.ChoiceField(label=_("Rests on"), choices=[ANY, *EVIDENCE.items()], required=False)
    sensitivity = forms.ChoiceField(label=_("Sensitivity"), choices=SENSITIVITIES, required=False)
    ends = forms.ChoiceField(label=_("Ends"), choices=ENDS, required=False)
    unused = forms.ChoiceField(label=_("Used by an agent"), choices=USES, required=False)
    since = Day(label=_("Remembered from"), required=False, widget=DAY)
    until = Day(label=_("Remembered to"), required=False, widget=DAY)
    sort = forms.ChoiceField(label=_("Order"), choices=SORTS, required=False)
    size = forms.TypedChoiceField(
        label=_("On one page"), choices=[(one, str(one)) for one in SIZES], coerce=int, required=False, empty_value=None
    )

    def __init__(
        self, data: QueryDict, *, policy: Policy, places: Sequence[tuple[str, Any]], agents: Sequence[Agent]
    ) -> None:
        super().__init__(data)
        self.fields["kind"].choices = [ANY, *kind_choices(policy)]
        self.fields["namespace"].choices = [ANY, *places]
        self.fields["agent"].choices = [ANY, *((str(one.pk), one.name or one.slug) for one in agents)]

    def wanted(self, now: datetime) -> Wanted:
        given = self.cleaned_data
        ends, unused = given["ends"], given["unused"]
        return Wanted(
            tab=given["status"],
            namespace=ref_of(given["namespace"]) if given["namespace"] else None,
            kind=given["kind"] or None,
            q=given["q"] or None,
            agent_id=given["agent"] or None,
            evidence_class=given["source"] or None,
            sensitivity=given["sensitivity"] or None,
            since=_midnight(given["since"]) if given["since"] else None,
            until=_midnight(given["until"] + timedelta(days=1)) if given["until"] else None,
            ends_before=now + timedelta(days=int(ends)) if ends else None,
            unused_since=now - timedelta(days=int(unused)) if unused else None,
            sort=given["sort"],
            size=given["size"] or SIZES[0],
        )

    def chips(self) -> list[dict[str, Any]]:
        """Each filter that is set, in words, and the address without it."""
        shown = []
        for name in CHIPS:
            if value := self.cleaned_data.get(name):
                choices = getattr(self.fields[name], "choices", None)
                words = dict(choices).get(value, value) if choices else value
                shown.append({"label": self.fields[name].label, "words": words, "without": self.address(**{name: ""})})
        return shown

    def tabs(self, counts: Mapping[str, int]) -> list[dict[str, Any]]:
        chosen = self.cleaned_data["status"]
        return [
            {"words": words, "count": counts[name], "address": self.address(status=name), "is_here": name == chosen}
            for name, words in TABS
        ]

    def address(self, **changes: str) -> str:
        """The query string of these filters with some of them changed, always on the first page."""
        query = self.data.copy()
        query.pop("page", None)
        for name, value in changes.items():
            query[name] = value
        for name in [name for name, value in query.items() if not value or name not in self.fields]:
            del query[name]
        return query.urlencode()


class PickedForm(forms.Form):
    """Some memories of a list, and the filters of that list."""

    id = forms.TypedMultipleChoiceField(coerce=lambda text: forms.UUIDField().clean(text), required=False)
    back = forms.CharField(max_length=4000, required=False)
    named: Sequence[str] = ("id",)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        # Whatever is named is looked up for this person; only its form and number are checked here.
        for name in self.named:
            given = list(dict.fromkeys(data.getlist(name)))[: MAX_CHOSEN + 1]
            self.fields[name].choices = [(one, one) for one in given]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        counts = [len(cleaned.get(name, ())) for name in self.named]
        if not any(counts):
            raise forms.ValidationError(_("Choose at least one memory first."), code="required")
        if max(counts) > MAX_CHOSEN:
            raise forms.ValidationError(_("Choose at most 100 memories at a time."), code="max_length")
        return cleaned

    def list_query(self) -> str:
        """The filters, also of a form with faults."""
        return QueryDict(str(self.data.get("back", ""))[:4000]).urlencode()


class SeveralForm(PickedForm):
    """What to do with them; `seen` names each with the version that was looked at."""

    ACTIONS = (("pause", _("Pause")), ("resume", _("Use again")), ("renew", _("Extend")), ("forget", _("Forget")))
    action = forms.ChoiceField(choices=ACTIONS)
    seen = forms.TypedMultipleChoiceField(coerce=lambda text: _seen(text), required=False)
    valid_until = Day(label=_("New last day"), required=False, widget=DAY)
    understood = forms.BooleanField(label=_("I understand that this cannot be undone"), required=False)
    named = ("id", "seen")


class ViewForm(forms.Form):
    name = forms.CharField(label=_("Name of this view"), max_length=64)
    query = forms.CharField(max_length=1000, required=False, widget=forms.HiddenInput)


def _seen(text: str) -> tuple[Any, int]:
    """A memory and a version, as `id:version`."""
    name, _colon, version = text.partition(":")
    return forms.UUIDField().clean(name), forms.IntegerField(min_value=1, max_value=2**31 - 1).clean(version)


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
