"""`verify_erasure`: are texts that were forgotten or refused really nowhere?"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from memoryhub import canaries, remnants


class Command(BaseCommand):
    help = (
        "Look for the texts of a file, one a line, in every column of every table, in the files of this installation, "
        "in cache, broker and result backend, and in the database's own files. Prints counts by place and never a "
        "text; exits 1 when one stands somewhere."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--canary-file", type=Path, required=True)
        parser.add_argument("--also", type=Path, action="append", default=[], help="another file or folder, as of logs")
        parser.add_argument("--data-directory", type=Path, help="where PostgreSQL keeps its files")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["canary_file"]
        try:
            known = canaries.read(file)
        except OSError:
            raise CommandError("The file of the canaries cannot be read.") from None
        except ValueError as error:  # a UnicodeDecodeError would quote the file
            detail = "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)
            raise CommandError(f"The file of the canaries cannot be used: {detail}.") from None
        if missing := [path for path in options["also"] if not path.exists()]:
            raise CommandError(f"--also names what does not exist: {missing[0]}.")
        places = remnants.look(
            canaries.Canaries(known),
            also=options["also"],
            leave_out=file,
            data_directory=options["data_directory"],
        )
        table = Table("place", "hits", "note", title=f"{len(known)} canaries")
        for place in places:
            table.add_row(place.name, f"[bold red]{place.hits}[/]" if place.hits else "0", place.unread)
        widest = sum(max(map(len, column)) for column in zip(*((one.name, one.unread) for one in places), strict=True))
        Console(file=self.stdout, width=widest + 20).print(table)  # each place in one line
        if hits := sum(place.hits for place in places):
            raise CommandError(f"{hits} hits in {sum(1 for place in places if place.hits)} places.")
