"""Following entries of the playbook, and notices of it and of lessons given back."""

import accounts.ids
import accounts.tenancy
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_texts_may_be_encrypted'),
        ('memories', '0010_smaller_index_rows'),
        ('reviews', '0004_claims'),
    ]

    operations = [
        migrations.AlterField(
            model_name='notice',
            name='kind',
            field=models.CharField(choices=[('waiting', 'An agent asks to remember or to forget something'), ('expiring', 'Something remembered ends soon'), ('agent', 'A new agent may act for you'), ('returned', 'A reviewer asks you for another version'), ('changed', 'A new version of what you follow holds'), ('suspended', 'Something you follow was suspended'), ('ending', 'Something you follow ends soon')], max_length=16),
        ),
        migrations.CreateModel(
            name='Follow',
            fields=[
                ('id', models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.membership')),
                ('namespace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memories.namespace')),
                ('slot', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memories.slot')),
                ('tenant', accounts.tenancy.TenantField(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('slot', None)), fields=('membership', 'namespace'), name='one_follow_per_person_and_place'), models.UniqueConstraint(fields=('membership', 'slot'), name='one_follow_per_person_and_entry')],
            },
        ),
    ]
