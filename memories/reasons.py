"""The write gate's codes in sentences for people, and the words of the pages for evidence, rules and stores."""

from __future__ import annotations

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = dict[str, str | Promise]

# Every reason a decision can carry; tests/test_pages_words.py reads the gate and fails when one is missing.
REASONS: Words = {
    "policy_accepted": _("It is remembered."),
    "newer_equal_or_higher_authority": _("It is remembered and replaces the earlier version."),
    "already_known": _("Exactly this is remembered already; nothing was added twice."),
    "sensitive_or_prohibited": _(
        "It looks like it holds a password, key, identifier, e-mail address or phone number. Such things are not "
        "remembered, and the text was not kept."
    ),
    "prohibited_instruction": _("It reads like an instruction to an agent to break its rules, so it was not kept."),
    "business_source_of_truth": _(
        "A business system knows this and it can change there. It is looked up when needed, not remembered."
    ),
    "not_reusable_across_tasks": _("It belongs to one task or moment only, so it is not kept for later ones."),
    "run_state_not_memory": _("The state of a run belongs to the program that runs it, not to memory."),
    "transcript_not_memory": _("Whole conversations are not remembered, only the single facts a person states."),
    "memory_off": _("The person has turned remembering off, so nothing new is kept for them."),
    "agent_off": _("The person has shut this agent out of their memory: it keeps nothing and gets nothing back."),
    "do_not_remember": _("A rule that the person made for themselves says that this is not to be remembered."),
    "tombstone_key": _("This was forgotten on request. Only a new explicit statement brings it back."),
    "tombstone_source": _("It comes from a source whose content was forgotten on request."),
    "sensitive_trait_inference": _("It guesses a private trait of a person. Such guesses are never kept."),
    "inference_requires_confirmation": _("It is a guess of an agent; only the person it is about can confirm it."),
    "invalid_namespace": _("There is no such place to remember it for."),
    "unknown_kind": _("The policy knows no such kind of memory."),
    "kind_not_allowed_in_namespace": _("This kind of memory cannot be kept here; choose another kind or place."),
    "reviewer_required": _("Others would rely on it, so a reviewer decides first."),
    "unsupported_evidence": _("What it rests on is not enough for this kind of memory."),
    "already_expired": _("The end you named has passed already."),
    "expiry_required": _("This kind of memory needs a last day."),
    "expiry_too_far": _("The last day is further away than this kind of memory may be kept."),
    "lower_authority_conflict": _("What is remembered here rests on a stronger source, so it stays as it is."),
    "suspicious_content": _("The wording is unusual for a memory, so a reviewer looks at it first."),
    "confirmation_required": _("An agent proposed it; it is remembered when the person confirms it."),
    "forget_requires_confirmation": _("An agent asks to forget it; nothing is forgotten until the person agrees."),
}
UNKNOWN = _("The policy decided so; the code tells the reason.")

# The form field that a reason speaks about.
FIELD_OF = {
    "sensitive_or_prohibited": "statement",
    "prohibited_instruction": "statement",
    "business_source_of_truth": "statement",
    "not_reusable_across_tasks": "statement",
    "unknown_kind": "kind",
    "kind_not_allowed_in_namespace": "kind",
    "already_expired": "valid_until",
    "expiry_required": "valid_until",
    "expiry_too_far": "valid_until",
}

# What each rule of the gate looks for, said as passed.
RULES: Words = {
    "sensitivity": _("No known form of a secret or identifier in it"),
    "injected_instruction": _("No instruction to an agent to break its rules"),
    "source_of_truth": _("Not something a business system answers for"),
    "reusable": _("Useful beyond one task"),
    "own_rules": _("Nothing that the person asked not to have remembered"),
    "forgotten": _("Not something that was forgotten on request"),
    "duplicate": _("Compared with what is remembered already"),
    "inference": _("Not a mere guess"),
    "namespace": _("Belongs to a known person, agent, team or project"),
    "kind": _("A kind of memory that is kept here"),
    "evidence": _("Rests on a source that is enough for its kind"),
    "expired": _("Its end has not passed"),
    "expiry": _("Kept no longer than its kind allows"),
    "authority": _("No stronger source says otherwise"),
    "wording": _("Worded like a memory"),
    "confirmation": _("Confirmed by the person, or entered by them"),
}

# What a passed check tells besides, in place of the words of its rule.
REMARKS: Words = {"end_by_own_wish": _("It ends when the person wants memories of this kind to end")}

# What the gate would do, as told to someone who tries a sentence out.
OUTCOMES: Words = {
    "store": _("It would be remembered."),
    "supersede": _("It would be remembered and replace what is there."),
    "keep": _("It is remembered already."),
    "needs_confirmation": _("You would be asked first."),
    "needs_review": _("A reviewer would be asked first."),
    "route_to_source": _("It would not be remembered: a business system knows it."),
    "reject": _("It would not be remembered."),
}

EVIDENCE: Words = {
    "explicit_user": _("the person said so"),
    "verified_reviewer": _("a reviewer approved it"),
    "business_record": _("a business record"),
    "tool_output": _("the result of a tool or run"),
    "model_inference": _("a guess of an agent"),
}

