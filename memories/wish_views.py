"""The page on which people decide about remembering as such: on or off, when they are asked, what is never kept."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import InvalidInput
from accounts.models import Agent
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access, actions, own_rules, tenant_policy
from memories.models import OwnRule
from memories.policy import Policy
from memories.wish_forms import (
    AskForm,
    ExpiryForm,
    SubjectRuleForm,
    TextRuleForm,
    TrialForm,
    agent_choices,
    topic_choices,
)
from memories.wishes import Wishes
from memories.write_gate import EvidenceClass


@require_safe
@person_page
def show_wishes(request: HttpRequest, principal: Principal) -> HttpResponse:
    return _page(request, principal)


@require_POST
@person_page
def switch_memory(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Turn remembering off or on again."""
    wanted = request.POST.get("memory")
    if wanted not in ("on", "off"):
        return _page(request, principal, 400)
    on = wanted == "on"
    actions.switch_memory(principal, on=on)
    messages.success(request, _("Memory is on again.") if on else _("Memory is off: nothing is kept or handed out."))
    return redirect("wishes")


@require_POST
@person_page
def ask_me(request: HttpRequest, principal: Principal) -> HttpResponse:
    form = AskForm(request.POST, policy=tenant_policy.active())
    if not form.is_valid():
        return _page(request, principal, 400, ask_form=form)
    actions.ask_me(principal, form.cleaned_data["confirm"])
    messages.success(request, _("Your choice holds from now on."))
    return redirect("wishes")


@require_POST
@person_page
def expire_after(request: HttpRequest, principal: Principal) -> HttpResponse:
    """When what is remembered from now on ends, by kind."""
    form = ExpiryForm(request.POST, policy=tenant_policy.active())
    if not form.is_valid():
        return _page(request, principal, 400, expiry_form=form)
    actions.expire_after(principal, form.days())
    messages.success(request, _("Your choice holds for what is remembered from now on."))
    return redirect("wishes")


@require_POST
@person_page
def add_rule(request: HttpRequest, principal: Principal) -> HttpResponse:
    """A new rule: by topic or kind, or by words or name."""
    if "subject" in request.POST:
        choice = SubjectRuleForm(request.POST, policy=tenant_policy.active(), agents=access.agents(principal))
        if not choice.is_valid():
            return _page(request, principal, 400, subject_form=choice)
        actions.add_rule(principal, *choice.rule())
        return _rule_stands(request)
    form = TextRuleForm(request.POST)
    if form.is_valid():
        try:
            actions.add_rule(principal, *form.rule())
            return _rule_stands(request)
        except InvalidInput as error:
            form.show_refusal(error)
    return _page(request, principal, 400, text_form=form)


@require_POST
@person_page
def remove_rule(request: HttpRequest, principal: Principal, rule_id: uuid.UUID) -> HttpResponse:
    actions.remove_rule(principal, rule_id)
    messages.success(request, _("The rule is gone. What it kept out does not come back by itself."))
    return redirect("wishes")


@require_POST
@person_page
def try_out(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What the gate would say to a sentence. Nothing is kept, so repeating it changes nothing either."""
    form = TrialForm(request.POST, policy=tenant_policy.active())
    if not form.is_valid():
        return _page(request, principal, 400, trial_form=form)
    given = form.cleaned_data
    class_ = EvidenceClass(given["evidence"])
    decision = own_rules.try_out(principal, given["statement"], given["kind"], given["key"], class_, timezone.now())
    return _page(request, principal, trial_form=form, decision=decision)


@require_safe
@person_page
def fetch_rules(request: HttpRequest, principal: Principal) -> HttpResponse:
    """One's own rules as a file to take away. Words that are not kept stand there as null."""
    rules = [
        {"type": rule.type, "text": rule.text, "created_at": rule.created_at.isoformat()}
        for rule in own_rules.mine(principal)
    ]
    answer = JsonResponse({"rules": rules}, json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer["Content-Disposition"] = 'attachment; filename="memoryhub-rules.json"'
    return answer


def _rule_stands(request: HttpRequest) -> HttpResponse:
    messages.success(request, _("The rule stands. What is remembered already stays until you forget it."))
    return redirect("wishes")


def _page(request: HttpRequest, principal: Principal, status: int = 200, **forms: Any) -> HttpResponse:
    policy, person, agents = tenant_policy.active(), request.membership, access.agents(principal)
    shown = {
        "rules": [(rule, _named(rule, policy, agents)) for rule in own_rules.mine(principal)],
        "person": person,
        "policy": policy,
        "ask_form": AskForm(policy=policy, initial={"confirm": _level(policy, person.confirm)}),
        "expiry_form": ExpiryForm(policy=policy, initial=person.expiry_days),
        "subject_form": SubjectRuleForm(policy=policy, agents=agents),
        "text_form": TextRuleForm(),
        "trial_form": TrialForm(policy=policy),
    }
    return render(request, "memories/wishes.html", shown | forms, status=status)


def _level(policy: Policy, confirm: str) -> str:
    return Wishes(confirm=confirm).stricter(policy.confirm) if confirm else policy.confirm


def _named(rule: OwnRule, policy: Policy, agents: Sequence[Agent]) -> Any:
    """A rule's text as people know it; None for words that are not kept."""
    choices = {OwnRule.Type.TOPIC: topic_choices(policy), OwnRule.Type.AGENT: agent_choices(agents)}
    return dict(choices.get(OwnRule.Type(rule.type), [])).get(rule.text, rule.text)
