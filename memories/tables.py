"""Figures as tables: named rows of plain values, for REST as lists and for spreadsheets as files."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpResponse

from memories.exchange.formats import cell

Columns = Mapping[str, Sequence[str]]


def as_lists(figures: Any, columns: Columns) -> dict[str, list[list[Any]]]:
    """Each table as rows of which the first names the columns; `figures` has an attribute of that name."""
    return {name: [list(names), *map(list, getattr(figures, name))] for name, names in columns.items()}


def as_csv(figures: Any, columns: Columns, name: str, file: str) -> HttpResponse:
    """One table as a file, in codes and decimal numbers. Raises Http404 for a name that is none."""
    if name not in columns:
        raise Http404
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file}-{name}.csv"'
    rows = csv.writer(response)
    rows.writerow(columns[name])
    rows.writerows([cell(one) if isinstance(one, str) else one for one in row] for row in getattr(figures, name))
    return response
