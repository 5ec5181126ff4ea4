"""PostgreSQL keeps samples of columns for its planner, outside the tables: not of columns that hold text."""

from django.db import migrations


def take_no_samples(texts):
    """The operation for these columns by their table; backwards they are sampled as usual."""

    def sample(target):
        def change(apps, schema_editor):
            if schema_editor.connection.vendor == "postgresql":
                for table, columns in texts.items():
                    changes = ", ".join(f'ALTER COLUMN "{column}" SET STATISTICS {target}' for column in columns)
                    schema_editor.execute(f'ALTER TABLE "{table}" {changes}')

        return change

    return migrations.RunPython(sample(0), sample(-1))
