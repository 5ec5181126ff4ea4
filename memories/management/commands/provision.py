"""`provision FILE.json`: tenants, people, groups, agents, keys and policies from one document; prints new secrets."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from jsonschema import Draft202012Validator

from accounts import tenancy
from accounts.errors import InvalidInput
from accounts.principals import system
from accounts.provisioning import provision_tenant
from memories import tenant_policy
from memories.policy import PolicyError

NAME = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": r"\S"}
NAMES = {"type": "array", "items": NAME}


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


GROUP = _object(["slug"], slug=NAME, name={"type": "string"}, members=NAMES, maintainers=NAMES)
SCHEMA = _object(
    ["tenants"],
    tenants={
        "type": "array",
        "items": _object(
            ["slug"],
            slug={"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"},
            name={"type": "string"},
            policy={"type": ["object", "null"]},
            people={
                "type": "array",
                "items": _object(
                    ["external_id", "email"],
                    external_id=NAME,
                    email={"type": "string", "pattern": "^[^@ ]+@[^@ ]+$"},
                    password={"type": ["string", "null"]},
                    name={"type": "string"},
                    time_zone={"type": "string"},
                    roles={
                        "type": "array",
                        "items": {"enum": ["member", "reviewer", "auditor", "admin"]},
                    },
                ),
            },
            teams={"type": "array", "items": GROUP},
            projects={"type": "array", "items": GROUP},
            agents={
                "type": "array",
                "items": _object(
                    ["slug", "owner"],
                    slug=NAME,
                    name={"type": "string"},
                    owner=NAME,
                    acts_for={"anyOf": [{"const": "*"}, NAMES]},
                    teams=NAMES,
                    projects=NAMES,
                    keys={"type": "array", "items": _object(["name", "scopes"], name=NAME, scopes=NAMES)},
                ),
            },
        ),
    },
)


class Command(BaseCommand):
    help = "Make tenants, people, teams, projects, agents and keys from a JSON document; safe to run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            document = json.loads(options["file"].read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise CommandError("The file cannot be read as JSON.") from None
        self.stdout.write(json.dumps(provision(document), indent=2))


def provision(document: dict[str, Any]) -> dict[str, Any]:
    """Carry the document out whole or not at all; new secrets by name."""
    for error in Draft202012Validator(SCHEMA).iter_errors(document):
        raise CommandError(
            f"{'.'.join(map(str, error.absolute_path)) or 'the document'} is not valid: {error.validator}"
        )
    keys: dict[str, str] = {}
    people: dict[str, str] = {}
    with transaction.atomic():
        for index, wanted in enumerate(document["tenants"]):
            place = f"tenants.{index}"
            try:
                tenant, new_keys = provision_tenant(wanted, place)
                with tenancy.entered(tenant.pk):
                    tenant_policy.activate(system(tenant.pk), wanted.get("policy"))
            except InvalidInput as error:
                where = ", ".join(one.pointer for one in error.errors) or place
                raise CommandError(f"{where}: {error.detail}") from None
            except PolicyError as error:
                raise CommandError(f"{place}.policy: {error}") from None
            keys |= new_keys
            people |= {f"{tenant.slug}/{row['external_id']}": row["email"] for row in wanted.get("people", ())}
    return {"keys": keys, "people": people}
