"""Webhooks: who may set them up, what they tell and never tell, where they go and never go, nothing is lost."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from cast import AGENT, PROJECT, TEAM, Caller, Company, in_months, now, text_of, word
from django.utils import timezone

from accounts.models import AuditEvent, Delivery, GroupMember, Webhook
from accounts.principals import system
from accounts.webhooks import addresses, sending
from accounts.webhooks.addresses import Pinned, Refused, check_url
from accounts.webhooks.outbox import EVENTS
from memories import announcing


class Receiver:
    """A server on this machine that keeps what it was sent and answers with `status`."""

    def __init__(self) -> None:
        self.status, self.got = 200, []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers.items()), body))
                self.send_response(receiver.status)
                if 300 <= receiver.status < 400:
                    self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def told(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _headers, body in self.got]


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.MEMORYHUB_WEBHOOKS_LOCAL = True
    made = Receiver()
    yield made
    made.server.shutdown()
    made.server.server_close()


def hook(caller: Caller, url: str, group: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    answer = caller.post("/webhooks", {"url": url, "events": list(EVENTS), "group": group, **fields})
    assert answer.status_code == 201, text_of(answer)
    return dict(answer.json())


def send(company: Company, **later: float) -> dict[str, int]:
    with company.entered():
        return dict(sending.send_due(system(company.tenant.pk), timezone.now() + timedelta(**later)))


def deliveries(caller: Caller, made: dict[str, Any]) -> list[dict[str, Any]]:
    return list(caller.get(f"/webhooks/{made['id']}/deliveries").json()["items"])


def test_every_step_of_a_lesson_is_told_in_ids_and_signed(acme: Company, receiver: Receiver) -> None:
    """Waiting, decided, published, suspended, resumed; no message holds a word of what is remembered."""
    made = hook(acme.person("adam"), receiver.url)
    mark = word(6)
    held = acme.alice.propose(
        f"Check the {mark} list before a release.", key=f"key_{mark}", kind="lesson", namespace=TEAM,
        conditions=f"When {mark} comes", value={"steps": [f"Read {mark}."]}, valid_until=in_months(),
    ).json()  # fmt: skip
    candidate = acme.alice.candidate(held["candidate_id"])
    rita = acme.by("relay", "rita")
    assert rita.decide(candidate, "approve", evidence_id=rita.evidence()).status_code == 200
    (entry,) = acme.alice.get("/playbook").json()["items"]
    acme.person("rita").post(f"/playbook/{entry['memory_id']}/suspend", {"reason": "outdated"})
    acme.person("rita").post(f"/playbook/{entry['memory_id']}/resume")
    assert send(acme) == {"webhooks_sent": 5, "webhooks_failed": 0}
    told = receiver.told()
    assert {one["type"] for one in told} == set(EVENTS) - {"entry.expired"}
    assert all(one["data"]["namespace"] == {"type": "team", "id": "support"} for one in told)
    decided = next(one["data"] for one in told if one["type"] == "candidate.decided")
    assert decided["candidate_id"] == candidate["candidate_id"]
    assert (decided["verdict"], decided["status"], decided["memory_id"]) == ("approve", "approved", entry["memory_id"])
    assert mark not in json.dumps(receiver.got, default=str)
    with acme.entered():
        assert not [row for row in Delivery.objects.all() if mark in json.dumps(row.payload)]
    key = base64.b64decode(made["secret"].removeprefix("whsec_"))
    for headers, body in receiver.got:
        covered = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = base64.b64encode(hmac.new(key, covered, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{expected}"
    assert {one["state"] for one in deliveries(acme.person("adam"), made)} == {"sent"}


def test_what_is_one_persons_own_or_of_another_place_is_not_told(
    acme: Company, beta: Company, receiver: Receiver
) -> None:
    """R-059: a team's webhook hears of its team alone, and none of what a person keeps."""
    adam = acme.person("adam")
    hook(adam, receiver.url, group=PROJECT)
    acme.alice.store()
    acme.alice.hold()
    acme.alice.share(TEAM)
    acme.alice.share(AGENT)
    beta.by("runtime", "alice").share(PROJECT)
    assert send(acme) == {"webhooks_sent": 0, "webhooks_failed": 0}
    acme.alice.share(PROJECT)
    assert send(acme) == {"webhooks_sent": 1, "webhooks_failed": 0}


