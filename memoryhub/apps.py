from django.apps import AppConfig
from django.conf import settings


class MemoryHubConfig(AppConfig):
    """The composition root: settings, URLs, health and the words of the pages."""

    name = "memoryhub"
    verbose_name = "MemoryHub"

    def ready(self) -> None:
        """Make Celery's application current, so that tasks reach the broker; without one, do not load Celery."""
        if settings.CELERY_BROKER_URL:
            from memoryhub import celery  # noqa: F401
