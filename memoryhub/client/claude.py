"""The memory tool of Claude (`memory_20250818`) over a MemoryHub. Needs the extra `claude`.

    tool = MemoryTool(hub, evidence=lambda parts: said)
    client.beta.messages.tool_runner(model=..., max_tokens=..., messages=[...], tools=[tool], thread=False)

Its files are memories of one place: folders below /memories are labels (with those of the namespace at most eight), a
file's name is the key, its text of at most 2,000 characters the statement; a longer one
is refused whole, in words that say how to divide it. Each write passes the gate; what is refused
or waits for a person comes back as a tool result with `is_error`, in words for the model. An edit is carried out on the
version it was made from, or made anew. A delete forgets for good, and needs a key that may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

from memoryhub.client.errors import Conflict, HubError
from memoryhub.client.files import BadPath, File, Files, Parts, parts_of
from memoryhub.client.hub import AsyncClient, Client
from memoryhub.client.inputs import NamespaceRef
from memoryhub.client.outcomes import told_of
from memoryhub.client.places import OWN, Place, Seen
from memoryhub.client.steps import Steps, run, run_awaited

ROOT = "/memories"
LEVELS = 2
AROUND = 2  # lines that an edit's answer shows on either side
SIZES = "BKMG"
ARGUMENTS: Mapping[str, Mapping[str, type]] = {
    "view": {"path": str},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}


class Commands:
    """The six commands as steps. They raise ToolError, in the words that Claude's own tool uses where it has any."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def view(self, command: Any) -> Steps[str]:
        path, parts = _path(command.path)
        file = yield from self.files.read(parts)
        if file is not None:
            return _numbered(path, file.text, getattr(command, "view_range", None))
        files = yield from self.files.below(parts)
        if parts and not files:
            _absent(path)
        sizes = [f"{_size(files)}\t{path}", *(f"{size}\t{path}/{name}" for size, name in _entries(files, len(parts)))]
        head = f"Here're the files and directories up to {LEVELS} levels deep in {path}, excluding hidden items:"
        return "\n".join([head, *sizes])

    def create(self, command: Any) -> Steps[str]:
        path, parts = _path(command.path)
        if not parts:
            raise ToolError(f"The path {path} is not a file.")
        try:
            yield from self.files.write(parts, command.file_text, None)
        except Conflict:
            raise ToolError(f"File {path} already exists") from None
        return f"File created successfully at: {path}"

    def str_replace(self, command: Any) -> Steps[str]:
        path, parts = _path(command.path)

        def replaced(text: str) -> str:
            _check_once(text, command.old_str, path)
            return text.replace(command.old_str, command.new_str)

        old, new = yield from self._edited(path, parts, replaced)
        line = old[: old.find(command.old_str)].count("\n")
        lines = list(enumerate(new.split("\n"), start=1))[max(0, line - AROUND) : line + AROUND + 1]
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return "\n".join([head, *_with_numbers(lines)])

    def insert(self, command: Any) -> Steps[str]:
        path, parts = _path(command.path)
        at = command.insert_line

        def inserted(text: str) -> str:
            lines = _lines(text)
            if not 0 <= at <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {at}. It should be within the range [0, {len(lines)}]."
                )
            return "\n".join([*lines[:at], command.insert_text.rstrip("\n"), *lines[at:]]) + "\n"

        yield from self._edited(path, parts, inserted)
        return f"The file {path} has been edited."

    def delete(self, command: Any) -> Steps[str]:
        path, parts = _path(command.path)
        if not parts:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        files = yield from self.files.at(parts)
        if not files:
            raise ToolError(f"The path {path} does not exist")
        yield from self.files.forget(files)
        return f"Successfully deleted {path}"

    def rename(self, command: Any) -> Steps[str]:
        (old_path, old), (new_path, new) = _path(command.old_path), _path(command.new_path)
        if not old:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        if new[: len(old)] == old and new != old:
            raise ToolError(f"The destination {new_path} is inside {old_path}")
        there = yield from self.files.at(new)
        if there or not new:
            raise ToolError(f"The destination {new_path} already exists")
        files = yield from self.files.at(old)
        if not files:
            raise ToolError(f"The path {old_path} does not exist")
        yield from self.files.move(files, old, new)
        return f"Successfully renamed {old_path} to {new_path}"

    def _edited(self, path: str, parts: Parts, change: Callable[[str], str]) -> Steps[tuple[str, str]]:
        """The text before and after."""

        def changed(file: File | None) -> str:
            if file is None:
                raise FileNotFoundError
            return change(file.text)

        try:
            file, text = yield from self.files.change(parts, changed)
        except FileNotFoundError:
            if not parts or (yield from self.files.below(parts)):
                raise ToolError(f"The path {path} is not a file.") from None
            _absent(path)
        return file.text if file else "", text


