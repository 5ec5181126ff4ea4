"""For how many days a memory of a kind lasts, as its person wants it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_texts_may_be_encrypted")]

    operations = [migrations.AddField("membership", "lasts", models.JSONField(blank=True, default=dict))]
