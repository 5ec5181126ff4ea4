"""What people decided, and what they are told of: codes and ids. No text of a candidate or reviewer stands here."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Errand, Membership, TenantRow
from memories.models import Candidate, Namespace, Slot


class Review(TenantRow):
    """One person's verdict on exactly one content of a candidate."""

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="reviews")
    reviewer_id = models.UUIDField()
    verdict = models.CharField(max_length=24)
    reason = models.CharField(max_length=64, blank=True)
    content_hash = models.CharField(max_length=64)
    policy_version = models.PositiveIntegerField()


class Claim(TenantRow):
    """A reviewer works on a candidate until then; meanwhile nobody else decides it."""

    candidate = models.OneToOneField(Candidate, on_delete=models.PROTECT, related_name="claim")
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    until = models.DateTimeField()


class DelayedVerdict(Errand):
    """A person's verdict that takes effect at `commits_at`; until then they can take it back and nothing has happened.

    `error` tells in a code why one could not take effect.
    """

    class Verdict(models.TextChoices):
        APPROVE = "approve", _("approved")
        REJECT = "reject", _("rejected")
        REQUEST_CHANGES = "request_changes", _("changes requested")

    class State(models.TextChoices):
        WAITING = "waiting", _("takes effect soon")
        DONE = "done", _("took effect")
        UNDONE = "undone", _("taken back")
        REFUSED = "refused", _("could not take effect")

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="delayed_verdicts")
    verdict = models.CharField(max_length=24, choices=Verdict)
    reason = models.CharField(max_length=64, blank=True)
    content_hash = models.CharField(max_length=64)
    valid_until = models.DateTimeField(null=True)
    commits_at = models.DateTimeField()
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["candidate"], condition=Q(state="waiting"), name="one_waiting_verdict_per_candidate"
            )
        ]
        indexes = [
            models.Index(fields=["tenant", "commits_at"], name="verdict_by_moment", condition=Q(state="waiting")),
            models.Index(fields=["tenant", "subject_id", "commits_at"], name="verdict_by_reviewer"),
        ]


class Notice(TenantRow):
    """That a person should know of something: a candidate that waits for them, a memory that ends soon, a new agent,
    what came of an entry of the playbook that they follow, a proposal that they are to review, or that somebody reads
    their memories.

    It is due for a mail while `mailed_at` is null; `seen_at` takes it out of the count beside the bell.
    """

    class Kind(models.TextChoices):
        WAITING = "waiting", _("An agent asks to remember or to forget something")
        EXPIRING = "expiring", _("Something remembered ends soon")
        AGENT = "agent", _("A new agent may act for you")
        RETURNED = "returned", _("A reviewer asks you for another version")
        CHANGED = "changed", _("A new version of what you follow holds")
        SUSPENDED = "suspended", _("Something you follow was suspended")
        ENDING = "ending", _("Something you follow ends soon")
        REVIEW = "review", _("A proposal waits for your review")
        LAPSING = "lapsing", _("A proposal lapses soon without a review")
        BREAK_GLASS = "break-glass", _("Somebody may read your memories for a while")

    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind)
    target_id = models.UUIDField()
    seen_at = models.DateTimeField(null=True)
    mailed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["membership", "kind", "target_id"], name="one_notice_per_person_and_target")
        ]
        indexes = [
            models.Index(fields=["tenant", "kind", "target_id"], name="notice_by_target"),
            models.Index(fields=["tenant", "membership", "mailed_at"], name="notice_by_mail"),
        ]


class Follow(TenantRow):
    """That a person wants to know what becomes of an entry of the playbook or, without a `slot`, of a whole place."""

    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="+")
    slot = models.ForeignKey(Slot, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["membership", "namespace"],
                condition=models.Q(slot=None),
                name="one_follow_per_person_and_place",
            ),
            models.UniqueConstraint(fields=["membership", "slot"], name="one_follow_per_person_and_entry"),
        ]
