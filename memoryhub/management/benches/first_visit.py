"""What a first visit costs in a browser: bytes over the network with nothing kept, and when the largest part of a page
is painted. Needs playwright and Chromium, as the end-to-end tests do.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from memoryhub.management import filling, scratch
from memoryhub.management.benches.over_http import verdict
from memoryhub.management.timing import CallFailed, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROWS = 1_000
VISITS = 5
PAINT_BAR, BYTES_BAR = 1_000.0, 150 * 1024
LARGEST_PAINT = """() => new Promise((done) =>
  new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
    .observe({ type: "largest-contentful-paint", buffered: true }))"""


@dataclass
class Visited:
    """Milliseconds to the largest paint of each visit, and the bytes and requests of the last."""

    paints: list[float] = field(default_factory=list)
    size: int = 0
    requests: int = 0


def run(console: Console, url: str) -> None:
    """Fill, serve, visit and print. Raises CallFailed without a browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise CallFailed("playwright is not installed; the development requirements bring it") from None
    chromium = shutil.which("chromium")
    if chromium is None:
        raise CallFailed("there is no chromium on this machine")
    password = secrets.token_urlsafe(16)
    with (
        scratch.database(url) as place,
        scratch.installation(**place, MEMORYHUB_EMBEDDER="none") as environment,
        scratch.process(environment) as inside,
        served(environment) as port,
        sync_playwright() as playwright,
    ):
        memory_id = inside.submit(fill, password).result()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        pages = {"sign-in": "/account/login/", "home": "/", "list": "/memories/", "detail": f"/memories/{memory_id}/"}
        seen = visit(browser, f"http://localhost:{port}", pages, password)
        browser.close()
    title = f"First visits with nothing kept, {ROWS:,} memories, {VISITS} each"
    table = Table(
        "page", "largest paint, median ms", "largest ms", "KiB", "requests", title=title, title_justify="left"
    )
    for name, one in seen.items():
        paint = median(one.paints)
        table.add_row(
            name,
            verdict(paint <= PAINT_BAR, f"{paint:.0f}"),
            f"{max(one.paints):.0f}",
            verdict(one.size <= BYTES_BAR, f"{one.size / 1024:.0f}"),
            str(one.requests),
        )
    console.print(table)
    console.print(f"Bars: largest paint ≤ {PAINT_BAR:.0f} ms, ≤ {BYTES_BAR // 1024} KiB over the network")


def fill(password: str) -> str:
    """A person who can sign in, with memories; the id of one of them."""
    from django.contrib.auth import get_user_model

    from accounts import tenancy
    from accounts.models import Tenant
    from memories.models import Memory

    filling.fill(ROWS, 0)
    user = get_user_model().objects.get(email=f"{filling.SUBJECT}@measured.example")
    user.set_password(password)
    user.save()
    with tenancy.entered(Tenant.objects.get(slug="measured").pk):
        return str(Memory.objects.order_by("pk").values_list("pk", flat=True)[0])


def visit(browser: Browser, host: str, pages: Mapping[str, str], password: str) -> dict[str, Visited]:
    """Each page so often, each time with nothing kept but who is signed in."""
    signing_in = browser.new_page()
    signing_in.goto(f"{host}/account/login/")
    signing_in.fill("[name=login]", f"{filling.SUBJECT}@measured.example")
    signing_in.fill("[name=password]", password)
    signing_in.press("[name=password]", "Enter")
    signing_in.wait_for_url(f"{host}/")
    signed_in = signing_in.context.storage_state()
    seen = {name: Visited() for name in pages}
    for _ in range(VISITS):
        for name, address in pages.items():
            context = browser.new_context(storage_state=None if name == "sign-in" else signed_in)
            page = context.new_page()
            sizes = transfers(page)
            page.goto(f"{host}{address}", wait_until="networkidle")
            seen[name].paints.append(page.evaluate(LARGEST_PAINT))
            seen[name].size, seen[name].requests = sum(sizes), len(sizes)
            context.close()
    return seen


def transfers(page: Page) -> list[int]:
    """The bytes of every answer that a page gets from now on, as they come over the network, headers included."""
    sizes: list[int] = []

    def note(event: Any) -> None:
        sizes.append(int(event["encodedDataLength"]))

    session = page.context.new_cdp_session(page)
    session.on("Network.loadingFinished", note)
    session.send("Network.enable")
    return sizes
