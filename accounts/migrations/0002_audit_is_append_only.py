"""The database itself refuses to change or remove audit events, whoever asks."""

from django.db import migrations

TABLES = ("accounts_auditevent", "accounts_auditseal")

POSTGRES_FUNCTION = """
CREATE OR REPLACE FUNCTION memoryhub_append_only() RETURNS trigger AS $$
BEGIN
    RAISE EXCEPTION 'audit rows are append-only' USING ERRCODE = 'restrict_violation';
END;
$$ LANGUAGE plpgsql;
"""


def forbid_changes(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    if vendor == "postgresql":
        schema_editor.execute(POSTGRES_FUNCTION)
    for table in TABLES:
        for verb in ("UPDATE", "DELETE"):
            name = f"{table}_no_{verb.lower()}"
            if vendor == "postgresql":
                schema_editor.execute(
                    f"CREATE TRIGGER {name} BEFORE {verb} ON {table} "
                    "FOR EACH ROW EXECUTE FUNCTION memoryhub_append_only()"
                )
            elif vendor == "sqlite":
                schema_editor.execute(
                    f"CREATE TRIGGER {name} BEFORE {verb} ON {table} "
                    "BEGIN SELECT RAISE(ABORT, 'audit rows are append-only'); END"
                )


def allow_changes(apps, schema_editor):
    for table in TABLES:
        for verb in ("update", "delete"):
            on = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {table}_no_{verb}{on}")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [migrations.RunPython(forbid_changes, allow_changes)]
