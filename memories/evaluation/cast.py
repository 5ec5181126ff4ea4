"""Who takes part in a case, tenant by tenant, as the document that `provision` reads. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memories.evaluation.names import Name

REVIEWER, MEMBER, RUNTIME = "evaluation_reviewer", "evaluation_member", "evaluation_runtime"


@dataclass
class Cast:
    """Who takes part. A group has the members named for it, a stand-in and the reviewer; agents work in every group."""

    owners: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    members: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def tenant(self, tenant: str) -> dict[str, set[str]]:
        return self.owners.setdefault(tenant, {"user": set(), "agent": set(), "project": set(), "team": set()})

    def add(self, name: Name, *members: str) -> None:
        self.tenant(name.tenant)[name.type].add(name.owner)
        if name.type in ("project", "team"):
            self.members.setdefault((name.tenant, name.owner), set()).update(members)
            self.tenant(name.tenant)["user"].update(members)

    def document(self, tenant: str, slug: str) -> dict[str, Any]:
        """The tenant as `provision` reads it."""
        owners = self.tenant(tenant)
        stand_in = [MEMBER] if owners["team"] or owners["project"] else []
        people = [REVIEWER, *stand_in, *sorted(owners["user"])]
        groups = {
            f"{type_}s": [
                {"slug": slug_, "members": sorted({REVIEWER, MEMBER} | self.members.get((tenant, slug_), set()))}
                for slug_ in sorted(owners[type_])
            ]
            for type_ in ("team", "project")
        }
        works_in = {place: [row["slug"] for row in rows_] for place, rows_ in groups.items()}
        return {
            "slug": slug,
            "people": [
                {
                    "external_id": person,
                    "email": f"person{index}@{slug}.invalid",
                    "roles": ["reviewer"] if person == REVIEWER else ["member"],
                }
                for index, person in enumerate(people)
            ],
            **groups,
            "agents": [
                {"slug": agent, "owner": REVIEWER, "acts_for": "*", **works_in}
                for agent in [RUNTIME, *sorted(owners["agent"])]
            ],
        }
