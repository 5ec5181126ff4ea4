"""What people answer to what waits: always bound to the exact content they were shown."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memories.forms import DAY
from memories.models import Candidate
from memories.policy import Policy


class AnswerForm(forms.Form):
    """An answer to one candidate."""

    content_hash = forms.CharField(max_length=128, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, candidate: Candidate, policy: Policy) -> None:
        super().__init__(data, initial={"content_hash": candidate.content_hash}, auto_id=f"{candidate.pk}_%s")


class ApprovalForm(AnswerForm):
    """A yes. A reviewer may name another last day; whoever approves must name one where the kind needs it."""

    valid_until = forms.DateField(
        label=_("Last day"), required=False, widget=DAY, help_text=_("Leave empty to keep the end shown above.")
    )

    def __init__(self, data: Any = None, *, candidate: Candidate, policy: Policy) -> None:
        super().__init__(data, candidate=candidate, policy=policy)
        rule, field = policy.kind(candidate.kind), self.fields["valid_until"]
        remembers = candidate.action == Candidate.Action.REMEMBER
        if remembers and rule is not None and rule.expiry_required and candidate.valid_until is None:
            field.required, field.help_text = True, _("This kind of memory needs a last day.")
            if rule.default_days is not None:
                field.initial = timezone.localdate() + timedelta(days=rule.default_days)
        elif not remembers or candidate.awaiting == Candidate.Awaiting.OWNER:
            del self.fields["valid_until"]
