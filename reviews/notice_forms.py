"""The forms of notices and of the activity log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import Day, midnight
from accounts.models import Membership
from reviews import notices
from reviews.activity import GROUPS, ActivityFilter

WAYS = ((notices.APP, _("in the pages")), (notices.MAIL, _("by e-mail")))

WHAT = [("", _("all")), *((name, label) for name, (label, _actions) in GROUPS.items())]
ACTORS = (("", _("all")), ("me", _("me")), ("agent", _("an agent")), ("other", _("others and MemoryHub itself")))


class NoticeForm(forms.Form):
    """For each kind of notice, the ways by which it comes."""

    def __init__(self, data: Any = None, *, person: Membership) -> None:
        super().__init__(data)
        self._kinds = notices.offered(person)
        self._unasked = {one for one in person.notices_off if one.partition(":")[0] not in self._kinds}
        for kind in self._kinds:
            self.fields[kind.value] = forms.MultipleChoiceField(
                label=kind.label,
                choices=WAYS,
                required=False,
                widget=forms.CheckboxSelectMultiple,
                initial=[way for way, _words in WAYS if notices.wants(person, kind, way)],
            )

    def off(self) -> set[str]:
        """What is not to come, as codes; what was not asked now stays as it was."""
        return self._unasked | {
            notices.code(kind, way)
            for kind in self._kinds
            for way, _words in WAYS
            if way not in self.cleaned_data[kind]
        }


class ActivityForm(forms.Form):
    """Which events a person wants to see. Days are those of the reader's time zone, both included."""

    since = Day(label=_("From"), required=False)
    until = Day(label=_("To"), required=False)
    group = forms.ChoiceField(
        label=_("What"),
        required=False,
        choices=[("", _("all")), *((name, label) for name, (label, _a) in GROUPS.items())],
    )
    actor = forms.ChoiceField(
        label=_("Done by"),
        required=False,
        choices=[
            ("", _("all")),
            ("me", _("me")),
            ("agent", _("an agent")),
            ("other", _("others and MemoryHub itself")),
        ],
    )
    own_reading = forms.BooleanField(label=_("also my own reading"), required=False)
    before = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def chosen(self) -> ActivityFilter:
        given = {name: value for name, value in self.cleaned_data.items() if value and name != "before"}
        if since := given.get("since"):
            given["since"] = midnight(since)
        if until := given.get("until"):
            given["until"] = midnight(until + timedelta(days=1))
        return ActivityFilter(**given)
