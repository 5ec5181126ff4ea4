"""What each error code means and what helps, for the pages that the `type` of a problem document leads to."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _


class Problem(NamedTuple):
    """What happened, and what the caller can do."""

    meaning: Any
    remedy: Any


LOOK_AGAIN = _("Load the current state, look at it and decide again.")
ASK_FOR_RIGHTS = _("Use a credential that has the right, or ask whoever gave you this one.")
CORRECT_INPUT = _("Correct the fields that the answer names under errors and send the request again.")
SIGN_IN = _("Send a valid credential in the Authorization header, or sign in on the web pages.")
TRY_LATER = _(
    "Wait for the time given in Retry-After and send the same request again; with the same Idempotency-Key "
    "it is carried out only once."
)

GENERAL = Problem(
    _("This code is not in our list. The answer you received says in its detail what happened."),
    _("Keep the request id of the answer: whoever runs this MemoryHub can find the request by it."),
)
PROBLEMS: dict[str, Problem] = {
    "bad_request": Problem(_("The request could not be read."), CORRECT_INPUT),
    "parse_error": Problem(_("The body is not a JSON object that can be read."), CORRECT_INPUT),
    "invalid_input": Problem(_("One or more fields are missing, unknown or not valid."), CORRECT_INPUT),
    "too_large": Problem(_("The body is larger than this address takes."), _("Send less at once, or use a batch.")),
    "sensitive_or_prohibited": Problem(
        _("A reference or a name holds something that looks like a secret or an identifier, and may not be kept."),
        _("Use a neutral name or number for the source and send the request again."),
    ),
    "invalid_tool_arguments": Problem(
        _("The arguments of the tool are not exactly those it takes."),
        _("Give the model the tool's current schema; no argument may be missing or added."),
    ),
    "unknown_tool": Problem(
        _("There is no such tool, or the policy has turned it off."),
        _("Ask for the list of tools and offer only those."),
    ),
    "not_authenticated": Problem(_("The request carried no credential."), SIGN_IN),
    "authentication_failed": Problem(_("The credential is unknown, has ended or was revoked."), SIGN_IN),
    "invalid_credential": Problem(_("The credential is unknown, has ended or was revoked."), SIGN_IN),
    "permission_denied": Problem(_("The credential may not do this."), ASK_FOR_RIGHTS),
    "missing_scope": Problem(_("The credential lacks the scope that this needs."), ASK_FOR_RIGHTS),
    "sign_in_required": Problem(
        _("Only the signed-in person may do this; a token cannot do it for them."), _("Sign in on the web pages.")
    ),
    "csrf_failed": Problem(
        _("The page was open too long, or the request came from another site."), _("Load the page again and retry.")
    ),
    "not_an_agent_key": Problem(_("Only an agent's own key can mint delegations."), ASK_FOR_RIGHTS),
    "person_required": Problem(
        _("Only a person may do this; an agent cannot do it for them."),
        _("Sign in on the web pages, or use a personal token."),
    ),
    "not_a_maintainer": Problem(
        _("Only a maintainer or a reviewer may change what a team or project remembers."), ASK_FOR_RIGHTS
    ),
    "not_an_auditor": Problem(_("Only an auditor or an administrator may read the audit."), ASK_FOR_RIGHTS),
    "reveal_ended": Problem(
        _("The time for which a person's memories could be read is over."),
        _("Where it must be, give a reason anew; the person is told again."),
    ),
    "not_a_reviewer": Problem(_("Only a reviewer of the namespace may decide this."), ASK_FOR_RIGHTS),
    "not_the_owner": Problem(
        _("Only the person a candidate is about may decide it."), _("Ask that person to open Waiting for me.")
    ),
    "not_the_proposer": Problem(
        _("Only the one who proposed it may withdraw it."), _("Its owner or a reviewer can reject it instead.")
    ),
    "own_proposal": Problem(
        _("Nobody reviews what they proposed themselves, nor what was proposed on their behalf."),
        _("Another reviewer decides."),
    ),
    "foreign_origin": Problem(
        _("A page of another site sent the request."), _("Send it from a program, or from a page of this site.")
    ),
    "waits_for_confirmation": Problem(
        _("It waits until the person confirms it; nothing has changed yet."),
        _("Tell the person where it waits, and do not send it again."),
    ),
    "write_not_approved": Problem(
        _("The person did not agree, so nothing has changed."),
        _("Do not send it again unless the person asks for it."),
    ),
    "invalid_request_state": Problem(
        _("The answer is to no question of this call, or came too late."), _("Make the call anew and answer that.")
    ),
    "not_found": Problem(
        _("It does not exist, or you may not see it: both have the same answer."),
        _("Check the id and on whose behalf the request was made."),
    ),
    "unknown_namespace": Problem(
        _("There is no such namespace for this credential."), _("Name one that both the person and the agent may use.")
    ),
    "unknown_subject": Problem(
        _("There is no such person for this credential."), _("Name a person for whom this agent may act.")
    ),
    "method_not_allowed": Problem(
        _("This address does not take that method."), _("See the API description for what it takes.")
    ),
    "not_acceptable": Problem(_("The answer cannot be given in the form asked for."), _("Accept application/json.")),
    "unsupported_media_type": Problem(_("The body is not in a form that is read here."), _("Send application/json.")),
    "conflict": Problem(_("The current state does not allow this."), LOOK_AGAIN),
    "version_conflict": Problem(_("Another version is current than the one named in expected_version."), LOOK_AGAIN),
    "not_current": Problem(_("This version is not the current one."), LOOK_AGAIN),
    "not_editable": Problem(_("Only what an agent asks to remember about you can be worded anew."), LOOK_AGAIN),
    "already_decided": Problem(
        _("It has been decided already."), _("Look at the result; a new proposal starts a new decision.")
    ),
    "claimed": Problem(
        _("Another reviewer is working on it, and nobody else decides it meanwhile."),
        _("Decide something else, or come back when their time is over."),
    ),
    "second_approver_required": Problem(
        _("You have approved it; its risk takes another reviewer who does not know your verdict."),
        _("Another reviewer decides."),
    ),
    "unknown_reviewer": Problem(
        _("There is no such other reviewer who may decide it."), _("Name one of the reviewers in its dossier.")
    ),
    "too_late": Problem(
        _("The answer has taken effect, so it can no longer be taken back."),
        _("Decide anew: correct, pause or forget what is remembered."),
    ),
    "nothing_to_undo": Problem(
        _("There is no answer of yours that could be taken back."), _("Look at the state of the proposal.")
    ),
    "not_undoable": Problem(
        _("Only a person's own answer can be taken back; what an agent relays takes effect at once."),
        _("Leave undoable out."),
    ),
    "people_only": Problem(
        _("Only a person may do this, whatever the scopes of an agent's key."),
        _("Sign in, or use a token of your own."),
    ),
    "nothing_to_reword": Problem(_("It asks to forget something, so there are no words to change."), LOOK_AGAIN),
    "waits_already": Problem(_("A proposal with exactly these words waits already."), _("Decide that one.")),
    "entry_changed": Problem(
        _("The entry that it would replace has changed since you looked."), _("Look again, then decide.")
    ),
    "lapsed": Problem(
        _("It waited too long and has lapsed; its content is gone."), _("Propose it again if it is still wanted.")
    ),
    "key_unavailable": Problem(
        _("What is stored here is encrypted, and its key cannot be had at the moment."),
        _("Try again later. Whoever runs this MemoryHub sees in its log what is wrong with the key store."),
    ),
    "key_destroyed": Problem(
        _("What is stored here was forgotten, and its key was destroyed with it."),
        _("Nobody can read it again. It is left over from a restored backup: manage.py replay_erasures removes it."),
    ),
    "content_damaged": Problem(
        _("What is stored here was changed from outside of MemoryHub, so it is not shown."),
        _("Whoever runs this MemoryHub finds the table and column in the log and restores the row from a backup."),
    ),
    "ledger_unwritten": Problem(
        _("It is forgotten, but the record that guards it against an old backup could not be written yet."),
        _("Nothing is left to do: it is written again by itself, and the receipt says purged only afterwards."),
    ),
    "plan_changed": Problem(
        _("Something changed under these keys since the dry run."), _("Make a new dry run and confirm that.")
    ),
    "not_an_admin": Problem(
        _("Only an administrator in person may export the whole organisation."),
        _("Export your own memories, or ask an administrator."),
    ),
    "agent_ended": Problem(_("This agent was ended for good; its keys open nothing."), _("Connect a new agent.")),
    "too_many_agents": Problem(
        _("You have as many agents as one may have."), _("End one that you no longer use, then connect the new one.")
    ),
    "last_maintainer": Problem(
        _("A team or project is never without a maintainer while it has one."),
        _("Make someone else a maintainer first, then go on."),
    ),
    "last_admin": Problem(
        _("An organisation is never without an administrator."),
        _("Give someone else the role of an administrator first, then go on."),
    ),
    "already_member": Problem(
        _("Someone with this address belongs to the organisation already."),
        _("Add them to the team or project itself."),
    ),
    "already_invited": Problem(
        _("This address has an open invitation already."), _("Send that invitation again, or take it back first.")
    ),
    "too_many_invitations": Problem(
        _("As many invitations were sent as one may send in a day."),
        _("Wait until tomorrow, or let someone else invite."),
    ),
    "other_address": Problem(
        _("The invitation is for another address than the one you are signed in with."),
        _("Sign in with the invited address, or have the right one invited."),
    ),
    "too_many_exports": Problem(
        _("You have as many exports as one may have at a time."), _("Cancel one whose file you no longer need.")
    ),
    "too_many_imports": Problem(
        _("As many handed-over files wait as one may have at a time."), _("Carry one out or cancel it.")
    ),
    "too_many_extractions": Problem(
        _("As many conversations wait to be looked through as one may have at a time."), _("Wait, or cancel one.")
    ),
    "no_extraction_model": Problem(
        _("This MemoryHub has no language model that looks through conversations."),
        _("Use the method rules, or ask whoever runs this MemoryHub to name a model."),
    ),
    "extraction_model_not_permitted": Problem(
        _("The policy of this organisation sends no conversation to a language model."),
        _("Use the method rules, or ask an administrator."),
    ),
    "memory_off": Problem(
        _("The person has turned memory off, so nothing is looked through or kept for them."),
        _("They can turn it on again under Settings."),
    ),
    "agent_off": Problem(
        _("The person has shut this agent out of their memory, so nothing is looked through or kept for them."),
        _("They can let it in again under Settings."),
    ),
    "not_failed": Problem(
        _("It did not fail, or its conversation is gone, so it cannot be tried again."),
        _("Look at its state; send the conversation again if it is still needed."),
    ),
    "too_many_webhooks": Problem(
        _("This place has as many webhooks as it may have."), _("Remove one that is no longer needed.")
    ),
    "switched_off": Problem(
        _("The webhook is switched off, so nothing of it is sent."), _("Switch it on, then send the message again.")
    ),
    "already_sent": Problem(
        _("The receiver took this message already."), _("Nothing needs to be done; it is not sent twice.")
    ),
    "export_not_ready": Problem(
        _("There is no file to fetch: it is still being made, has ended, was withdrawn or failed."),
        _("Look at the state of the export; wait, or have it made anew."),
    ),
    "no_longer_permitted": Problem(
        _("Whoever asked for it may no longer have it: a right, an agent or a key has ended since."), ASK_FOR_RIGHTS
    ),
    "already_ended": Problem(_("It has ended already, so there is nothing to cancel."), LOOK_AGAIN),
    "not_ended": Problem(_("It is being made or is ready, so it is not made anew."), LOOK_AGAIN),
    "not_waiting": Problem(
        _("The handed-over file does not wait to be carried out: it was, it is being, or its time is over."),
        _("Look at its state; hand the file over again if it has ended."),
    ),
    "still_running": Problem(_("A request with this idempotency key is still being carried out."), TRY_LATER),
    "stale_version": Problem(_("It changed since you read it, so nothing was overwritten."), LOOK_AGAIN),
    "content_changed": Problem(_("The content that waits is not the one that was shown to you."), LOOK_AGAIN),
    "version_required": Problem(
        _("A correction must say which version it corrects."), _("Send the version you read in If-Match.")
    ),
    "idempotency_key_reused": Problem(
        _("This idempotency key was used for another request."), _("Use a new key for a new request.")
    ),
    "throttled": Problem(_("More requests came than this caller may send."), TRY_LATER),
    "policy_invalid": Problem(
        _("The tenant's policy does not fit this version, so nothing is decided under it."),
        _("Whoever runs this MemoryHub activates a valid policy with provision."),
    ),
    "unknown_key": Problem(
        _("This agent has no such key."), _("Name the key as tenant/agent/key, as provision prints it.")
    ),
    "memory_unavailable": Problem(_("A part of the service is not available; nothing was changed."), TRY_LATER),
    "server_error": Problem(
        _("The fault is ours and was noted. Nothing was half done."),
        _("Send it again with the same Idempotency-Key; if it stays, tell whoever runs this MemoryHub the request id."),
    ),
}
