"""The REST door of what people decide about remembering as such: their own rules, and trying a sentence out."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import Result
from accounts.principals import Scope
from memories import access, actions, own_rules
from memories.inputs import MAX_NAME, MAX_STATEMENT
from memories.models import OwnRule
from memories.wishes import MAX_DAYS
from memories.write_gate import EvidenceClass
from memoryhub.api import PeopleView
from memoryhub.fields import Choice, StrictSerializer, Text, Whole, stamp

RULE_TYPES = OwnRule.Type.values
TRIED_CLASSES = [EvidenceClass.explicit_user.value, EvidenceClass.model_inference.value]


class OwnRuleBody(StrictSerializer):
    type = Choice(choices=RULE_TYPES)
    text = Text(
        MAX_NAME, help_text="A topic or kind of the policy, a name with a star at an end, words, or an agent's name."
    )


class TrialBody(StrictSerializer):
    statement = Text(MAX_STATEMENT)
    kind = Text(MAX_NAME, required=False, default="preference")
    key = Text(MAX_NAME, required=False, default="")
    evidence = Choice(choices=TRIED_CLASSES, required=False, default=TRIED_CLASSES[0])


class OwnExpiryBody(StrictSerializer):
    days = serializers.DictField(
        child=Whole(min_value=1, max_value=MAX_DAYS),
        help_text="By kind, after how many days a new memory ends where no end is named; replaces what held before.",
    )


class OwnRuleShown(serializers.Serializer):
    id = serializers.UUIDField()
    type = serializers.ChoiceField(choices=RULE_TYPES)
    text = serializers.CharField(allow_null=True, help_text="Null where it looks like a secret: only a digest is kept.")
    created_at = serializers.DateTimeField()


class OwnRulesShown(serializers.Serializer):
    items = OwnRuleShown(many=True)


class TrialShown(serializers.Serializer):
    """What the write gate would decide now, and which checks would pass."""

    decision = serializers.CharField()
    reason = serializers.CharField()
    checks = serializers.ListField(child=serializers.DictField())


class OwnRulesView(PeopleView):
    """What a person never wants remembered."""

    scopes: ClassVar = {"GET": Scope.READ, "POST": Scope.PROPOSE}

    @extend_schema(operation_id="list_own_rules", responses=OwnRulesShown)
    def get(self, request: Request) -> Response:
        return Response({"items": [_shown(rule) for rule in own_rules.mine(self.principal)]})

    @extend_schema(operation_id="add_own_rule", request=OwnRuleBody, responses={201: OwnRuleShown})
    def post(self, request: Request) -> Response:
        body = self.read(OwnRuleBody)

        def work() -> Result:
            rule = actions.add_rule(self.principal, body["type"], body["text"])
            return Result(201, _shown(rule), {"rule": str(rule.pk)})

        return self.once(
            work, lambda status, refs: Result(status, _shown(access.own_rule(self.principal, str(refs["rule"]))))
        )


class OwnRuleView(PeopleView):
    """One of them. What it kept out does not come back by itself when it goes."""

    scopes: ClassVar = {"DELETE": Scope.PROPOSE}

    @extend_schema(operation_id="remove_own_rule", responses={204: None})
    def delete(self, request: Request, rule_id: str) -> Response:
        actions.remove_rule(self.principal, access.own_rule(self.principal, rule_id).pk)
        return Response(status=204)


class OwnRuleTrialView(PeopleView):
    """What would become of a sentence under the policy and the person's rules. Nothing of it is kept."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="try_own_rules", request=TrialBody, responses=TrialShown)
    def post(self, request: Request) -> Response:
        body = self.read(TrialBody)
        decision = own_rules.try_out(
            self.principal,
            body["statement"],
            body["kind"],
            body["key"],
            EvidenceClass(body["evidence"]),
            timezone.now(),
        )
        checks = [{"rule": check.rule, "passed": check.passed, "code": check.code} for check in decision.checks]
        return Response({"decision": decision.outcome, "reason": decision.reason, "checks": checks})


class OwnExpiryView(PeopleView):
    """When what is remembered about a person from now on ends, by kind, where no end is named."""

    scopes: ClassVar = {"GET": Scope.READ, "PUT": Scope.PROPOSE}

    @extend_schema(operation_id="show_own_expiry", responses=OwnExpiryBody)
    def get(self, request: Request) -> Response:
        return self._answer()

    @extend_schema(operation_id="set_own_expiry", request=OwnExpiryBody, responses=OwnExpiryBody)
    def put(self, request: Request) -> Response:
        actions.expire_after(self.principal, self.read(OwnExpiryBody)["days"])
        return self._answer()

    def _answer(self) -> Response:
        person = access.self_of(self.principal)
        return Response({"days": person.expiry_days if person else {}})


def _shown(rule: OwnRule) -> dict[str, Any]:
    return {"id": str(rule.pk), "type": rule.type, "text": rule.text, "created_at": stamp(rule.created_at)}
