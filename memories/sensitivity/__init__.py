"""What may not be remembered: secrets, personal identifiers and injected instructions. Pure: no clock, no network."""

from memories.sensitivity.detectors import scan, scan_fields, warm_up
from memories.sensitivity.findings import EngineUnavailable, Finding, Screening
from memories.sensitivity.poison import screen
from memories.sensitivity.traits import sensitive_trait

__all__ = ["EngineUnavailable", "Finding", "Screening", "scan", "scan_fields", "screen", "sensitive_trait", "warm_up"]
