"""What is done in each step of the story, through the REST door, and what is then seen."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connections
from django.utils import timezone

from accounts import tenancy, verifying
from accounts.models import Tenant
from accounts.provisioning import provision_tenant
from memories import stores
from memories.search import rows
from memoryhub import sweeping
from memoryhub.demo.company import AGENT, KEY, SCOPES
from memoryhub.demo.door import Answer, Door

Seen = Mapping[str, object]
STYLE = {"namespace": {"type": "user"}, "kind": "preference", "key": "answer_style"}
FREE = {"namespace": {"type": "user"}, "kind": "preference", "key": "travel_notes"}
CONCLUSION = {"statement": "先结论后原因", "value": "conclusion_first"}
DETAILED = {"statement": "Explain in detail.", "value": "detailed"}
WISH = "Trip reports begin with the costs and end with open questions."
QUESTION = {"query": "How should the trip report begin?"}


class World:
    """Two companies that nobody else knows, and what the steps have learned so far."""

    def __init__(self) -> None:
        self.slug = f"story-{secrets.token_hex(6)}"
        self.tenant, keys = provision_tenant(_company(self.slug), "story")
        _, other_keys = provision_tenant(_company(f"{self.slug}-other"), "story")
        self.key = keys[f"{self.slug}/{AGENT}/{KEY}"]
        self.lan = Door.for_agent(self.key, "lan", run="run_1")
        self.otto = Door.for_agent(self.key, "otto", run="run_2")
        self.elsewhere = Door.for_agent(other_keys[f"{self.slug}-other/{AGENT}/{KEY}"], "lan")
        self.known: dict[str, str] = {}
        self.canary = f"{secrets.token_hex(4)}{secrets.token_urlsafe(30)}"

    def person(self, name: str) -> Door:
        return Door.for_person(f"{name}@{self.slug}.example")

    @staticmethod
    def message(ref: str) -> dict[str, Any]:
        """A message of the person, as the runtime attests it now."""
        return {"type": "user_message", "ref": ref, "occurred_at": datetime.now(UTC).isoformat()}

    def left_of(self, text: str) -> dict[str, int]:
        with tenancy.entered(self.tenant.pk):
            return stores.scan(text)


# --- saving, with the person's consent --------------------------------------------------------------------------------


def attest(world: World) -> Seen:
    answer = world.lan.post("/evidence", world.message("message_1") | {"text": WISH})
    world.known["evidence"] = answer["id"]
    return _seen(answer, "type")


def propose(world: World) -> Seen:
    answer = world.lan.post("/proposals", FREE | {"statement": WISH, "evidence_id": world.known["evidence"]})
    world.known["candidate"] = answer["candidate_id"]
    return _seen(answer, "decision", "reason")


def recall(world: World) -> Seen:
    return _recalled(world.lan, QUESTION)


def confirm(world: World) -> Seen:
    lan, path = world.person("lan"), f"/candidates/{world.known['candidate']}"
    shown = lan.get(path)
    answer = lan.post(f"{path}/approve", {"content_hash": shown["content_hash"]})
    world.known["memory"] = answer["memory"]["memory_id"]
    return {"shown": shown["statement"]} | _seen(answer, "decision", "reason")


# --- the six steps of a store -----------------------------------------------------------------------------------------


def save(world: World) -> Seen:
    answer = world.lan.post("/proposals", STYLE | CONCLUSION | {"evidence": world.message("message_2")})
    world.known["style"] = answer["memory"]["memory_id"]
    return _seen(answer, "decision", "reason")


def search(world: World) -> Seen:
    return _recalled(world.lan, {"query": "先说什么", "keys": ["answer_style"]}, "value", "version")


def update(world: World) -> Seen:
    answer = world.lan.post("/proposals", STYLE | DETAILED | {"evidence": world.message("message_3")})
    return _seen(answer, "decision", "reason") | {"version": answer["memory"]["version"]}


def reopen(world: World) -> Seen:
    """A new connection to the database, and no index in memory."""
    connections.close_all()
    rows.index.cache_clear()
    return _recalled(world.lan, {"query": "explain", "keys": ["answer_style"]}, "value", "version")


def others(world: World) -> Seen:
    """A colleague, and a person of the same name in another company: by question and by id."""
    path = f"/memories/{world.known['style']}"
    doors = {"colleague": world.otto, "other company": world.elsewhere}
    return {
        name: f"{_recalled(door, QUESTION)['items']} recalled, {door.get(path).status} by id"
        for name, door in doors.items()
    }


# --- what the gate does not let through -------------------------------------------------------------------------------


def secret(world: World) -> Seen:
    wish = FREE | {"key": "login", "statement": f"Authorization: Bearer {world.canary}"}
    answer = world.lan.post("/proposals", wish | {"evidence": world.message("message_4")})
    return _seen(answer, "decision", "reason") | {"kept in": world.left_of(world.canary)}


def guess(world: World) -> Seen:
    answer = world.lan.post("/proposals", FREE | {"key": "likes", "statement": "Seems to like dark screenshots."})
    return _seen(answer, "decision", "reason") | {"recalled": _recalled(world.lan, {"query": "screenshots"})["items"]}


def business_fact(world: World) -> Seen:
    fact = FREE | {"key": "order", "statement": "The refund for this order was approved and paid on Monday."}
    answer = world.lan.post("/proposals", fact | {"evidence": world.message("message_5")})
    return _seen(answer, "decision", "reason") | {"ask": (answer["source_of_truth"] or {}).get("topic")}


def once_only(world: World) -> Seen:
    wish = FREE | {"key": "this_time", "statement": "只这一次，用英文回答。"}
    return _seen(world.lan.post("/proposals", wish | {"evidence": world.message("message_6")}), "decision", "reason")


def lesson(world: World) -> Seen:
    rule = {
        "namespace": {"type": "team", "id": "support"},
        "kind": "procedure",
        "key": "export_check",
        "statement": "When the export is empty, wait for the nightly sync and run it again.",
        "valid_until": (datetime.now(UTC) + timedelta(days=90)).date().isoformat(),
    }
    answer = world.lan.post("/proposals", rule | {"evidence": world.message("message_7")})
    world.known["lesson"] = answer["candidate_id"]
    return _seen(answer, "decision", "reason")


def own_review(world: World) -> Seen:
    return _approve(world, world.person("lan"))


def review(world: World) -> Seen:
    return _approve(world, world.person("ruth")) | _recalled(world.otto, {"query": "the export is empty"})


def _approve(world: World, door: Door) -> dict[str, object]:
    path = f"/candidates/{world.known['lesson']}"
    content_hash = world.person("ruth").get(path)["content_hash"]
    return _seen(door.post(f"{path}/approve", {"content_hash": content_hash}), "decision", "reason")


# --- forgetting -------------------------------------------------------------------------------------------------------


def forget(world: World) -> Seen:
    answer = world.person("lan").call("DELETE", f"/memories/{world.known['memory']}")
    world.known["erasure"] = answer["id"]
    return _seen(answer) | {"memories": len(answer["memory_ids"])}


def gone(world: World) -> Seen:
    listed = world.lan.get("/memories?key=travel_notes")["items"]
    history = world.lan.get(f"/memories/{world.known['memory']}/history")["items"]
    return {
        "recalled": _recalled(world.lan, QUESTION)["items"],
        "listed": len(listed),
        "history": [row["statement"] for row in history],
        "kept in": world.left_of(WISH),
    }


def again(world: World) -> Seen:
    """The same old message, read again by an extraction."""
    answer = world.lan.post("/proposals", FREE | {"statement": WISH, "evidence_id": world.known["evidence"]})
    return _seen(answer, "decision", "reason")


def receipt(world: World) -> Seen:
    sweeping.sweep(timezone.now(), slug=world.slug)
    answer = world.lan.get(f"/erasures/{world.known['erasure']}")
    return {"state": answer["state"], "in the audit": answer["audit_sequence"] is not None}


def anew(world: World) -> Seen:
    answer = world.lan.post("/proposals", FREE | {"statement": WISH, "evidence": world.message("message_8")})
    return _seen(answer, "decision", "reason")


def delete(world: World) -> Seen:
    answer = world.lan.call("DELETE", f"/memories/{world.known['style']}")
    found = _recalled(world.lan, {"query": "explain", "keys": ["answer_style"]})
    return _seen(answer) | {"memories": len(answer["memory_ids"])} | found


def chain(world: World) -> Seen:
    sweeping.sweep(timezone.now(), slug=world.slug)
    tenant = Tenant.objects.get(slug=world.slug)
    with tenancy.entered(tenant.pk):
        verdict = verifying.verify(tenant.pk)
    return {"events": verdict.held > 20, "broken at": verdict.fault}


def _seen(answer: Answer, *names: str) -> dict[str, object]:
    """The status and the named fields; of a refusal its code."""
    found = {name: answer.get(name) for name in names if name in answer.body}
    return {"status": answer.status} | (found or ({"code": answer.get("code")} if answer.status >= 400 else {}))


def _recalled(door: Door, asked: Mapping[str, Any], *names: str) -> dict[str, Any]:
    answer = door.post("/recall", asked)
    found = {name: [item[name] for item in answer["items"]] for name in names}
    return {"recall": answer.get("status"), "items": len(answer["items"])} | found


def _company(slug: str) -> dict[str, Any]:
    people = {"lan": "member", "otto": "member", "ruth": "reviewer", "ada": "admin"}
    return {
        "slug": slug,
        "people": [
            {"external_id": name, "email": f"{name}@{slug}.example", "roles": [role]} for name, role in people.items()
        ],
        "teams": [{"slug": "support", "members": ["lan", "otto", "ruth"]}],
        "agents": [
            {
                "slug": AGENT,
                "owner": "ada",
                "acts_for": "*",
                "teams": ["support"],
                "keys": [{"name": KEY, "scopes": SCOPES}],
            }
        ],
    }
