"""What a load balancer and an operator ask, and the frame that every answer has."""

from __future__ import annotations

import json
import re
import uuid

import pytest
from django.db import OperationalError
from django.test import Client

from memoryhub import health, metrics

TOKEN = "metrics-" + "0" * 16


def test_livez_answers_without_a_database(client: Client) -> None:
    assert client.get("/livez").json() == {"status": "ok"}


@pytest.mark.django_db
def test_readyz_names_each_check(client: Client) -> None:
    response = client.get("/readyz")
    assert response.json() == {
        "status": "ok",
        "checks": dict.fromkeys(("database", "migrations", "cache", "detectors", "ledger", "keys"), "ok"),
    }
    assert response.status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(health.CHECKS))
def test_readyz_fails_with_any_check_and_says_no_more_than_its_name(
    client: Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def broken() -> None:
        raise OperationalError("host=db.example password=canary")

    monkeypatch.setitem(health.CHECKS, name, broken)
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"][name] == "failed"
    assert "canary" not in response.content.decode()


def test_metrics_count_requests_by_route(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-279, R-283: how often and how long for each route; nothing that a caller made up becomes a label."""
    monkeypatch.setattr(metrics, "requests", metrics.RequestCounts())
    client.get("/livez")
    client.get("/livez")
    client.get("/canary-in-the-address/?q=canary", headers={"X-Request-Id": "canary"})
    lines = client.get("/metrics").content.decode().splitlines()
    assert 'memoryhub_requests_total{method="GET",route="livez",status="200"} 2' in lines
    assert 'memoryhub_request_seconds_bucket{method="GET",route="livez",le="+Inf"} 2' in lines
    assert 'memoryhub_request_seconds_count{method="GET",route="livez"} 2' in lines
    labels = {name for line in lines for name in re.findall(r'(\w+)="', line)}
    assert labels <= {"method", "route", "status", "le", "action", "outcome", "reason"}
    assert "canary" not in "".join(lines)


def test_metrics_are_for_this_machine_alone(client: Client) -> None:
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 403
    assert client.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 403


def test_metrics_take_the_token_when_one_is_set(client: Client, settings: object) -> None:
    settings.MEMORYHUB_METRICS_TOKEN = TOKEN
    away = {"REMOTE_ADDR": "192.0.2.7"}
    assert client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, **away).status_code == 200
    assert client.get("/metrics", headers={"Authorization": "Bearer other"}).status_code == 403
    assert client.get("/metrics").status_code == 403


@pytest.mark.parametrize("sent", ["01890A5D-ac96-774b-bcce-b302099a8057", "4bf92f3577b34da6a3ce929d0e0e4736"])
def test_a_well_formed_request_id_is_kept(client: Client, sent: str) -> None:
    assert client.get("/livez", headers={"X-Request-Id": sent})["X-Request-Id"] == sent


@pytest.mark.parametrize("sent", ["", "short", "likes-tea-and-long-walks", "a" * 65, "0123456789abcdef\tx"])
def test_a_request_id_that_could_carry_words_is_replaced(client: Client, sent: str) -> None:
    answered = client.get("/livez", headers={"X-Request-Id": sent})["X-Request-Id"]
    assert answered != sent
    assert uuid.UUID(answered).version == 7


def test_every_answer_has_the_headers_that_protect_it(client: Client) -> None:
    response = client.get("/livez")
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert "unsafe" not in response["Content-Security-Policy"]
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Cache-Control"] == "no-store"
    assert response["Permissions-Policy"]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_an_unknown_page_is_a_page(client: Client, language: str) -> None:
    response = client.get("/canary-in-the-address/", headers={"Accept-Language": language})
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")
    assert f'lang="{language}"' in response.content.decode().lower()
    assert "canary" not in response.content.decode()


def test_an_unknown_address_of_the_api_is_a_problem_document(client: Client) -> None:
    response = client.get("/api/v1/canary-in-the-address")
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    document = json.loads(response.content)
    assert (document["status"], document["code"]) == (404, "not_found")
    assert document["instance"] == response["X-Request-Id"]
    assert "canary" not in response.content.decode()


@pytest.mark.parametrize(("path", "kind"), [("/livez", "text/html"), ("/api/v1/livez", "application/problem+json")])
def test_a_fault_is_answered_without_its_message(rf: object, path: str, kind: str) -> None:
    from memoryhub import failures

    request = rf.get(path)
    request.request_id = "0" * 32
    try:
        raise ValueError("canary")
    except ValueError:
        response = failures.server_error(request)
    assert response.status_code == 500
    assert response["Content-Type"].startswith(kind)
    assert "canary" not in response.content.decode()
