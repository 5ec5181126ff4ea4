"""What nothing reads: when a vector was made, and an index by which no query looks."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0009_texts_may_be_encrypted")]

    operations = [
        migrations.RemoveField("feature", "embedded_at"),
        migrations.AlterField(
            "feature",
            "namespace",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="memories.namespace",
            ),
        ),
    ]
