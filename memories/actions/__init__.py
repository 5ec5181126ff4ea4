"""The verbs that write. Each takes a principal first, opens one transaction and leaves one event."""

from memories.actions.attest import attest, web_form
from memories.actions.change import correct, pause, renew, resume
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
from memories.actions.propose import approve, judge_held, preview, propose, propose_batch
from memories.actions.scopes import ForgetFilter
from memories.actions.sitting import ACTIVATING, HOLDING, Approval, Proposed, Sitting
from memories.lifecycle import Part

__all__ = [
    "ACTIVATING",
    "HOLDING",
    "Approval",
    "Fate",
    "ForgetFilter",
    "ForgetPlan",
    "Part",
    "Proposed",
    "Sitting",
    "approve",
    "ask_to_forget",
    "attest",
    "confirm_forget",
    "content_hash_of",
    "correct",
    "forget",
    "forget_approved",
    "foresee",
    "judge_held",
    "pause",
    "plan_forget",
    "preview",
    "propose",
    "propose_batch",
    "renew",
    "resume",
    "reword_held",
    "take",
    "web_form",
]
