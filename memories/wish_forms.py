"""The forms of what people decide about remembering: their rules, when they are asked, and trying a sentence out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts.errors import InvalidInput
from accounts.models import Agent
from memories.forms import kind_choices
from memories.inputs import MAX_NAME, MAX_STATEMENT
from memories.models import OwnRule
from memories.policy import Policy
from memories.wishes import LEVELS, PRIVATE_LIFE, longest
from memories.write_gate import EvidenceClass

LEVEL_WORDS = {
    "inferred_only": _("Only when an agent guesses; what I say myself is remembered at once"),
    "agent_writes": _("Whenever an agent proposes something, except settings with known values that I chose"),
    "always": _("Always: nothing that an agent proposes is remembered before I agree"),
}
RULE_PROBLEMS = {
    "not_a_phrase": _("Name one to eight words."),
    "not_a_name": _("A name has at least one letter or digit."),
    "sensitive_or_prohibited": _("It looks like a secret or an identifier. Enter it as words: then it is not kept."),
    "too_many_rules": _("There are too many rules; remove some first."),
}
SAID = (
    (EvidenceClass.explicit_user.value, _("I said it to an agent")),
    (EvidenceClass.model_inference.value, _("an agent guesses it")),
)


def topic_choices(policy: Policy) -> list[tuple[str, Any]]:
    """What a person may refuse to have remembered, by names people know; their private life first."""
    language = get_language() or "en"
    private = (PRIVATE_LIFE, _("private life: health, beliefs, family, origin, money troubles"))
    return [private, *((topic.name, topic.label.get(language)) for topic in policy.topics)]


def agent_choices(agents: Sequence[Agent]) -> list[tuple[str, str]]:
    """Agents by the names people know."""
    return [(agent.slug, agent.name or agent.slug) for agent in agents]


class SubjectRuleForm(forms.Form):
    """A rule against a topic, a kind or an agent, as one choice."""

    subject = forms.ChoiceField(label=_("Never remember"))

    def __init__(self, *args: Any, policy: Policy, agents: Sequence[Agent], **options: Any) -> None:
        super().__init__(*args, **options)
        groups = [
            (OwnRule.Type.TOPIC, _("Topics"), topic_choices(policy)),
            (OwnRule.Type.KIND, _("Kinds"), kind_choices(policy)),
            (OwnRule.Type.AGENT, _("Agents: they neither keep anything nor get anything back"), agent_choices(agents)),
        ]
        self.fields["subject"].choices = [
            (words, [(f"{type_}:{name}", label) for name, label in choices])
            for type_, words, choices in groups
            if choices
        ]

    def rule(self) -> tuple[str, str]:
        type_, _colon, name = self.cleaned_data["subject"].partition(":")
        return type_, name


class TextRuleForm(forms.Form):
    """A rule against words, or against the names under which something would be remembered."""

    text = forms.CharField(label=_("Never remember anything with"), max_length=MAX_NAME)
    type = forms.ChoiceField(
        label=_("This is"),
        choices=[
            (OwnRule.Type.PHRASE.value, _("words, wherever they stand in it")),
            (OwnRule.Type.KEY.value, _("the name it would have; a * at an end stands for anything")),
        ],
        initial=OwnRule.Type.PHRASE.value,
        widget=forms.RadioSelect,
    )

    def rule(self) -> tuple[str, str]:
        return self.cleaned_data["type"], self.cleaned_data["text"]

    def show_refusal(self, error: InvalidInput) -> None:
        """Say beside the text why it is no rule."""
        self.add_error("text", RULE_PROBLEMS[error.errors[0].code])


class AskForm(forms.Form):
    """When the person wants to be asked: as the policy says, or more often."""

    confirm = forms.ChoiceField(label=_("Ask me before something is remembered"), widget=forms.RadioSelect)

    def __init__(self, *args: Any, policy: Policy, **options: Any) -> None:
        super().__init__(*args, **options)
        allowed = LEVELS[LEVELS.index(policy.confirm) :]
        self.fields["confirm"].choices = [(level, LEVEL_WORDS[level]) for level in allowed]


class ExpiryForm(forms.Form):
    """After how many days what is remembered of each kind ends, where no end is named; blank for no wish."""

    def __init__(self, *args: Any, policy: Policy, **options: Any) -> None:
        super().__init__(*args, **options)
        language = get_language() or "en"
        for kind in policy.kinds_in("user"):
            self.fields[kind.name] = forms.IntegerField(
                label=kind.label.get(language),
                required=False,
                min_value=1,
                max_value=longest(kind),
                help_text=_("At most %(days)s days; left empty, as it was proposed.") % {"days": longest(kind)},
            )

    def days(self) -> dict[str, int]:
        return {kind: days for kind, days in self.cleaned_data.items() if days is not None}


class TrialForm(forms.Form):
    """A sentence to try out, with what the gate looks at besides."""

    statement = forms.CharField(
        label=_("A sentence"), max_length=MAX_STATEMENT, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"})
    )
    evidence = forms.ChoiceField(label=_("Suppose"), choices=SAID, initial=SAID[0][0])
    kind = forms.ChoiceField(label=pgettext_lazy("of a memory", "Kind"))
    key = forms.CharField(label=_("Name"), max_length=MAX_NAME, required=False)

    def __init__(self, *args: Any, policy: Policy, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["kind"].choices = kind_choices(policy)
