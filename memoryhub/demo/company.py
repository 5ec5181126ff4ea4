"""Cloudline Tea, a company that does not exist: its people, and what its agents were told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SLUG, NAME = "cloudline-tea", "Cloudline Tea 云岫茶业"
AGENT, KEY = "assistant", "runtime"
SCOPES = [
    "memory:recall",
    "memory:read",
    "memory:propose",
    "memory:forget",
    "evidence:attest",
    "evidence:attest_review",
    "delegation:mint",
]


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    full_name: str
    what: str
    time_zone: str
    role: str = "member"

    @property
    def email(self) -> str:
        return f"{self.name}@{SLUG}.example"


PEOPLE = (
    Person("xiaoyu", "林晓雨", "answers customers, 客服", "Asia/Shanghai"),
    Person("daniel", "Daniel Okafor", "runs the warehouse", "Europe/Amsterdam"),
    Person("min", "周敏", "reviews what the team shares, 审核", "Asia/Shanghai", "reviewer"),
    Person("ingrid", "Ingrid Solberg", "administers, keeps the label project", "Europe/Oslo", "admin"),
)
USER, TEAM, PROJECT = {"type": "user"}, {"type": "team", "id": "support"}, {"type": "project", "id": "labels"}


@dataclass(frozen=True, slots=True)
class Told:
    """Something a person said, and what the agent made of it. `by`: who then agrees; nobody leaves it waiting."""

    person: str
    key: str
    statement: str
    message: str | None
    by: str = ""
    kind: str = "preference"
    value: str | None = None
    namespace: Any = None
    days: int | None = None
    forgotten: bool = False

    def proposal(self) -> dict[str, Any]:
        body = {"namespace": self.namespace or USER, "kind": self.kind, "key": self.key, "statement": self.statement}
        return body | ({"value": self.value} if self.value else {})


# In the order in which it was said. Without a message the agent only guessed.
STORY = (
    Told("xiaoyu", "preferred_language", "中文", "跟我说中文就好。", value="zh"),
    Told("xiaoyu", "answer_style", "先结论后原因", "以后回答我，先说结论，再说原因。", value="conclusion_first"),
    Told("xiaoyu", "weekly_report", "周报先写风险，再写进展。", "我的周报习惯先写风险，再写进展。", "xiaoyu"),
    Told("xiaoyu", "weekly_report", "周报先写进展，风险放在最后一节。", "周报改一下，先写进展，风险放最后。", "xiaoyu"),
    Told("xiaoyu", "tasting_notes", "品鉴记录先写香气，再写滋味。", "写品鉴记录时我都先写香气，再写滋味。"),
    Told("daniel", "units", "Use metric units.", "Please always use metric units with me.", value="metric"),
    Told(
        "daniel",
        "job_role",
        "Runs the warehouse and plans the weekly deliveries.",
        "I run the warehouse here and plan the weekly deliveries.",
        "daniel",
        kind="profile",
    ),
    Told(
        "daniel",
        "picking_list",
        "Picking lists are sorted by shelf and then by tea.",
        "Sort my picking lists by shelf and then by tea, always.",
        "daniel",
    ),
    Told("daniel", "meeting_length", "Likes short meetings in the morning.", None),
    Told(
        "daniel",
        "sign_off",
        "Letters end with one short closing line.",
        "End my letters with one short closing line.",
        "daniel",
        forgotten=True,
    ),
    Told(
        "xiaoyu",
        "replacement_check",
        "Before offering a replacement tin, ask for a photo of the unopened seal.",
        "We should ask for a photo of the unopened seal before we offer a replacement tin.",
        "min",
        kind="procedure",
        namespace=TEAM,
        days=180,
    ),
    Told(
        "xiaoyu",
        "damaged_tin",
        "遇到茶罐破损，先记下批次号，再安排补寄。",
        "以后遇到茶罐破损，我们先记下批次号，再安排补寄吧。",
        kind="procedure",
        namespace=TEAM,
        days=180,
    ),
    Told(
        "ingrid",
        "test_label",
        "Print one test label and have a second person read it before a batch is printed.",
        "In this project we print one test label and a second person reads it before we print a batch.",
        "ingrid",
        kind="convention",
        namespace=PROJECT,
        days=300,
    ),
)


def document(passwords: dict[str, str]) -> dict[str, Any]:
    """The company as `provision` takes it."""
    return {
        "slug": SLUG,
        "name": NAME,
        "people": [
            {
                "external_id": one.name,
                "email": one.email,
                "password": passwords[one.name],
                "name": one.full_name,
                "time_zone": one.time_zone,
                "roles": [one.role],
            }
            for one in PEOPLE
        ],
        "teams": [{"slug": "support", "members": ["xiaoyu", "daniel", "min"]}],
        "projects": [{"slug": "labels", "members": ["xiaoyu"], "maintainers": ["ingrid"]}],
        "agents": [
            {
                "slug": AGENT,
                "name": "Assistant",
                "owner": "ingrid",
                "acts_for": "*",
                "teams": ["support"],
                "projects": ["labels"],
                "keys": [{"name": KEY, "scopes": SCOPES}],
            }
        ],
    }
