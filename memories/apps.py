from django.apps import AppConfig

from memories import lookups


class MemoriesConfig(AppConfig):
    name = "memories"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        lookups.register()
