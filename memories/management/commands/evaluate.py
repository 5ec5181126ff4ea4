"""`evaluate SUITE FILE`: labelled cases through the real verbs in a scratch tenant. Exits 1 when a bar is missed."""

from __future__ import annotations

import json
import zlib
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.evaluation import asking, cases, lab, precision, reading, reports, retrieval, writing
from memories.evaluation.cases import Case, CaseError
from memories.evaluation.conversations import DataError
from memories.evaluation.results import Bar, BarError, Result, shown

SUITES: dict[str, Callable[[Sequence[Case]], Result]] = {
    "lab": lab.lab,
    "writegate": writing.writegate,
    "recallgate": reading.recallgate,
    "sensitive": writing.sensitive,
    "poison": writing.poison,
    "requests": asking.recognise,
}
FOLDERS: dict[str, Callable[[Path], Result]] = {"retrieval": retrieval.retrieval, "precision": precision.precision}


class Command(BaseCommand):
    help = (
        "Run a JSON Lines file of cases through the real verbs and database in a scratch tenant, gone afterwards. "
        "On SQLite other writers wait while a case runs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("suite", choices=[*SUITES, *FOLDERS])
        parser.add_argument("file", type=Path, help="cases, .jsonl or .jsonl.gz; or a folder of data sets")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write rows and figures here")
        parser.add_argument("--report", type=Path, metavar="DIR", help="write readable reports here")
        parser.add_argument("--min", action="append", default=[], metavar="NAME=VALUE", help="least figure")
        parser.add_argument("--max", action="append", default=[], metavar="NAME=VALUE", help="greatest figure")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            bars = [Bar.parse(text, is_least=True) for text in options["min"]]
            bars += [Bar.parse(text, is_least=False) for text in options["max"]]
            result = self._result(options["suite"], options["file"])
            self._write(result, options["json"], options["report"])
            self._print(result)
            missed = [why for bar in bars if (why := bar.missed_by(result.metrics))]
        except (CaseError, DataError, BarError) as error:
            raise CommandError(str(error)) from None
        except (OSError, EOFError, zlib.error) as error:
            raise CommandError(f"a file cannot be read or written: {error}") from None
        if not result.passed:
            missed.insert(0, "the gate failed")
        if missed:
            raise CommandError("; ".join(missed))

    def _result(self, suite: str, source: Path) -> Result:
        if suite in FOLDERS:
            return FOLDERS[suite](source)
        return SUITES[suite](cases.read(source))

    def _write(self, result: Result, out: Path | None, folder: Path | None) -> None:
        if out is not None:
            out.write_text(json.dumps(result.document(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in reports.files(result).items():
                (folder / name).write_text(text, encoding="utf-8")

    def _print(self, result: Result) -> None:
        """Figures, then a line for each failing row: ids and codes."""
        width = max(map(len, result.metrics))
        self.stdout.write(result.suite)
        for name, figure in result.metrics.items():
            self.stdout.write(f"  {name:<{width}}  {shown(figure)}")
        for row in result.rows:
            if not row.ok:
                self.stdout.write(f"FAILED {row.id}: expected {row.expected}, got {row.got} ({row.reason})")
