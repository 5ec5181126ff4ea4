"""The pages on which people take their memories along and hand files over."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import InvalidInput
from accounts.pages import person_page
from accounts.principals import Principal
from memories import access
from memories.exchange import exporting, importing, showing
from memories.exchange.forms import ExportForm, ImportForm, StartForm
from memories.exchange.importers import schema
from memories.forms import place_choices, ref_of
from memories.models import Import, ImportLine

SHOWN, LINES = 10, 25


@require_safe
@person_page
def show_data(request: HttpRequest, principal: Principal) -> HttpResponse:
    """What I took along and handed over, and the ways to do so."""
    return _data(request, principal)


@require_POST
@person_page
def ask_export(request: HttpRequest, principal: Principal) -> HttpResponse:
    form = _export_form(principal, _places(principal), request.POST)
    if not form.is_valid():
        return _data(request, principal, export_form=form)
    return redirect("export", exporting.ask(principal, form.asked()).pk)


@require_safe
@person_page
def show_export(request: HttpRequest, principal: Principal, export_id: uuid.UUID) -> HttpResponse:
    """How far it is, and when it is ready its size, its digest and the way to the file."""
    export = access.export(principal, export_id)
    places = [one for one in access.readable(principal) if str(one.pk) in export.namespace_ids]
    shown = {"export": export, "state": showing.state_of(export), "again": exporting.AGAIN, "places": places}
    return render(request, "exchange/export.html", shown)


@require_safe
@person_page
def fetch_export(request: HttpRequest, principal: Principal, export_id: uuid.UUID) -> HttpResponse:
    return showing.sent(*exporting.fetch(principal, export_id))


@require_POST
@person_page
def cancel_export(request: HttpRequest, principal: Principal, export_id: uuid.UUID) -> HttpResponse:
    exporting.cancel(principal, export_id)
    messages.success(request, _("It is cancelled; its file is removed."))
    return redirect("export", export_id)


@require_POST
@person_page
def retry_export(request: HttpRequest, principal: Principal, export_id: uuid.UUID) -> HttpResponse:
    exporting.retry(principal, export_id)
    return redirect("export", export_id)


@require_POST
@person_page
def hand_over(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Look through a file; what would become of it is shown before anything is remembered."""
    form = ImportForm(request.POST, request.FILES, places=_places(principal))
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.FILE_UPLOAD_MAX_MEMORY_SIZE:
        form.add_error("file", _("The file is larger than 16 MiB; split it."))
    elif form.is_valid():
        given = form.cleaned_data
        into = ref_of(given["place"]) if given["place"] else None
        try:
            errand = importing.check(principal, given["file"].read(), given["format"], into)
            return redirect("import", errand.pk)
        except InvalidInput as error:
            form.add_error("file", _(error.detail))
    return _data(request, principal, import_form=form)


@require_safe
@person_page
def show_import(request: HttpRequest, principal: Principal, import_id: uuid.UUID) -> HttpResponse:
    """What becomes of each line, and whether it was carried out."""
    errand = access.import_(principal, import_id)
    result = request.GET.get("result", "")
    chosen = {"result": result} if result in ImportLine.Result.values else {}
    page = Paginator(errand.lines.filter(**chosen).order_by("number"), LINES).get_page(request.GET.get("page"))
    standing = importing.in_the_way(page.object_list)
    found = importing.counts(errand)
    settled = sum(found.values()) - importing.staged(errand).count()
    shown = {
        "errand": errand,
        "counts": [(one, found[one.value]) for one in ImportLine.Result],
        "settled": settled,
        "page": page,
        "lines": [(line, standing.get(line.pk)) for line in page],
        "result": result if chosen else "",
        "query": f"result={result}" if chosen else "",
        "waits": errand.state == Import.State.CHECKED and not showing.has_lapsed(errand),
        "going": errand.state in (Import.State.QUEUED, Import.State.RUNNING),
        "takes": found[ImportLine.Result.NEW] + found[ImportLine.Result.WAITS] + found[ImportLine.Result.CONFLICT],
        "conflicts": found[ImportLine.Result.CONFLICT],
        "form": StartForm(),
    }
    return render(request, "exchange/import.html", shown)


@require_POST
@person_page
def start_import(request: HttpRequest, principal: Principal, import_id: uuid.UUID) -> HttpResponse:
    form = StartForm(request.POST)
    form.is_valid()
    importing.start(principal, import_id, replaces=form.cleaned_data.get("replace", False))
    return redirect("import", import_id)


@require_POST
@person_page
def cancel_import(request: HttpRequest, principal: Principal, import_id: uuid.UUID) -> HttpResponse:
    importing.cancel(principal, import_id)
    messages.success(request, _("It is cancelled. What was remembered before stays."))
    return redirect("import", import_id)


@require_safe
def show_schema(request: HttpRequest) -> HttpResponse:
    """The published shape of a line of an export."""
    return JsonResponse(schema(), content_type="application/schema+json", json_dumps_params={"indent": 2})


def _data(request: HttpRequest, principal: Principal, **forms: Any) -> HttpResponse:
    places = _places(principal)
    shown = {
        "export_form": _export_form(principal, places),
        "import_form": ImportForm(places=places),
        "exports": [(row, showing.state_of(row)) for row in access.exports(principal).order_by("-pk")[:SHOWN]],
        "imports": list(access.imports(principal).order_by("-pk")[:SHOWN]),
        **forms,
    }
    return render(request, "exchange/data.html", shown, status=400 if forms else 200)


def _export_form(principal: Principal, places: list[tuple[str, Any]], data: Any = None) -> ExportForm:
    return ExportForm(data, places=places, whole_tenant=exporting.may_export_tenant(principal))


def _places(principal: Principal) -> list[tuple[str, Any]]:
    return place_choices(access.readable(principal), principal.subject_id)
