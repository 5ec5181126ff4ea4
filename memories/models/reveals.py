"""That somebody who must may read what is remembered about another person."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Membership, TenantRow
from memories.encryption.fields import SealedText
from memories.models.places import InNamespace, Namespace


class Reveal(InNamespace, TenantRow):
    """An auditor or administrator reads a person's memories: for a reason, in their own words, and until then.

    It stands as long as the events of it, so that the person can see who read, when and why.
    """

    class Ground(models.TextChoices):
        LAW = "law", _("a duty by law")
        INCIDENT = "incident", _("a security incident")
        HARM = "harm", _("harm to somebody")
        WISH = "wish", _("the person asked for it")

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="reveals")
    reader = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    ground = models.CharField(max_length=16, choices=Ground)
    words = SealedText()
    until = models.DateTimeField()
