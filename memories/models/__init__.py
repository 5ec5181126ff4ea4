"""Everything that can hold a remembered text, in one package, so that erasure can be shown complete by reading it."""

from memories.models.content import (
    Content,
    Evidence,
    EvidenceLink,
    Feature,
    Memory,
    MemoryManager,
    MemoryQuerySet,
    told_in,
)
from memories.models.erasures import Erasure
from memories.models.errands import Export, Extraction, ExtractionItem, Import, ImportLine
from memories.models.places import InNamespace, Namespace, PolicyVersion, Slot
from memories.models.reveals import Reveal
from memories.models.traces import Feedback, Operation, Recall, SavedView, Use
from memories.models.waiting import Candidate, CandidateManager, CandidateQuerySet, Comment, OwnRule, SourceMarker

__all__ = [
    "Candidate",
    "CandidateManager",
    "CandidateQuerySet",
    "Comment",
    "Content",
    "Erasure",
    "Evidence",
    "EvidenceLink",
    "Export",
    "Extraction",
    "ExtractionItem",
    "Feature",
    "Feedback",
    "Import",
    "ImportLine",
    "InNamespace",
    "Memory",
    "MemoryManager",
    "MemoryQuerySet",
    "Namespace",
    "Operation",
    "OwnRule",
    "PolicyVersion",
    "Recall",
    "Reveal",
    "SavedView",
    "Slot",
    "SourceMarker",
    "Use",
    "told_in",
]
