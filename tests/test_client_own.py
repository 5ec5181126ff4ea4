"""The SDK for what people decide about remembering as such: both clients, with a token of the person's own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cast import Caller, Company, now, sentence, word
from client_door import told

from memories.models import Memory, OwnRule
from memoryhub.client import InvalidRequest, NotAllowed, NotFound

pytestmark = pytest.mark.usefixtures("pauses")


def her_token(acme: Company) -> Caller:
    """Alice with a token that she made on her page."""
    given = {"name": "script", "scopes": ["memory:read", "memory:propose"], "days": "30"}
    page = acme.person("alice").client.post("/settings/tokens/", given).content.decode()
    return Caller(re.findall(r"mh_p[0-9a-f]{12}_[0-9a-f]{64}", page)[0], None)


def test_own_rules_are_kept_tried_and_removed(acme: Company, connect: Any) -> None:
    mark, me, agent = word(), connect(her_token(acme)), connect(acme.alice)
    rule = me.add_own_rule("phrase", mark)
    assert me.add_own_rule("phrase", mark) == rule, "the same rule stands once"
    assert (me.own_rules(), rule.text, mark in repr(rule)) == ((rule,), mark, False)
    tried = me.try_own_rules(sentence(mark))
    assert (tried.decision, tried.reason) == ("reject", "do_not_remember")
    assert [check.rule for check in tried.checks if not check.passed] == ["own_rules"]
    assert agent.propose(**told(statement=sentence(mark))).reason == "do_not_remember"
    assert me.try_own_rules(sentence(), kind="preference", key="tone").decision == "store"
    assert me.remove_own_rule(rule.id) is None
    assert me.own_rules() == ()
    assert agent.propose(**told(statement=sentence(mark))).stored
    with pytest.raises(NotFound):
        me.remove_own_rule(rule.id)
    with pytest.raises(InvalidRequest) as wrong:
        me.add_own_rule("topic", "weather")
    assert wrong.value.fields[0].code == "unknown_topic"
    with acme.entered():
        assert (OwnRule.objects.count(), Memory.objects.count()) == (0, 1)


def test_ones_own_end_by_kind(acme: Company, connect: Any) -> None:
    me, agent = connect(her_token(acme)), connect(acme.alice)
    assert me.own_expiry().days == {}
    assert me.set_own_expiry({"preference": 30}).days == me.own_expiry().days == {"preference": 30}
    stored = agent.propose(**told()).memory
    assert now(days=29) < stored.valid_until < now(days=32)
    with pytest.raises(InvalidRequest) as wrong:
        me.set_own_expiry({"episode": 91})
    assert wrong.value.fields[0].code == "expiry_too_far"
    assert me.own_expiry().days == {"preference": 30}
    assert me.set_own_expiry({}).days == {}
    assert agent.propose(**told()).memory.valid_until is None


def test_an_agent_has_no_say_in_it(acme: Company, connect: Any) -> None:
    """The same calls as above, by the key of an agent that works for her."""
    agent = connect(acme.alice)
    for refused in (
        lambda: agent.own_rules(),
        lambda: agent.add_own_rule("phrase", word()),
        lambda: agent.try_own_rules(sentence()),
        lambda: agent.own_expiry(),
        lambda: agent.set_own_expiry({"preference": 1}),
    ):
        with pytest.raises(NotAllowed):
            refused()
    assert connect(her_token(acme)).own_expiry().days == {}
    with acme.entered():
        assert not OwnRule.objects.exists()
