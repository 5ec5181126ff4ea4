"""The story of one memory, told through the REST door. Every step says what it expects, and is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from rich.console import Console
from rich.markup import escape

from memoryhub.demo import scenes
from memoryhub.demo.scenes import Seen, World


@dataclass(frozen=True)
class Step:
    """One thing that someone does, and what must be seen then."""

    title: str
    act: Callable[[World], Seen]
    expect: Mapping[str, object] = field(default_factory=dict)


HELD: dict[str, object] = {"status": 202, "decision": "needs_confirmation"}
REFUSED: dict[str, object] = {"status": 200, "decision": "reject"}
NOTHING = "0 recalled, 404 by id"
STORED: dict[str, object] = {"decision": "store", "reason": "policy_accepted"}
STEPS = (
    Step("The runtime attests a message of Lan", scenes.attest, {"status": 201, "type": "user_message"}),
    Step(
        "Her agent proposes to remember it; she is asked first",
        scenes.propose,
        HELD | {"reason": "confirmation_required"},
    ),
    Step("Until she agrees nothing comes back", scenes.recall, {"recall": "nothing_relevant", "items": 0}),
    Step("She sees exactly those words and agrees", scenes.confirm, {"shown": scenes.WISH, "status": 200} | STORED),
    Step("Now her agent recalls it", scenes.recall, {"recall": "ok", "items": 1}),
    Step("Save: a registered value that she said needs no second question", scenes.save, {"status": 201} | STORED),
    Step("Search: found by its key", scenes.search, {"items": 1, "value": ["conclusion_first"], "version": [1]}),
    Step(
        "Update: her later word takes the place of the earlier",
        scenes.update,
        {"status": 201, "decision": "supersede", "reason": "newer_equal_or_higher_authority", "version": 2},
    ),
    Step(
        "Reopen: a new connection knows the new one alone",
        scenes.reopen,
        {"items": 1, "value": ["detailed"], "version": [2]},
    ),
    Step("Another person sees nothing", scenes.others, {"colleague": NOTHING, "other company": NOTHING}),
    Step(
        "A secret is refused and kept nowhere",
        scenes.secret,
        REFUSED | {"reason": "sensitive_or_prohibited", "kept in": {}},
    ),
    Step(
        "A guess waits for Lan and is not recalled",
        scenes.guess,
        HELD | {"reason": "inference_requires_confirmation", "recalled": 0},
    ),
    Step(
        "A business fact is sent to the system that owns it",
        scenes.business_fact,
        {"decision": "route_to_source", "reason": "business_source_of_truth", "ask": "refund_status"},
    ),
    Step("A wish for this once is not kept", scenes.once_only, REFUSED | {"reason": "not_reusable_across_tasks"}),
    Step(
        "A lesson for the team waits for a reviewer",
        scenes.lesson,
        {"status": 202, "decision": "needs_review", "reason": "reviewer_required"},
    ),
    Step(
        "She cannot agree to it herself: she is no reviewer",
        scenes.own_review,
        {"status": 403, "code": "not_a_reviewer"},
    ),
    Step(
        "The reviewer agrees, and a colleague's agent recalls it", scenes.review, {"status": 200, "items": 1} | STORED
    ),
    Step("Lan forgets", scenes.forget, {"status": 200, "memories": 1}),
    Step("It is gone at once, everywhere", scenes.gone, {"recalled": 0, "listed": 0, "history": [None], "kept in": {}}),
    Step("The old message cannot bring it back", scenes.again, REFUSED | {"reason": "tombstone_key"}),
    Step("The receipt: purged, with its place in the audit", scenes.receipt, {"state": "purged", "in the audit": True}),
    Step("What she says anew may be asked about again", scenes.anew, HELD | {"reason": "confirmation_required"}),
    Step("Delete: both versions, then none", scenes.delete, {"memories": 2, "items": 0}),
    Step("The chain of the audit holds", scenes.chain, {"events": True, "broken at": None}),
)


def play(out: TextIO, steps: Sequence[Step] = STEPS) -> int:
    """Play the steps in companies of their own; prints each and returns how many did not answer as expected."""
    console = Console(file=out, highlight=False)
    world, failed = World(), 0
    for number, step in enumerate(steps, start=1):
        try:
            seen = step.act(world)
        except (KeyError, TypeError) as error:  # an answer without what the step needs
            seen = {"answer": f"without {error}" if isinstance(error, KeyError) else "of another form"}
        wrong = {name: value for name, value in step.expect.items() if name not in seen or seen[name] != value}
        failed += bool(wrong)
        console.print(f"{'[red]✗[/]' if wrong else '[green]✓[/]'} {number:>2}  {step.title}")
        told = " · ".join(f"{name}: {_words(value)}" for name, value in seen.items())
        console.print(f"      {escape(told)}", style="dim", soft_wrap=True)
        if wrong:
            console.print(f"      expected {escape(str(wrong))}", style="red", soft_wrap=True)
    verdict = f"[red]{failed} of {len(steps)} steps went wrong[/]" if failed else f"all {len(steps)} steps are right"
    console.print(f"\n{verdict}\n")
    return failed


def _words(value: object) -> str:
    if isinstance(value, list | dict):
        return ", ".join("no text" if one is None else str(one) for one in value) or "nothing"
    if value is None:
        return "nowhere"
    return "yes" if value is True else str(value)
