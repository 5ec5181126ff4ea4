"""How often what stands under a slot came back on each of its last days."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0011_agents_may_be_shut_out'),
    ]

    operations = [
        migrations.AddField(
            model_name='use',
            name='days',
            field=models.JSONField(default=dict),
        ),
    ]
