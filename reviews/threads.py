"""What reviewers and proposers say to each other about a candidate. The words go with the candidate's own."""

from __future__ import annotations

from django.db.models import QuerySet

from accounts import audit, tenancy
from accounts.errors import Conflict, Forbidden, InvalidInput
from accounts.principals import Principal
from memories import access, sensitivity
from memories.models import Candidate, Comment

MAX_COMMENT = 1000
OPEN = (Candidate.Status.PENDING, Candidate.Status.CHANGES_REQUESTED)


def comments(principal: Principal, candidate_id: str) -> QuerySet[Comment]:
    """What was said about a candidate that the caller sees, oldest first."""
    seen = access.candidate(principal, candidate_id)
    said = Comment.objects.filter(candidate=seen, text__isnull=False)
    return said.select_related("author", "candidate").order_by("pk")


def check(text: str) -> None:
    """Raise InvalidInput for words that may not be kept, or none."""
    if not text.strip():
        raise InvalidInput.field("comment", "It must not be blank.", "blank")
    if len(text) > MAX_COMMENT:
        raise InvalidInput.field("comment", "This text is too long.", "max_length")
    if sensitivity.scan(text) or sensitivity.screen(text).verdict == "prohibited":
        raise InvalidInput.field("comment", "It looks like a secret or an identifier.", "sensitive_or_prohibited")


def comment(principal: Principal, candidate_id: str, text: str) -> Comment:
    """Say something about a candidate that is not decided for good. A person's own words, checked like a memory's."""
    if not principal.is_person:
        raise Forbidden("Only a person may do this, with their own token.", code="people_only")
    check(text)
    seen = access.candidate(principal, candidate_id)
    with tenancy.atomic():
        access.lock([seen.namespace])
        if not Candidate.objects.filter(pk=seen.pk, status__in=OPEN).exists():
            raise Conflict("It has been decided already.", code="already_decided")
        row = Comment.objects.create(candidate=seen, author_id=principal.subject_id, text=text)
        audit.record(principal, "candidate.comment", target="candidate", target_id=seen.pk)
    return row
