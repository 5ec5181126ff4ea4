"""A rule of a person may also speak of an agent."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0010_smaller_index_rows")]

    operations = [
        migrations.AlterField(
            "ownrule",
            "type",
            models.CharField(
                choices=[
                    ("topic", "a topic"),
                    ("kind", "a kind of memory"),
                    ("key", "a name"),
                    ("phrase", "words"),
                    ("agent", "an agent"),
                ],
                max_length=16,
            ),
        ),
    ]
