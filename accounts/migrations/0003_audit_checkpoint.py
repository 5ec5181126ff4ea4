"""Retention of the audit: the database lets go of what a checkpoint covers, and of nothing else, whoever asks.

An event can be deleted once it is older than thirty days and its seal lies at or before a checkpoint; a seal once its
event is gone. Changing stays refused throughout, and so is emptying a whole table on PostgreSQL.
"""

from importlib import import_module

import accounts.tenancy
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from accounts.chain import Chain, Written

EVENTS, SEALS, CHECKPOINTS = "accounts_auditevent", "accounts_auditseal", "accounts_auditcheckpoint"
TABLES = (EVENTS, SEALS, CHECKPOINTS)
OLD_ENOUGH = {
    "sqlite": "OLD.at < datetime('now', '-30 days')",
    "postgresql": "OLD.at < now() - interval '30 days'",
}
COVERED = (
    f"EXISTS (SELECT 1 FROM {SEALS} s JOIN {CHECKPOINTS} c ON c.tenant_id = s.tenant_id AND c.sequence >= s.sequence "
    "WHERE s.event_id = OLD.id)"
)
EVENT_GONE = (
    f"EXISTS (SELECT 1 FROM {CHECKPOINTS} c WHERE c.tenant_id = OLD.tenant_id AND c.sequence >= OLD.sequence) "
    f"AND NOT EXISTS (SELECT 1 FROM {EVENTS} e WHERE e.id = OLD.event_id)"
)
POSTGRES_LET_GO = """
CREATE OR REPLACE FUNCTION memoryhub_{name}_let_go() RETURNS trigger AS $$
BEGIN
    IF {condition} THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit rows are append-only' USING ERRCODE = 'restrict_violation';
END;
$$ LANGUAGE plpgsql;
"""


def guard(apps, schema_editor):
    """Refuse every change and removal, but for what a checkpoint covers."""
    vendor = schema_editor.connection.vendor
    unguard(apps, schema_editor)
    let_go = {EVENTS: f"({OLD_ENOUGH[vendor]} AND {COVERED})", SEALS: f"({EVENT_GONE})"}
    for table in TABLES:
        if vendor == "sqlite":
            for verb, unless in (("UPDATE", ""), ("DELETE", f"WHEN NOT {let_go[table]} " if table in let_go else "")):
                schema_editor.execute(
                    f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} {unless}"
                    "BEGIN SELECT RAISE(ABORT, 'audit rows are append-only'); END"
                )
            continue
        refusing = deleting = "memoryhub_append_only()"
        if table in let_go:
            schema_editor.execute(POSTGRES_LET_GO.format(name=table, condition=let_go[table]))
            deleting = f"memoryhub_{table}_let_go()"
        for verb, each, function in (
            ("UPDATE", "ROW", refusing), ("DELETE", "ROW", deleting), ("TRUNCATE", "STATEMENT", refusing)
        ):
            schema_editor.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"FOR EACH {each} EXECUTE FUNCTION {function}"
            )


def unguard(apps, schema_editor):
    for table in TABLES:
        for verb in ("update", "delete", "truncate"):
            on = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {table}_no_{verb}{on}")


def guard_as_before(apps, schema_editor):
    import_module("accounts.migrations.0002_audit_is_append_only").forbid_changes(apps, schema_editor)


def seal_anew(apps, schema_editor):
    """Seals of the earlier form become seals of today's, each in its place, so that noted places stay true."""
    AuditSeal = apps.get_model("accounts", "AuditSeal")
    for tenant_id in AuditSeal.objects.order_by().values_list("tenant_id", flat=True).distinct():
        chain, before = Chain.of(tenant_id), ""
        rows = AuditSeal.objects.filter(tenant_id=tenant_id).order_by("sequence")
        for pk, sequence, event in list(rows.values_list("pk", "sequence", Written("event__"))):
            before = chain.digest(before, sequence, event)
            AuditSeal.objects.filter(pk=pk).update(digest=before)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_audit_is_append_only")]
    operations = [
        migrations.CreateModel(
            name="AuditCheckpoint",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("sequence", models.BigIntegerField()),
                ("seal", models.CharField(max_length=64)),
                ("until", models.DateTimeField()),
                ("digest", models.CharField(max_length=64)),
                (
                    "tenant",
                    accounts.tenancy.TenantField(
                        db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT,
                        related_name="+", to="accounts.tenant",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="auditcheckpoint",
            constraint=models.UniqueConstraint(fields=("tenant", "sequence"), name="one_checkpoint_per_sequence"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["tenant", "action", "id"], name="audit_by_action"),
        ),
        migrations.RunPython(unguard, guard_as_before),
        migrations.RunPython(seal_anew, migrations.RunPython.noop),
        migrations.RunPython(guard, unguard),
    ]
