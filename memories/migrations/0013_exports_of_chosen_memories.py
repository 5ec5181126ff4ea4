"""An export may hold some memories of its namespaces."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0012_uses_by_day")]

    operations = [
        migrations.AddField("export", "slot_ids", models.JSONField(default=list)),
        migrations.AlterField(
            "export",
            "scope",
            models.CharField(
                choices=[
                    ("namespaces", "chosen places"),
                    ("tenant", "the whole organisation"),
                    ("chosen", "chosen memories"),
                ],
                default="namespaces",
                max_length=16,
            ),
        ),
    ]
