"""The style page: every component of the pages as it is used, so that a new page is put together from what is there."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms import TimeZoneForm
from accounts.pages import person_page
from accounts.principals import Principal
from memories.models import Memory
from memories.uses import WEEKS, Weekly

COLOURS = ("paper", "card", "ink", "quiet", "line", "edge", "accent", "accent-soft", "good", "good-soft", "warn",
           "warn-soft", "bad", "bad-soft", "muted-soft")  # fmt: skip
ICONS = ("active", "paused", "superseded", "expired", "deleted", "pending", "failed", "differs", "home", "memories",
         "waiting", "reviews", "settings", "audit", "hub", "search", "sun", "moon", "screen", "leave", "more", "close",
         "data", "plus", "edit", "view", "style")  # fmt: skip
TEXTS = (
    "Put the conclusion first, then the reasons.",
    "先给结论，再给依据；表格放在最后。",
    "ابدأ بالخلاصة ثم اذكر الأسباب.",
    "<b>bold</b> & {{ 1|add:1 }} 👩‍💻",
    "w" * 200,
)


@require_safe
@person_page
def show_style(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Colours, states, texts, charts, forms and messages, in the reader's theme and language."""
    now = timezone.now()
    days = [date_format(now - timedelta(days=back), "MONTH_DAY_FORMAT") for back in range(13, -1, -1)]
    shown = {
        "colours": COLOURS,
        "icons": ICONS,
        "texts": TEXTS,
        "states": [Memory(status=status) for status in Memory.Status]
        + [Memory(status=Memory.Status.ACTIVE, valid_until=now)],
        "form": TimeZoneForm(tenant_zone="UTC"),
        "wrong": TimeZoneForm({"time_zone": "Mars"}, tenant_zone="UTC"),
        "days": days,
        "series": [(_("saved"), [day % 5 for day in range(14)]), (_("recalled"), [day * day % 9 for day in range(14)])],
        "rows": [(_("same words"), 1.2), (_("same meaning"), 0.7), (_("how sure its source is"), 0.1)],
        "marks": [("good", "1"), ("good", "2"), ("bad", "3"), ("none", "4")],
        "sample": (sample := Memory(status=Memory.Status.ACTIVE)),
        "use": {sample.pk: Weekly(tuple(range(WEEKS)), 66, now)},
    }
    messages.success(request, _("This is how a message looks that says something was done."))
    return render(request, "style.html", shown)
