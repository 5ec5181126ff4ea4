"""What people enter about webhooks."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.errors import InvalidInput
from accounts.models import Group
from accounts.principals import Principal, Role
from accounts.webhooks import subscriptions
from accounts.webhooks.addresses import MAX_URL
from accounts.webhooks.outbox import EVENTS

WORDS = {
    "candidate.waiting": _("something waits for a reviewer"),
    "candidate.decided": _("a reviewer has decided"),
    "entry.published": _("a new version holds in the playbook"),
    "entry.suspended": _("an entry of the playbook is suspended"),
    "entry.resumed": _("a suspended entry is used again"),
    "entry.expired": _("an entry of the playbook has expired"),
}
ERRORS = {
    "not_a_url": _("the address cannot be read"),
    "https_required": _("the address is not https"),
    "address_not_allowed": _("the address belongs to an inner network"),
    "unknown_host": _("the host has no address"),
    "timed_out": _("no answer in time"),
    "no_connection": _("no connection"),
    "refused_by_receiver": _("the receiver refused it"),
    "switched_off": _("the webhook was switched off"),
}
WHOLE_TENANT = "-"


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=MAX_URL,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text=_("A public https address. Messages hold ids, never what is remembered."),
    )
    group = forms.ChoiceField(label=_("What is told of"))
    events = forms.MultipleChoiceField(
        label=_("Tell when"), choices=[(event, WORDS[event]) for event in EVENTS], widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, principal: Principal, **options: Any) -> None:
        super().__init__(*args, **options)
        self._groups = {str(one.pk): one for one in subscriptions.groups(principal)}
        whole = [(WHOLE_TENANT, _("the whole organisation"))] if principal.has_role(Role.ADMIN) else []
        named = [(pk, f"{one.get_type_display()} {one.slug}") for pk, one in self._groups.items()]
        self.fields["group"].choices = [*whole, *named]

    @property
    def chosen_group(self) -> Group | None:
        """The chosen team or project; None is the whole tenant."""
        return self._groups.get(self.cleaned_data["group"])

    def show_refusal(self, error: InvalidInput) -> None:
        for one in error.errors:
            field = one.pointer if one.pointer in self.fields else None
            self.add_error(field, forms.ValidationError(gettext(one.detail), code=one.code))
