"""Language models behind the two APIs that most servers speak, and the shapes of a conversation in each.

A conversation is a list of items, plain JSON: what the model wrote is kept whole and sent back whole, reasoning
included. Nothing is kept by the provider (`store=False`), and none of its conversation features is used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import openai

Item = Mapping[str, Any]
Format = Literal["openai_responses", "openai_chat"]
T = TypeVar("T")
TIMEOUT, RETRIES = 30.0, 1
STRANGE = (AttributeError, IndexError, TypeError, ValueError)
"""What reading an answer raises that is no answer of such a server."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model asks for: a wish, with no authority of its own. `arguments` is JSON as the model wrote it."""

    call_id: str
    name: str
    arguments: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote: all of its items, the calls among them, and its text."""

    items: tuple[Item, ...] = field(repr=False)
    calls: tuple[ToolCall, ...]
    text: str = field(repr=False)


class ModelFailed(Exception):
    """The model gave no answer that can be used. Its message names the kind of failure and quotes nothing."""


def _said_by_user(item: Item) -> str | None:
    """The text of a user's item, which may be a string or a list of parts."""
    if item.get("role") != "user":
        return None
    content = item["content"]
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)


class Shape(Protocol):
    """How users, calls and their outputs look among the items of one API."""

    format: Format

    def user(self, text: str) -> Item: ...
    def said_by_user(self, item: Item) -> str | None: ...
    def output(self, call_id: str, output: str) -> Item: ...
    def calls(self, item: Item) -> Iterable[ToolCall]: ...
    def answered(self, item: Item) -> str | None: ...


class Model(Shape, Protocol):
    """What the agent asks. Raises ModelFailed."""

    def reply(self, instructions: str, items: Sequence[Item], tools: Sequence[Item]) -> Reply: ...


class ResponsesShape:
    """Items of the Responses API: calls are items of their own, answered by `call_id`."""

    format: Format = "openai_responses"

    def user(self, text: str) -> Item:
        return {"role": "user", "content": [{"type": "input_text", "text": text}]}

    def said_by_user(self, item: Item) -> str | None:
        return _said_by_user(item)

    def output(self, call_id: str, output: str) -> Item:
        return {"type": "function_call_output", "call_id": call_id, "output": output}

    def calls(self, item: Item) -> Iterable[ToolCall]:
        if item.get("type") == "function_call":
            yield ToolCall(str(item["call_id"]), str(item["name"]), str(item["arguments"]))

    def answered(self, item: Item) -> str | None:
        return str(item["call_id"]) if item.get("type") == "function_call_output" else None


class ChatShape:
    """Messages of the Chat Completions API: calls are inside the assistant's message."""

    format: Format = "openai_chat"

    def user(self, text: str) -> Item:
        return {"role": "user", "content": text}

    def said_by_user(self, item: Item) -> str | None:
        return _said_by_user(item)

    def output(self, call_id: str, output: str) -> Item:
        return {"role": "tool", "tool_call_id": call_id, "content": output}

    def calls(self, item: Item) -> Iterable[ToolCall]:
        for call in item.get("tool_calls") or () if item.get("role") == "assistant" else ():
            asked = call.get("function") or {}
            yield ToolCall(str(call.get("id")), str(asked.get("name")), str(asked.get("arguments")))

    def answered(self, item: Item) -> str | None:
        return str(item["tool_call_id"]) if item.get("role") == "tool" else None


class Responses(ResponsesShape):
    """A model behind the Responses API of OpenAI, Ollama or vLLM."""

    def __init__(self, name: str, client: openai.OpenAI | None = None, **options: Any) -> None:
        """`options` go into each request; `client` stands for another server, time-out or transport."""
        self.name, self.options = name, options
        self.client = client or connection()

    def reply(self, instructions: str, items: Sequence[Item], tools: Sequence[Item]) -> Reply:
        request: dict[str, Any] = {
            "model": self.name,
            "instructions": instructions,
            "input": list(items),
            "store": False,
            "include": ["reasoning.encrypted_content"],
            **({"tools": list(tools), "parallel_tool_calls": False} if tools else {}),
            **self.options,
        }
        try:
            response = self.client.responses.create(**request)
            status = response.status
            made = tuple(item.to_dict(mode="json") for item in response.output)
            text = response.output_text
        except openai.OpenAIError as error:
            raise _failure(error) from None
        except STRANGE:
            raise ModelFailed("unexpected_answer") from None
        if status not in ("completed", None):
            raise ModelFailed(str(status))
        return Reply(made, _calls(self, made), text or _refusal(made))


class ChatCompletions(ChatShape):
    """A model behind the Chat Completions API, which nearly every server has."""

    def __init__(self, name: str, client: openai.OpenAI | None = None, **options: Any) -> None:
        """`options` go into each request; `client` stands for another server, time-out or transport."""
        self.name, self.options = name, options
        self.client = client or connection()

    def reply(self, instructions: str, items: Sequence[Item], tools: Sequence[Item]) -> Reply:
        request: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": "system", "content": instructions}, *items],
            **({"tools": list(tools), "parallel_tool_calls": False} if tools else {}),
            **self.options,
        }
        try:
            choice = self.client.chat.completions.create(**request).choices[0]
            message = choice.message.to_dict(mode="json")
            text = choice.message.content or choice.message.refusal or ""
        except openai.OpenAIError as error:
            raise _failure(error) from None
        except STRANGE:
            raise ModelFailed("unexpected_answer") from None
        if choice.finish_reason in ("length", "content_filter"):
            raise ModelFailed(choice.finish_reason)
        return Reply((message,), _calls(self, [message]), text)


def connection(**options: Any) -> openai.OpenAI:
    """A connection as the environment says (OPENAI_API_KEY, OPENAI_BASE_URL), which waits 30 s and tries twice."""
    return openai.OpenAI(**{"timeout": TIMEOUT, "max_retries": RETRIES, **options})


def _failure(error: openai.OpenAIError) -> ModelFailed:
    status = getattr(error, "status_code", None)
    return ModelFailed(f"{type(error).__name__}{f' {status}' if status else ''}")


def _calls(shape: Shape, items: Sequence[Item]) -> tuple[ToolCall, ...]:
    calls = tuple(call for item in items for call in shape.calls(item))
    if not all(call.call_id and call.call_id != "None" for call in calls):
        raise ModelFailed("call_without_id")
    return calls


def _refusal(items: Sequence[Item]) -> str:
    """What a model says that will not answer; it is an answer too."""
    parts = (part for item in items for part in item.get("content") or () if isinstance(part, Mapping))
    return "".join(str(part["refusal"]) for part in parts if part.get("type") == "refusal")


def as_json(output: Mapping[str, Any]) -> str:
    """A tool's output for the model: JSON, so that no remembered text can pose as anything else."""
    return json.dumps(output, ensure_ascii=False, separators=(",", ":"))
