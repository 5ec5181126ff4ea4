"""The verbs that write. Each takes a principal first, opens one transaction and leaves one event."""

from memories.actions.attest import attest, web_form
from memories.actions.change import (
    SUSPENSIONS,
    changed,
    correct,
    pause,
    reinstate,
    renew,
    resume,
    roll_back,
    suspend,
)
from memories.actions.forget import (
    ForgetPlan,
    ask_to_forget,
    confirm_forget,
    forget,
    forget_approved,
    plan_forget,
)
from memories.actions.hand_over import Fate, foresee, take
from memories.actions.hold import content_hash_of, reword_held
from memories.actions.own_rules import add_rule, ask_me, expire_after, remove_rule, switch_memory
from memories.actions.propose import approve, foresee_approval, held_item, preview, propose, propose_batch
from memories.actions.reveal import end_reveal, note_reading, require_reveal, reveal, revealed, reveals
from memories.actions.scopes import ForgetFilter
from memories.actions.several import Weighed, change_several, visible, weigh
from memories.actions.sitting import ACTIVATING, HOLDING, Approval, Proposed, Sitting
from memories.lifecycle import Part

__all__ = [
    "ACTIVATING",
    "HOLDING",
    "SUSPENSIONS",
    "Approval",
    "Fate",
    "ForgetFilter",
    "ForgetPlan",
    "Part",
    "Proposed",
    "Sitting",
    "Weighed",
    "add_rule",
    "approve",
    "ask_me",
    "ask_to_forget",
    "attest",
    "change_several",
    "changed",
    "confirm_forget",
    "end_reveal",
    "content_hash_of",
    "correct",
    "expire_after",
    "forget",
    "forget_approved",
    "foresee",
    "foresee_approval",
    "held_item",
    "note_reading",
    "pause",
    "plan_forget",
    "preview",
    "propose",
    "propose_batch",
    "reinstate",
    "remove_rule",
    "renew",
    "require_reveal",
    "resume",
    "reveal",
    "revealed",
    "reveals",
    "reword_held",
    "roll_back",
    "suspend",
    "switch_memory",
    "take",
    "web_form",
    "visible",
    "weigh",
]
