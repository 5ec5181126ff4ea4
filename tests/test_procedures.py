"""Procedures in parts: the same shape at every door, and what differs between two of them."""

from __future__ import annotations

import random

import pytest
from cast import AGENT, TEAM, Company, in_months, new_key, sentence, text_of, word
from exchange import entry, hand_over

from memories import procedures
from memories.step_changes import Change, compare, entries, wording

STEPS = {
    "steps": ["Open the ticket and read the last receipt.", "Compare the amount with the order."],
    "stop_conditions": ["The receipt is missing."],
    "applies_to": "Orders of the web shop",
    "owner": "Support desk",
}


def procedure(**fields: object) -> dict[str, object]:
    given = {"kind": "procedure", "namespace": TEAM, "valid_until": in_months(), "evidence": "review"}
    return {**given, "conditions": "A customer asks for a refund.", "value": STEPS, **fields}


WRONG = [
    ("value.steps", {"steps": []}),
    ("value.steps", {"steps": "first do this"}),
    ("value.steps.1", {"steps": ["Read it.", "  "]}),
    ("value.steps.0", {"steps": [{"do": "read"}]}),
    ("value.steps.0", {"steps": ["x" * 501]}),
    ("value.steps", {"steps": ["Read it."] * 31}),
    ("value.stop_conditions.0", {"steps": ["Read it."], "stop_conditions": [7]}),
    ("value.owner", {"steps": ["Read it."], "owner": ""}),
    ("value", {"steps": ["Read it."], "colour": "blue"}),
]


@pytest.mark.parametrize(("place", "value"), WRONG)
def test_a_malformed_procedure_is_refused_by_name_at_each_door(acme: Company, place: str, value: object) -> None:
    """What means to be a procedure in steps is one, or nothing is kept and the field is named."""
    body = acme.alice.proposal(**procedure(value=value))
    for path in ("/proposals", "/proposals/preview"):
        answer = acme.alice.post(path, body)
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, place)
    batch = acme.alice.post("/proposals/batch", {"items": [body]}).json()["items"][0]
    assert batch["problem"]["errors"][0]["pointer"] == place
    assert acme.alice.listed(kind="procedure") == []
    assert acme.alice.propose(**procedure(value={**STEPS})).status_code == 201


def test_a_malformed_procedure_is_refused_as_a_correction_and_in_a_file(acme: Company) -> None:
    stored = acme.alice.store(**procedure())
    wrong = acme.alice.correct(stored, evidence="review", value={"steps": []})
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (400, "value.steps")
    assert acme.alice.memory(stored["memory_id"]).json()["value"] == STEPS
    given = {"namespace": TEAM, "kind": "procedure", "valid_until": in_months(), "value": {"steps": []}}
    told = hand_over(acme.alice, [entry(sentence(), new_key(), **given)], dry_run=True)["examples"]
    assert [(one["result"], one["field"]) for one in told] == [("refused", "value.steps")]


def test_plain_sentences_and_other_values_stay_what_they_were(acme: Company) -> None:
    plain = acme.alice.store(**procedure(value=None))
    other = acme.alice.store(**procedure(value={"tool": "refunds"}))
    preference = acme.alice.store(value={"steps": "large"})
    assert [acme.alice.memory(one["memory_id"]).json()["value"] for one in (plain, other, preference)] == [
        None,
        {"tool": "refunds"},
        {"steps": "large"},
    ]


def test_a_model_reads_the_steps_and_not_who_keeps_them(acme: Company) -> None:
    """R-021: the packet carries what one acts by, and no more."""
    mark = word()
    acme.alice.store(f"Check the {mark} receipt before a refund.", **procedure())
    packet = acme.alice.post("/context", {"query": f"{mark} refund receipt", "format": "markdown"}).json()
    assert STEPS["steps"][0] in packet["text"]
    assert "stop_conditions" in packet["text"]
    assert "Support desk" not in packet["text"]
    assert acme.alice.recall(f"{mark} refund receipt")["items"][0]["value"] == STEPS


def test_the_page_shows_steps_and_no_json(acme: Company) -> None:
    stored = acme.alice.store(**procedure())
    page = text_of(acme.person("alice").get(f"//memories/{stored['memory_id']}/"))
    assert all(text in page for text in (*STEPS["steps"], *STEPS["stop_conditions"], "Support desk"))
    assert "stop_conditions" not in page


def test_an_agent_holds_its_own_procedures_too(acme: Company) -> None:
    assert acme.alice.store(key=new_key(), **procedure(namespace=AGENT))["value"] == STEPS


def changes(old: list[str], new: list[str]) -> list[tuple[str, int | None, int | None]]:
    return [(one.change.value, one.old_number, one.new_number) for one in entries(old, new)]


def test_steps_are_compared_as_people_see_them() -> None:
    old = ["Open the ticket.", "Read the receipt.", "Compare the amounts.", "Refund the customer."]
    new = ["Read the receipt.", "Open the ticket.", "Compare the two amounts.", "Tell the manager."]
    assert changes(old, old) == [("same", n, n) for n in (1, 2, 3, 4)]
    found = {(change, after) for change, _before, after in changes(old, new)}
    assert ("edited", 3) in found
    assert ("added", 4) in found
    assert ("removed", None) in found
    assert {change for change, _b, after in changes(old, new) if after in (1, 2)} == {"same", "moved"}
    assert changes([], ["Read it."]) == [("added", None, 1)]
    assert changes(["Read it."], []) == [("removed", 1, None)]
    assert changes(["核对收据。", "退款。"], ["退款。", "核对收据。"]).count(("moved", 2, 1)) <= 1
    assert changes(["确认收据金额和订单一致"], ["先确认收据金额和订单一致"]) == [("edited", 1, 1)]


@pytest.mark.parametrize("seed", range(20))
def test_every_entry_stands_in_exactly_one_change(seed: int) -> None:
    chance = random.Random(seed)
    old, new = ([word(3) for _ in range(chance.randrange(8))] for _ in "ab")
    new = [*new, *chance.sample(old, chance.randrange(len(old) + 1))]
    chance.shuffle(new)
    found = entries(old, new)
    assert sorted(one.old_number for one in found if one.old_number) == list(range(1, len(old) + 1))
    assert sorted(one.new_number for one in found if one.new_number) == list(range(1, len(new) + 1))
    assert all(one.before == old[one.old_number - 1] for one in found if one.old_number)
    assert all(one.after == new[one.new_number - 1] for one in found if one.new_number)


def test_a_plain_sentence_is_compared_with_a_procedure_in_steps() -> None:
    plain, parts = wording("Check it.", None, None, None), wording("Check it well.", STEPS, "Refunds", None)
    found = compare(plain, parts)
    assert [one.field for one in found.fields] == ["title", "when", "applies_to", "owner"]
    assert {one.change for one in (*found.steps, *found.stop_conditions)} == {Change.ADDED}
    assert not compare(parts, parts).differs
    assert procedures.read({"steps": []}) is None
