"""The sensitive scan: every view of a text through every detector, in bounded time."""

import re
from collections.abc import Iterator, Mapping

from memories.sensitivity import engines, identifiers, numbers, views
from memories.sensitivity.credentials import credentials
from memories.sensitivity.findings import Finding

# A statement has at most 2,000 characters; longer fields are read in overlapping windows, up to a limit.
WINDOW = 2_000
OVERLAP = 300
LONGEST = 16_000
_NAMES_A_SECRET = re.compile(
    r"pass|pwd|secret|token|api_?key|credential|(?:^|[._])(?:pin|otp)$|密码|口令|密钥", re.IGNORECASE
)


def scan(text: str) -> tuple[Finding, ...]:
    """What the text may not hold, sorted: all that its first telling view shows; later views are not looked at.

    Raises EngineUnavailable if a detector is missing.
    """
    if len(text) > LONGEST:
        return (Finding("unreadable", "text_too_long"),)
    for window in _windows(text):
        for view in views.views(window):
            if found := set(_scan_view(view)):
                return tuple(sorted(found))
    return ()


def scan_fields(fields: Mapping[str, str]) -> dict[str, tuple[Finding, ...]]:
    """The findings of each named field that has any; a field's own name counts as a label of its value."""
    found = {}
    for name, text in fields.items():
        findings = scan(text)
        if not findings and _NAMES_A_SECRET.search(name) and _is_one_token(text):
            findings = scan(f"{name}={text}")
        if findings:
            found[name] = findings
    return found


def warm_up() -> None:
    """Build every process-wide scanner now, so that a missing one shows at start-up."""
    engines.engines()
    numbers.build()
    scan("warm-up ✓ а")


def _is_one_token(text: str) -> bool:
    return 4 <= len(text) <= 200 and not any(c.isspace() for c in text)


def _windows(text: str) -> Iterator[str]:
    start = 0
    while True:
        yield text[start : start + WINDOW]
        start += WINDOW - OVERLAP
        if start + OVERLAP >= len(text):
            return


def _scan_view(view: str) -> Iterator[Finding]:
    for rule in engines.known_credentials(view):
        yield Finding("secret", rule)
    for rule in credentials(view):
        yield Finding("secret", rule)
    for rule in identifiers.identifiers(view):
        yield Finding("personal", rule)
