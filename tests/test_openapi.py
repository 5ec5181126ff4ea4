"""The published contract: valid, free of warnings, the same as the committed file, and true of every route."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from cast import Company
from django.conf import settings
from django.core.management import call_command
from django.urls import get_resolver
from test_isolation import routes

COMMITTED = Path(settings.BASE_DIR) / "memoryhub" / "openapi.yaml"
CALLS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def document() -> Any:
    return yaml.safe_load(COMMITTED.read_text(encoding="utf-8"))


def test_the_committed_document_is_what_the_code_says(tmp_path: Path) -> None:
    """Change the code and the file together: `make schema` writes it."""
    made = tmp_path / "openapi.yaml"
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(made))
    assert made.read_text(encoding="utf-8") == COMMITTED.read_text(encoding="utf-8")


def test_every_route_of_the_api_is_documented(document: Any) -> None:
    served = {f"/{route}".replace("<str:", "{").replace(">", "}") for route in routes(get_resolver().url_patterns)}
    assert set(document["paths"]) == {route for route in served if route.startswith("/api/v1/")}


def test_every_call_has_a_name_and_needs_a_credential(document: Any) -> None:
    names = []
    for path, item in document["paths"].items():
        for method, call in item.items():
            if method in CALLS:
                names.append(call["operationId"])
                assert call["security"], f"{method} {path}"
                assert {} not in call["security"], f"{method} {path} says that anyone may call it"
                assert call["responses"], f"{method} {path}"
    assert len(names) == len(set(names))


def test_the_document_is_served_to_all_and_shows_no_tenant(acme: Company) -> None:
    memory = acme.alice.store()
    response = acme.alice.client.get("/api/schema/")
    assert response.status_code == 200
    assert memory["statement"] not in response.content.decode()
