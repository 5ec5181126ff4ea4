from django.apps import AppConfig
from django.conf import settings

from memories.sensitivity import engines
from memoryhub import logs


class MemoryHubConfig(AppConfig):
    """The composition root: settings, URLs, health and the words of the pages."""

    name = "memoryhub"
    verbose_name = "MemoryHub"

    def ready(self) -> None:
        """Set up logging, and make Celery's application current, unless there is no broker to send tasks to."""
        engines.CACHE_FOLDER = settings.VAR_DIR / "rules"
        engines.CACHE_FOLDER.mkdir(mode=0o700, exist_ok=True)
        logs.configure(level=settings.MEMORYHUB_LOG_LEVEL.upper(), form=settings.MEMORYHUB_LOG_FORMAT)
        if settings.CELERY_BROKER_URL:
            from memoryhub import celery  # noqa: F401
