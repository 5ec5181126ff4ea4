"""The services of a larger installation: PostgreSQL through its pool, Redis as cache and broker."""

from __future__ import annotations

import threading
import uuid
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client, override_settings


@pytest.mark.pg
@pytest.mark.django_db
def test_the_role_of_the_application_cannot_step_around_row_level_security() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False, False)


@pytest.mark.pg
def test_threads_give_their_connections_back_to_the_pool(erasable_audit: None, transactional_db: None) -> None:
    limit = connection.settings_dict["OPTIONS"]["pool"]["max_size"]
    answers: list[int] = []

    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            answers.append(cursor.fetchone()[0])
        connection.close()

    for _ in range(3):
        threads = [threading.Thread(target=ask) for _ in range(limit)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [1] * (3 * limit)


@pytest.mark.redis
def test_a_count_in_redis_is_one_for_all_processes(redis_url: str) -> None:
    with override_settings(
        CACHES={"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": redis_url}}
    ):
        key = f"count-{uuid.uuid4()}"
        caches["default"].add(key, 0, timeout=30)

        def count() -> None:
            for _ in range(50):
                caches["default"].incr(key)

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert caches["default"].get(key) == 200


@pytest.mark.redis
@pytest.mark.django_db
def test_readyz_asks_a_cache_in_redis(client: Client, redis_url: str) -> None:
    redis_cache = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": redis_url}
    with override_settings(CACHES={"default": redis_cache}):
        assert client.get("/readyz").json()["checks"]["cache"] == "ok"
    with override_settings(CACHES={"default": {**redis_cache, "LOCATION": "redis://127.0.0.1:1/0"}}):
        assert client.get("/readyz").json()["checks"]["cache"] == "failed"


@pytest.mark.redis
def test_a_task_travels_as_json_and_what_is_no_json_is_refused(redis_url: str) -> None:
    from kombu.exceptions import EncodeError

    from memoryhub.celery import app

    queue, memory_id = f"test-{uuid.uuid4()}", str(uuid.uuid4())
    with app.connection_for_write(url=redis_url) as broker:
        app.send_task("memories.tasks.example", args=[memory_id], queue=queue, connection=broker)
        message = _next(broker, queue)
        assert message.content_type == "application/json"
        assert message.payload[0] == [memory_id]
        with pytest.raises(EncodeError):
            app.send_task("memories.tasks.example", args=[object()], queue=queue, connection=broker)


def _next(broker: Any, queue: str) -> Any:
    with broker.SimpleQueue(queue) as waiting:
        message = waiting.get(timeout=5)
        message.ack()
        return message
