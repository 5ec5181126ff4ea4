from django.apps import AppConfig
from django.core.signals import request_finished


class AccountsConfig(AppConfig):
    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """What is noted of calls is written once their answers have been sent."""
        from accounts import calls

        request_finished.connect(calls.write_soon, dispatch_uid="accounts.calls")