def test_what_was_undone_was_never_told(acme: Company, receiver: Receiver) -> None:
    hook(acme.person("adam"), receiver.url)
    body = acme.alice.proposal(kind="lesson", namespace=TEAM, evidence="review", valid_until=in_months())
    wrong = {**body, "key": "other", "namespace": {"type": "team", "id": "nobody"}}
    assert acme.alice.post("/proposals/batch", {"items": [body, wrong], "atomic": True}).status_code == 404
    acme.alice.post("/proposals/preview", body)
    with acme.entered():
        assert not Delivery.objects.exists()


def test_an_entry_that_expired_is_told_once(acme: Company, receiver: Receiver) -> None:
    made = hook(acme.person("adam"), receiver.url, events=["entry.expired"])
    entry = acme.alice.share(TEAM)
    later = now(days=200)
    with acme.entered():
        assert announcing.expired(timezone.now()) == 0
        assert announcing.expired(later) == 1
        assert announcing.expired(later + timedelta(days=1)) == 0
    (told,) = deliveries(acme.person("adam"), made)
    assert told["data"]["memory_id"] == entry["memory_id"]


def test_what_did_not_come_through_is_sent_again_and_in_the_end_given_up(acme: Company, receiver: Receiver) -> None:
    adam = acme.person("adam")
    made = hook(adam, receiver.url)
    acme.alice.share(TEAM)
    receiver.status = 500
    assert send(acme)["webhooks_failed"] == 1
    assert send(acme) == {"webhooks_sent": 0, "webhooks_failed": 0}, "not before its time"
    (row,) = deliveries(adam, made)
    assert (row["state"], row["attempts"], row["answer"], row["error"]) == ("waiting", 1, 500, "refused_by_receiver")
    for _ in sending.WAITS:
        with acme.entered():
            Delivery.objects.update(next_at=timezone.now())
        send(acme)
    (row,) = deliveries(adam, made)
    assert (row["state"], row["attempts"]) == ("failed", len(sending.WAITS) + 1)
    receiver.status = 200
    assert adam.post(f"/webhooks/{made['id']}/deliveries/{row['id']}/retry").json()["state"] == "waiting"
    assert send(acme)["webhooks_sent"] == 1
    assert adam.post(f"/webhooks/{made['id']}/deliveries/{row['id']}/retry").status_code == 409
    assert len({headers["webhook-id"] for headers, _body in receiver.got}) == 1, "a receiver can tell it is the same"


def test_a_worker_that_died_with_a_message_loses_nothing(acme: Company, receiver: Receiver) -> None:
    hook(acme.person("adam"), receiver.url)
    acme.alice.share(TEAM)
    with acme.entered():
        sending._claim(Delivery.objects.get().pk, timezone.now())
    assert send(acme)["webhooks_sent"] == 0
    assert send(acme, seconds=61)["webhooks_sent"] == 1


def test_after_days_without_success_it_is_switched_off_until_someone_switches_it_on(
    acme: Company, receiver: Receiver
) -> None:
    adam = acme.person("adam")
    made = hook(adam, receiver.url)
    receiver.status = 410
    acme.alice.share(TEAM)
    send(acme)
    with acme.entered():
        Webhook.objects.update(failing_since=timezone.now() - sending.SWITCHED_OFF_AFTER)
        Delivery.objects.update(next_at=timezone.now())
    send(acme)
    assert adam.get(f"/webhooks/{made['id']}").json()["switched_off_at"]
    assert deliveries(adam, made)[0]["error"] == "switched_off"
    acme.alice.share(TEAM)
    assert len(deliveries(adam, made)) == 1
    receiver.status = 200
    assert adam.post(f"/webhooks/{made['id']}/switch-on").json()["switched_off_at"] is None
    acme.alice.share(TEAM)
    assert send(acme)["webhooks_sent"] == 1
    with acme.entered():
        assert AuditEvent.objects.filter(action="webhook.switch_off", reason="failed_long").exists()


def test_no_redirect_is_followed_and_no_answer_read(acme: Company, receiver: Receiver) -> None:
    """T30."""
    hook(acme.person("adam"), receiver.url)
    receiver.status = 302
    acme.alice.share(TEAM)
    assert send(acme)["webhooks_failed"] == 1
    assert len(receiver.got) == 1


INNER = [
    "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest/", "https://10.0.0.7/", "https://0.0.0.0/",
    "https://192.168.1.1/", "https://172.16.0.1/", "https://100.64.0.1/", "https://[fd00::1]/", "https://[fe80::1]/",
    "https://[::ffff:127.0.0.1]/", "https://[::ffff:a9fe:a9fe]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
    "https://224.0.0.1/", "https://255.255.255.255/", "https://168.63.129.16/", "https://100.100.100.200/",
]  # fmt: skip
BROKEN = [
    "http://example.com/", "ftp://example.com/", "https://", "example.com", "https://user:word@example.com/",
    "https://user@example.com/", "https://example.com/#part", "https://example.com:0/", "https://example.com:99999/",
    "https://exa mple.com/", "https://example.com\\@127.0.0.1/", "https://exämple.com/", "javascript:alert(1)",
]  # fmt: skip


