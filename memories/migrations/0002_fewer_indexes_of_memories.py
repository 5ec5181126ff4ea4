import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

CURRENT = models.UniqueConstraint(
    fields=["slot"], condition=Q(status__in=["active", "paused"]), name="one_current_memory_per_slot"
)


class Migration(migrations.Migration):
    """Two indexes that others begin with, and the expiry of rows that have none.

    The constraint is put away meanwhile: on PostgreSQL Django takes its index for the one of the foreign key.
    """

    dependencies = [("accounts", "0002_audit_is_append_only"), ("memories", "0001_initial")]

    operations = [
        migrations.RemoveIndex(model_name="memory", name="memory_by_expiry"),
        migrations.RemoveConstraint(model_name="memory", name="one_current_memory_per_slot"),
        migrations.AlterField(
            model_name="memory",
            name="namespace",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="memories",
                to="memories.namespace",
            ),
        ),
        migrations.AlterField(
            model_name="memory",
            name="slot",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="versions",
                to="memories.slot",
            ),
        ),
        migrations.AddConstraint(model_name="memory", constraint=CURRENT),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=Q(valid_until__isnull=False), fields=["tenant", "valid_until"], name="memory_by_expiry"
            ),
        ),
    ]