STORES: Words = {
    "memories": _("versions of the memory"),
    "candidates": _("proposals that waited or were decided"),
    "comments": _("comments on proposals"),
    "evidence": _("original messages kept as evidence"),
    "evidence_links": _("links to further evidence"),
    "features": _("entries of the search index"),
    "own_rules": _("rules of what is not to be remembered"),
    "exports": _("export files"),
    "import_lines": _("lines of files handed over"),
    "imports": _("files handed over"),
    "uses": _("counts of how often it was recalled"),
    "saved_views": _("saved views of the list"),
    "reveals": _("reasons for which others read"),
    "extractions": _("conversations that were looked through"),
}

# Why something cannot be done to a memory that was chosen with others.
OBSTACLES: Words = {
    "earlier_version": _("It is an earlier version that nothing can be done to."),
    "not_a_maintainer": _("Only a maintainer or a reviewer may do this to what a team or project remembers."),
    "paused_already": _("It is paused already."),
    "active_already": _("It is in use already."),
    "content_changed": _("It says something else by now. Look at it again."),
    "asks_to_forget": _("It asks to forget something; that is answered by itself."),
    "sensitive": _("It is sensitive or risky, so it is read and answered by itself."),
    "same_name": _("Another of those chosen says something else under the same name."),
    "needs_last_day": _("It needs a last day, which you set on its own page."),
    "without_end": _("It has no end, so there is nothing to extend."),
}

# What made a memory come back, what kept others away, and what the runtime made of it.
RECALLING: Words = {
    "keyword": _("same words"),
    "semantic": _("same meaning"),
    "authority": _("how sure its source is"),
    "freshness": _("how recently it was confirmed"),
    "version": _("corrected before"),
    "named": _("asked for by its name"),
    "below_threshold": _("not relevant enough"),
    "over_budget": _("no room left"),
    "over_limit": _("others were better, and the number of places is limited"),
    "overridden": _("something stronger said otherwise"),
    "used": _("the agent used it"),
    "irrelevant": _("the agent found it beside the point"),
    "wrong": _("the agent found it wrong"),
    "stale": _("the agent found it out of date"),
}

# What can be wrong with a line of a file before the gate is asked, or with its place.
LINES: Words = {
    "unknown_namespace": _("You may not add memories to the place it names."),
    "repeated_line": _("The same line stands earlier in the file."),
    "repeated_key": _("An earlier line of the file has the same name; only that one counts."),
    "another_stands": _("Something else is remembered under this name."),
    "not_utf8": _("It is not text in UTF-8."),
    "not_json": _("It is not JSON."),
    "not_an_object": _("It is not a JSON object."),
    "not_a_list": _("The file holds no list of memories."),
    "line_too_long": _("It is longer than 64 KiB."),
    "broken_characters": _("It holds a character that no text has."),
    "unknown_schema": _("It does not say that it is a memory of version 1."),
    "unknown_field": _("It has a field that does not belong there."),
    "required": _("A field is missing."),
    "blank": _("A field is empty."),
    "max_length": _("A field is longer than allowed."),
    "invalid_choice": _("A field has none of the values it may have."),
    "invalid": _("A field is not of the form it should have."),
    "invalid_input": _("A part of the procedure is not of the form it should have."),
    "too_large": _("The value is larger than 8 KiB."),
    "too_deep": _("The value is nested too deeply."),
    "not_a_day": _("There is no such day."),
    "not_a_time": _("There is no such time, or it has no zone."),
    "out_of_range": _("This year is out of range."),
}

# Why something that was found in a conversation was not even proposed.
FINDINGS: Words = {
    "recalled_or_known": _("It only repeats what is remembered already."),
    "too_long": _("It is longer than a memory may be."),
}

# Why an export, an import or a look through a conversation could not be finished.
FAILURES: Words = {
    "no_longer_permitted": _("Whoever asked for it may no longer have it."),
    "storage_failed": _("The disk did not take it. Try again; if it stays, tell whoever runs this MemoryHub."),
    "key_unavailable": _("The keys to what is stored here were not available. Try again later."),
    "interrupted": _("It was interrupted several times. Try again; if it stays, tell whoever runs this MemoryHub."),
    "model_timeout": _("The language model did not answer in time. Try again later."),
    "model_unreachable": _("The language model could not be reached. Try again later."),
    "model_error": _("The language model answered with an error. Try again; if it stays, tell whoever runs this."),
    "model_refused": _("The language model refused to read this conversation."),
    "model_truncated": _("The language model did not come to an end. A shorter conversation may work."),
    "model_malformed_answer": _("The language model's answer could not be read."),
    "extraction_model_not_permitted": _("The policy of your organisation sends no conversation to a language model."),
    "forgotten_meanwhile": _("Something was forgotten meanwhile, so the conversation was let go of unread."),
    "not_done_in_time": _("It was not done within 24 hours, so the conversation was let go of."),
    "file_lost": _("The file is gone. Have it made anew."),
    "recalls": _("records of what agents looked up"),
    "feedback": _("records of what agents made of it"),
    "operations": _("records of requests to remember"),
    "keys": _("encryption keys, destroyed"),
}


def sentence(reason: str) -> Any:
    """A reason code in words; a code of a newer policy is named as such."""
    return REASONS.get(reason, UNKNOWN)