@pytest.mark.parametrize("url", [*INNER, *BROKEN])
def test_an_address_that_may_not_be_spoken_to_is_refused_when_it_is_named(acme: Company, url: str) -> None:
    """T30: named in the error by its field, and nothing of it is repeated."""
    adam = acme.person("adam")
    answer = adam.post("/webhooks", {"url": url, "events": ["entry.published"]})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "url")
    assert url not in text_of(answer)
    page = adam.client.post("/settings/webhooks/", {"url": url, "events": ["entry.published"], "group": "-"})
    assert page.status_code == 400
    with acme.entered():
        assert not Webhook.objects.exists()
    assert hook(adam, "https://example.com/hook")["url"] == "https://example.com/hook"


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "017700000001", "127.1", "localhost", "0"])
def test_however_an_inner_address_is_spelled_no_connection_is_made(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """T30: decimal, octal, hexadecimal and names are resolved first, then refused before any connection."""
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("connected"))
    with pytest.raises(Refused):
        Pinned(allow_local=False, seconds=1).connect_tcp(host, 443)


def test_a_name_that_changes_its_answer_gains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """T30: every address of a name is looked at, and the connection goes to one that was."""
    public, inner = ("93.184.215.14", 443), ("10.0.0.7", 443)
    answers = [[public], [public, inner]]

    def looked_up(*_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", one) for one in answers.pop(0)]

    connected: list[str] = []
    monkeypatch.setattr(addresses.socket, "getaddrinfo", looked_up)
    backend = Pinned(allow_local=False, seconds=1)
    monkeypatch.setattr(backend._inner, "connect_tcp", lambda address, *_: connected.append(address))
    check_url("https://hooks.example/", allow_local=False)
    backend.connect_tcp("hooks.example", 443)
    with pytest.raises(Refused, match="address_not_allowed"):
        backend.connect_tcp("hooks.example", 443)
    assert connected == ["93.184.215.14"]


def test_a_receiver_that_says_nothing_holds_nobody_up(acme: Company, receiver: Receiver, monkeypatch: Any) -> None:
    """One exchange has one end, however slowly bytes come."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setattr(sending, "SECONDS", 0.05)
        made = hook(acme.person("adam"), f"http://127.0.0.1:{silent.getsockname()[1]}/")
        acme.alice.share(TEAM)
        assert send(acme)["webhooks_failed"] == 1
    assert deliveries(acme.person("adam"), made)[0]["error"] == "timed_out"


def test_maintainers_set_them_up_for_their_own_and_admins_for_all(acme: Company, beta: Company) -> None:
    """R-250: with a page and over REST; a secret is shown once, and the store holds none."""
    alice, adam = acme.person("alice"), acme.person("adam")
    body = {"url": "https://example.com/hook", "events": ["entry.published"]}
    for refused in (alice, acme.person("rita"), beta.person("bob")):
        assert refused.post("/webhooks", body).status_code == 403
        assert refused.client.get("/settings/webhooks/").status_code == 403
    assert acme.by("runtime", "adam").post("/webhooks", body).status_code == 403
    with acme.entered():
        GroupMember.objects.filter(membership__external_id="alice", group__slug="support").update(is_maintainer=True)
    mine = hook(alice, body["url"], group=TEAM)
    assert alice.post("/webhooks", body).status_code == 403
    assert alice.post("/webhooks", {**body, "group": PROJECT}).status_code == 400
    whole = hook(adam, body["url"])
    assert [one["id"] for one in alice.get("/webhooks").json()["items"]] == [mine["id"]]
    assert {one["id"] for one in adam.get("/webhooks").json()["items"]} == {mine["id"], whole["id"]}
    assert alice.get(f"/webhooks/{whole['id']}").status_code == 404
    assert "secret" not in adam.get(f"/webhooks/{whole['id']}").json()
    page = adam.client.post("/settings/webhooks/", {**body, "group": "-"})
    assert page.status_code == 201
    assert "whsec_" in text_of(page)
    assert "whsec_" not in text_of(adam.client.get("/settings/webhooks/"))
    with acme.entered():
        stored = json.dumps(list(Webhook.objects.values()), default=str)
        assert mine["secret"] not in stored
    assert alice.call("DELETE", f"/webhooks/{mine['id']}").status_code == 204
