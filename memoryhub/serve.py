"""`make run`: brings the database up to date, fills an empty one with the demo, then serves until told to stop.

One process prepares, then forks the web server and, without a broker, the worker: Django is loaded once, and whichever
part ends, all end.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import django
import structlog
from django.core.handlers.wsgi import WSGIHandler
from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

GRACE_SECONDS = 10
log = structlog.get_logger("memoryhub.serve")


class GunicornLogger(Logger):
    """Gunicorn's words go through our own handler, where the allow-list stands."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            log.handlers.clear()
            log.propagate = True


def hear_the_master_alone(_worker: object) -> None:
    """Ctrl-C reaches every process of a terminal, and the master tells its workers too.

    Gunicorn's threaded worker waits for itself for ever when it is told a second time while it ends its threads.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def write_the_last_calls(_server: object, _worker: object) -> None:
    """What was answered last is still to be written for the owners of the keys."""
    from accounts import calls

    calls.write_waiting()


class WebServer(BaseApplication):
    """Gunicorn with threads, serving the application this process has already loaded."""

    def load_config(self) -> None:
        from django.conf import settings

        options = {
            "bind": f"{settings.MEMORYHUB_BIND}:{settings.PORT}",
            "workers": settings.MEMORYHUB_WEB_WORKERS,
            "threads": settings.MEMORYHUB_WEB_THREADS,
            "worker_class": "gthread",
            "preload_app": True,
            "timeout": 60,
            # Longer than clients and proxies keep idle connections, so that the server is not the one to hang up first.
            "keepalive": 75,
            "graceful_timeout": GRACE_SECONDS - 2,
            "logger_class": GunicornLogger,
            "limit_request_line": 8190,  # a hundred chosen memories stand in one address
            "proc_name": "memoryhub",
            "control_socket_disable": True,
            "post_worker_init": hear_the_master_alone,
            "worker_exit": write_the_last_calls,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> WSGIHandler:
        from memoryhub.wsgi import application

        return application


def main() -> int:
    """Prepare, serve, and return the exit status of the part that ended first."""
    parser = argparse.ArgumentParser(prog="python -m memoryhub.serve")
    parser.add_argument("--without-demo", action="store_true", help="do not make the demo's people and memories")
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    django.setup()
    from django.conf import settings

    try:
        _prepare(demo=not arguments.without_demo)
    except KeyboardInterrupt:
        return 130
    parts: list[Callable[[], None]] = [lambda: WebServer().run()]
    if not settings.CELERY_BROKER_URL:
        parts.append(_work)
    return _run_together(parts)


def _prepare(*, demo: bool) -> None:
    """Do once, before the fork, what every process would do: migrations, the demo, URLs and detectors loaded."""
    from django.core.management import call_command
    from django.db import connections
    from django.urls import get_resolver

    from memories.sensitivity import warm_up

    call_command("migrate", interactive=False, verbosity=0)
    call_command("replay_erasures", verbosity=0)
    if demo:
        call_command("demo")
    warm_up()
    _ = get_resolver().url_patterns
    sys.stdout.flush()
    for connection in connections.all(initialized_only=True):
        connection.close()
        if hasattr(connection, "close_pool"):  # its threads would not survive the fork
            connection.close_pool()
    # What every process has and none gives back is no longer searched for garbage: a tenth of a recall's time.
    gc.collect()
    gc.freeze()


def _work() -> None:
    from django.core.management import call_command

    call_command("worker")


def _run_together(parts: list[Callable[[], None]]) -> int:
    """Fork each part; when one ends or a signal asks for it, end the others and return the first status."""
    children = {_fork(part) for part in parts}
    asked = False

    def stop(*_: object) -> None:
        nonlocal asked
        asked = True
        _signal(children, signal.SIGTERM)

    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, stop)
    child, status = os.wait()
    first = 0 if asked else os.waitstatus_to_exitcode(status)
    children.discard(child)
    _signal(children, signal.SIGTERM)
    _reap(children)
    return abs(first)


def _fork(part: Callable[[], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        part()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    except KeyboardInterrupt:
        status = 0
    except BaseException:  # the process ends here: nobody above would say it
        log.exception("part_failed")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _signal(children: set[int], number: signal.Signals) -> None:
    for child in children:
        try:
            os.kill(child, number)
        except ProcessLookupError:
            continue


def _reap(children: set[int]) -> None:
    """Wait for the children, and kill what has not ended in time."""
    deadline = time.monotonic() + GRACE_SECONDS
    while children:
        try:
            child, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        children.discard(child)
        if child == 0:
            if time.monotonic() > deadline:
                _signal(children, signal.SIGKILL)
            time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
