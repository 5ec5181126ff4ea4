"""Work of several calls, written once for the client that waits and the one that is awaited.

A step is a function of the client that makes one call; the generator is sent its answer, a listing as a list.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Any, TypeVar

from memoryhub.client.errors import HubError
from memoryhub.client.hub import AsyncClient, Client

T = TypeVar("T")
Step = Callable[[Any], Any]
Steps = Generator[Step, Any, T]


def run(hub: Client, steps: Steps[T]) -> T:
    """Carry the steps out one after the other. A HubError is raised inside the generator."""
    try:
        step = next(steps)
        while True:
            try:
                answer = step(hub)
                answer = list(answer) if isinstance(answer, Iterator) else answer
            except HubError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as done:
        result: T = done.value
        return result


async def run_awaited(hub: AsyncClient, steps: Steps[T]) -> T:
    """The same, awaited."""
    try:
        step = next(steps)
        while True:
            try:
                asked = step(hub)
                answer = [one async for one in asked] if isinstance(asked, AsyncIterator) else await asked
            except HubError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as done:
        result: T = done.value
        return result
