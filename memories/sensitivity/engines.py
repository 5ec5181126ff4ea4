"""The two packaged secret scanners behind one call; built once per process, offline, never validating a secret."""

import importlib
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memories.sensitivity.findings import EngineUnavailable
from memories.sensitivity.shapes import is_placeholder, is_stand_in

VENDOR_RULES = Path(__file__).with_name("vendors.yaml")
CACHE_FOLDER: Path | None = None
"""Where the compiled rules may be kept between starts; set at start-up. It holds rules, never a text that was scanned."""
_LONG_TOKEN = re.compile(r"[A-Za-z0-9_+/=.:\-]{16}")
_MASK = re.compile(r"[xX]{6}|\*{4}")
_MASKED = re.compile(r"[A-Za-z0-9_\-]{0,24}(?:[xX]{6,}|\*{4,})[A-Za-z0-9_\-]{0,80}")
_NON_ASCII = re.compile(r"[^\x09\x0a\x20-\x7e]")

# Chosen plugins only: the entropy, public-IP, basic-auth, private-key, keyword and Artifactory
# ones fire on prose; those that want a vendor's name beside the value are kingfisher's and the assignment rules' work.
_PLUGINS = (
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("ibm_cloud_iam", "IbmCloudIamDetector"),
    ("jwt", "JwtTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("npm", "NpmDetector"),
    ("openai", "OpenAIDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)

_lock = threading.Lock()
_engines: tuple[Any, tuple[Callable[[str], Any], ...]] | None = None


def _build() -> tuple[Any, tuple[Callable[[str], Any], ...]]:
    try:
        kingfisher = importlib.import_module("kingfisher_sdk")
        # Compiling the rules takes seconds. Without a folder of our own they would be kept in the home directory.
        rules = kingfisher.Rules([VENDOR_RULES], cache=CACHE_FOLDER is not None, cache_dir=CACHE_FOLDER)
        scanner = kingfisher.Scanner(rules)
        plugins = tuple(
            getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)().analyze_string
            for module, name in _PLUGINS
        )
    except Exception as error:
        raise EngineUnavailable("secret scanner") from error
    return scanner, plugins


def engines() -> tuple[Any, tuple[Callable[[str], Any], ...]]:
    """The process-wide scanners, built at first use under a lock."""
    global _engines
    if _engines is None:
        with _lock:
            if _engines is None:
                _engines = _build()
    return _engines


def known_credentials(text: str) -> Iterator[str]:
    """Rule ids of vendor credentials in a text; other scripts are blanked, since they hide word boundaries."""
    scanner, plugins = engines()
    ascii_text = _NON_ASCII.sub(" ", text)
    if _MASK.search(ascii_text):
        ascii_text = _MASKED.sub(" ", ascii_text)
    try:
        for found in scanner.scan(ascii_text):
            own = found.rule_id.startswith("custom.")
            if found.visible and not (is_stand_in if own else is_placeholder)(found.secret):
                yield found.rule_id.removeprefix("custom.") if own else "known_credential_format"
        for analyze in plugins if _LONG_TOKEN.search(ascii_text) else ():
            if any(not is_placeholder(secret) for secret in analyze(ascii_text)):
                yield "known_credential_format"
    except EngineUnavailable:
        raise
    except Exception:
        raise EngineUnavailable("secret scanner") from None
