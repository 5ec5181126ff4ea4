"""`purge_bytes`: empty what a database keeps of deleted rows in its own files. For a quiet hour: it locks tables."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from memories import purging
from memories.stores import STORES

MORE_ROUNDS = 3
GRANTS = (
    "GRANT pg_checkpoint, pg_monitor TO <role>; GRANT EXECUTE ON FUNCTION pg_switch_wal() TO <role>; as a superuser, "
    "or a DATABASE_URL of one for this command"
)


class Command(BaseCommand):
    help = (
        "Rewrite the tables that held remembered text and let the write-ahead log move on, so that the database's "
        "files hold nothing of what was forgotten. Copies elsewhere (archives, replicas, backups) keep theirs until "
        "they end."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor == "sqlite":
            self._sqlite()
        else:
            self._postgresql()
        self.stdout.write("The database's own files are rewritten. verify_erasure shows what they hold.")

    def _sqlite(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
        if not purging.truncate_log():
            raise CommandError("Someone reads from the write-ahead log all the time; try again when it is quiet.")

    def _postgresql(self) -> None:
        tables = dict.fromkeys(store.model._meta.db_table for store in STORES)
        with connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f"VACUUM (FULL, ANALYZE) {connection.ops.quote_name(table)}")
                self.stdout.write(f"rewritten: {table}")
            try:
                cursor.execute("SELECT count(*) FROM pg_ls_waldir()")
                # A segment that is used again keeps its old bytes until it is written to: each gets its turn.
                for _ in range(cursor.fetchone()[0] + MORE_ROUNDS):
                    cursor.execute("SELECT pg_switch_wal()")
                    cursor.execute("CHECKPOINT")
            except DatabaseError:
                raise CommandError(
                    f"The tables are rewritten, but this role may not move the write-ahead log on. It needs: {GRANTS}."
                ) from None
        self.stdout.write("the write-ahead log moved on past every segment there was")