class MemoryTool(BetaAbstractMemoryTool):
    """The tool over a Client. `evidence` says what the runtime saw that a file rests on; without it each is a guess."""

    def __init__(
        self,
        hub: Client,
        *,
        namespace: NamespaceRef | None = None,
        kind: str = "preference",
        evidence: Callable[[Parts], Seen] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.hub = hub
        self.commands = Commands(Files(Place(namespace or OWN, kind), evidence))

    def execute(self, command: Any) -> str:
        return run(self.hub, _told(self.commands, command))

    view = create = str_replace = insert = delete = rename = execute


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same over an AsyncClient."""

    def __init__(
        self,
        hub: AsyncClient,
        *,
        namespace: NamespaceRef | None = None,
        kind: str = "preference",
        evidence: Callable[[Parts], Seen] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.hub = hub
        self.commands = Commands(Files(Place(namespace or OWN, kind), evidence))

    async def execute(self, command: Any) -> str:
        return await run_awaited(self.hub, _told(self.commands, command))

    view = create = str_replace = insert = delete = rename = execute


def _told(commands: Commands, command: Any) -> Steps[str]:
    """A command's answer; every failure is a ToolError that says what became of it."""
    name = str(getattr(command, "command", None))
    if name not in ARGUMENTS:
        raise ToolError(f"There is no such command; there are {', '.join(ARGUMENTS)}.")
    for argument, kind in ARGUMENTS[name].items():
        given = getattr(command, argument, None)
        if not isinstance(given, kind) or isinstance(given, bool):
            raise ToolError(f"`{argument}` is missing, or not of the right type.")
    try:
        return (yield from getattr(commands, name)(command))
    except HubError as error:
        raise ToolError(told_of(error)) from None


def _path(path: str) -> tuple[str, Parts]:
    """The path as it is told to the model, and its parts below the root."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    try:
        return path.rstrip("/"), parts_of(path.removeprefix(ROOT))
    except BadPath:
        raise ToolError(f"Path {path} would escape {ROOT} directory") from None


def _absent(path: str) -> NoReturn:
    raise ToolError(f"The path {path} does not exist. Please provide a valid path.")


def _check_once(text: str, wanted: str, path: str) -> None:
    """Raises ToolError unless it stands there exactly once."""
    places = [at for at in range(len(text)) if wanted and text.startswith(wanted, at)]
    if not places:
        raise ToolError(f"No replacement was performed, old_str `{wanted}` did not appear verbatim in {path}.")
    if text.count(wanted) > 1:
        lines = ", ".join(str(text.count("\n", 0, at) + 1) for at in places)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{wanted}` in lines: {lines}. "
            "Please ensure it is unique"
        )


def _numbered(path: str, text: str, view_range: Any) -> str:
    lines = list(enumerate(text.split("\n"), start=1))
    if isinstance(view_range, Sequence) and len(view_range) == 2:
        first, last = view_range
        lines = lines[max(1, first) - 1 : len(lines) if last == -1 else last]
    return "\n".join([f"Here's the content of {path} with line numbers:", *_with_numbers(lines)])


def _with_numbers(lines: Iterable[tuple[int, str]]) -> list[str]:
    return [f"{number:>6}\t{line}" for number, line in lines]


def _lines(text: str) -> list[str]:
    """Split at line feeds alone; one at the end begins no further line."""
    return text.removesuffix("\n").split("\n") if text else []


def _entries(files: Sequence[File], depth: int) -> list[tuple[str, str]]:
    """Size and path of each file and folder so many levels deep, a folder before what is in it."""
    shown: dict[tuple[Parts, bool], list[File]] = {}
    for file in files:
        inside = file.parts[depth:]
        for level in range(1, min(len(inside), LEVELS) + 1):
            if inside[level - 1].startswith("."):
                break
            shown.setdefault((inside[:level], level < len(inside)), []).append(file)
    return [(_size(held), "/".join(parts) + "/" * folder) for (parts, folder), held in sorted(shown.items())]


def _size(files: Iterable[File]) -> str:
    size: float = sum(len(one.text.encode()) for one in files)
    unit = 0
    while size >= 1024 and unit < len(SIZES) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f}".removesuffix(".0") + SIZES[unit]
