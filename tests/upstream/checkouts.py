"""Other projects' tests of the interfaces that our adapters fill, run from checkouts beside this project.

`MEMORYHUB_TEST_UPSTREAM=FOLDER pytest -n 0 tests/upstream`, where FOLDER holds anthropic-sdk-python, deepagents, and
langgraph. A module of theirs is imported from there and its tests run with our fixtures; nothing of it is copied here.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from asgiref.sync import async_to_sync


def upstream(name: str, path: str) -> ModuleType:
    """A test module of a checkout."""
    file = Path(os.environ["MEMORYHUB_TEST_UPSTREAM"]) / path
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def theirs_of(holder: Any, left_out: Mapping[str, str]) -> dict[str, Callable[..., Any]]:
    """The tests of a module or class but for those that are left out for a reason; async ones run in this thread."""
    found = {name: one for name, one in vars(holder).items() if name.startswith("test_") and callable(one)}
    unknown = set(left_out) - set(found)
    assert not unknown, f"no such tests upstream: {unknown}"
    return {name: _waited(one) for name, one in found.items() if name not in left_out}


def of_class(holder: type, left_out: Mapping[str, str]) -> type:
    """The same as a class of tests."""
    return type(f"Test{holder.__name__}", (), theirs_of(holder, left_out))


def _waited(test: Callable[..., Any]) -> Callable[..., Any]:
    if not inspect.iscoroutinefunction(test):
        return test

    @functools.wraps(test)
    def waited(*args: Any, **kwargs: Any) -> None:
        async_to_sync(test)(*args, **kwargs)

    return waited
