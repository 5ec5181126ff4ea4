"""A model's server that follows a script, behind OpenAI's own library: what is sent to it is what would go out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
import openai
from cast import Caller, word
from client_door import Network, client_of

from memoryhub.client.agent import Agent, ChatCompletions, Responses

Asked = tuple[str, str, Any]
"""One call that the model makes: its id, the tool, the arguments as a mapping or as text."""
Step = str | list[Asked] | Exception | httpx2.Response
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}


class Script:
    """Answers step by step; a step may be made from the request. `sent` are the requests as the server saw them."""

    def __init__(self, *steps: Step | Callable[[Mapping[str, Any]], Step]) -> None:
        self.steps = list(steps)
        self.sent: list[dict[str, Any]] = []

    def model(self, api: str = "responses") -> Any:
        http = httpx2.Client(transport=httpx2.MockTransport(self.answer))
        client = openai.OpenAI(api_key="none", base_url="http://model.test/v1", http_client=http, max_retries=0)
        return (Responses if api == "responses" else ChatCompletions)("a-model", client)

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.sent.append(body)
        step = self.steps.pop(0)
        step = step(body) if callable(step) else step
        if isinstance(step, Exception):
            raise step
        if isinstance(step, httpx2.Response):
            return step
        make = _response if request.url.path.endswith("/responses") else _completion
        return httpx2.Response(200, json=make(step))

    def outputs(self) -> list[dict[str, Any]]:
        """The outputs of tools in the latest request, parsed."""
        items = self.sent[-1].get("input") or self.sent[-1]["messages"]
        texts = [item.get("output") if "call_id" in item else item.get("content") for item in items
                 if item.get("type") == "function_call_output" or item.get("role") == "tool"]  # fmt: skip
        return [json.loads(text) for text in texts]


def _response(step: str | list[Asked]) -> dict[str, Any]:
    if isinstance(step, str):
        content = [{"type": "output_text", "text": step, "annotations": []}]
        output = [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}]
    else:
        output = [
            {
                "type": "function_call",
                "id": f"fc_{call_id}",
                "call_id": call_id,
                "name": name,
                "arguments": _text(given),
            }
            for call_id, name, given in step
        ]
    head = {"id": "resp_1", "object": "response", "created_at": 0, "model": "a-model", "status": "completed"}
    more = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
    return {**head, **more, "output": [REASONING, *output]}


def _completion(step: str | list[Asked]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step if isinstance(step, str) else None}
    if isinstance(step, list):
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": _text(given)}}
            for call_id, name, given in step
        ]
    choice = {"index": 0, "message": message, "finish_reason": "stop" if isinstance(step, str) else "tool_calls"}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "a-model", "choices": [choice]}


def _text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def agent_of(caller: Caller, script: Script, network: Network | None = None, **options: Any) -> Agent:
    """An agent for this caller, in a run of its own unless the caller has one, which follows this script."""
    caller = caller if caller.run else caller.in_run(f"run_{word()}")
    model = script.model(options.pop("api", "responses"))
    return Agent(client_of(caller, network), model, **{"approve": yes, **options})


def yes(write: Any) -> Any:
    """The person agrees, in a message of their own."""
    return write.approved(ref=f"message_{word()}")


def save(value: str = "brief", call_id: str | None = None, key: str = "answer_style") -> list[Asked]:
    return [(call_id or f"call_{word()}", "memory_save", {"key": key, "value": value})]


def search(query: str, call_id: str | None = None) -> list[Asked]:
    return [(call_id or f"call_{word()}", "memory_search", {"query": query})]
