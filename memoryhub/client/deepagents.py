"""Memory as a backend of Deep Agents. Needs the extra `deepagents`.

    shared = HubBackend(hub, namespace={"type": "team", "id": "support"}, kind="procedure")
    backend = CompositeBackend(default=StateBackend(), routes={"/team/": shared})
    create_deep_agent(..., backend=backend, memory=["/team/AGENTS.md"])

Files are the memories of one place: folders are labels, a file's name is a key. It is read only unless it is told
otherwise: what a team shares is changed by its reviewers, so that no content can rewrite it through an agent. While it
is read only, `/AGENTS.md` is what a recall of the place returns within a budget, as labelled data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deepagents.backends.protocol import (
    FILE_NOT_FOUND,
    INVALID_PATH,
    BackendProtocol,
    DeleteResult,
    EditResult,
    FileData,
    FileDownloadResponse,
    FileInfo,
    FileUploadResponse,
    GlobResult,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)
from deepagents.backends.utils import (
    InvalidGlobPatternError,
    _glob_search_files,
    grep_matches_from_files,
    perform_string_replacement,
    slice_read_response,
)

from memoryhub.client.errors import HubError
from memoryhub.client.files import BadPath, File, Files, Parts, parts_of
from memoryhub.client.hub import Client
from memoryhub.client.inputs import NamespaceRef
from memoryhub.client.outcomes import told_of
from memoryhub.client.places import OWN, Place, Seen
from memoryhub.client.steps import Steps, run

RENDERED: Parts = ("AGENTS.md",)
READ_ONLY = "This memory is read only here: its owners and reviewers change it, not an agent."


class Told(Exception):
    """What is told instead of an answer."""


class HubBackend(BackendProtocol):
    """The files of a place. Its async methods run these in a thread.

    `writable` lets an agent propose files, as far as the key may; `evidence` then says what the runtime saw that a file
    rests on. Whatever fails, is refused or waits for a person is an `error` that the model reads.
    """

    def __init__(
        self,
        hub: Client,
        *,
        namespace: NamespaceRef | None = None,
        kind: str = "preference",
        writable: bool = False,
        evidence: Callable[[Parts], Seen] | None = None,
        token_budget: int = 2000,
    ) -> None:
        self.hub, self.writable, self.token_budget = hub, writable, token_budget
        self.files = Files(Place(namespace or OWN, kind), evidence)

    def ls(self, path: str) -> LsResult:
        try:
            parts = parts_of(path)
            files = self._run(self.files.below(parts))
        except (BadPath, Told) as error:
            return LsResult(error=_said(error))
        found: dict[str, FileInfo] = {}
        for file in files:
            inside = file.parts[len(parts) :]
            if len(inside) == 1:
                found[_path(file.parts)] = _info(file)
            elif inside:
                folder = f"{_path((*parts, inside[0]))}/"
                found[folder] = {"path": folder, "is_dir": True, "size": 0, "modified_at": ""}
        if not parts and not self.writable:
            found[_path(RENDERED)] = {"path": _path(RENDERED), "is_dir": False}
        return LsResult(entries=[found[name] for name in sorted(found)])

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        try:
            data = self._data(parts_of(file_path))
        except (BadPath, Told) as error:
            return ReadResult(error=_said(error))
        if data is None:
            return ReadResult(error=f"File '{file_path}' not found")
        return slice_read_response(data, offset, limit)

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        try:
            files = self._everything()
        except Told as error:
            return GrepResult(error=_said(error))
        return grep_matches_from_files(files, pattern, path, glob, max_count=max_count)

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        try:
            files = {_path(one.parts): one for one in self._run(self.files.below())}
            data = {name: _data(one) for name, one in files.items()}
            found = _glob_search_files(data, pattern, path)
        except (Told, InvalidGlobPatternError) as error:
            return GlobResult(error=_said(error))
        return GlobResult(matches=[_info(files[name]) for name in found.split("\n") if name in files])

    def write(self, file_path: str, content: str) -> WriteResult:
        """Create a file or replace its text."""
        try:
            self._run(self.files.change(self._may_write(file_path), lambda file: content))
        except (BadPath, Told) as error:
            return WriteResult(error=_said(error))
        return WriteResult(path=file_path)

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        occurrences = 0

        def changed(file: File | None) -> str:
            nonlocal occurrences
            if file is None:
                raise Told(f"Error: File '{file_path}' not found")
            replaced = perform_string_replacement(file.text, old_string, new_string, replace_all)
            if isinstance(replaced, str):
                raise Told(replaced)
            text, occurrences = replaced
            return text

        try:
            self._run(self.files.change(self._may_write(file_path), changed))
        except (BadPath, Told) as error:
            return EditResult(error=_said(error))
        return EditResult(path=file_path, occurrences=occurrences)

    def delete(self, file_path: str) -> DeleteResult:
        """Forget a file, or all of a folder, with every version."""
        try:
            files = self._run(self.files.at(self._may_write(file_path)))
            if not files:
                return DeleteResult(error=f"Error: File '{file_path}' not found")
            self._run(self.files.forget(files))
        except (BadPath, Told) as error:
            return DeleteResult(error=_said(error))
        return DeleteResult(path=file_path)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [FileUploadResponse(path=path, error=self._uploaded(path, content)) for path, content in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [self._downloaded(path) for path in paths]

    def _uploaded(self, path: str, content: bytes) -> str | None:
        try:
            return self.write(path, content.decode()).error
        except UnicodeDecodeError:
            return "A memory is a text, in UTF-8."

    def _downloaded(self, path: str) -> FileDownloadResponse:
        try:
            data = self._data(parts_of(path))
        except BadPath:
            return FileDownloadResponse(path=path, error=INVALID_PATH)
        except Told as error:
            return FileDownloadResponse(path=path, error=_said(error))
        if data is None:
            return FileDownloadResponse(path=path, error=FILE_NOT_FOUND)
        return FileDownloadResponse(path=path, content=data["content"].encode())

    def _data(self, parts: Parts) -> FileData | None:
        if parts == RENDERED and not self.writable:
            return {"content": self._run(self._rendered()), "encoding": "utf-8"}
        file = self._run(self.files.read(parts))
        return None if file is None else _data(file)

    def _rendered(self) -> Steps[str]:
        place = self.files.place
        packet = yield lambda hub: hub.context(
            namespaces=[place.area(())],
            kinds=[place.kind],
            token_budget=self.token_budget,
            limit=100,
            format="markdown",
        )
        return str(packet.text)

    def _everything(self) -> dict[str, FileData]:
        return {_path(one.parts): _data(one) for one in self._run(self.files.below())}

    def _may_write(self, path: str) -> Parts:
        if not self.writable:
            raise Told(READ_ONLY)
        parts = parts_of(path)
        if not parts:
            raise BadPath
        return parts

    def _run(self, steps: Steps[Any]) -> Any:
        try:
            return run(self.hub, steps)
        except HubError as error:
            raise Told(told_of(error)) from None


def _path(parts: Parts) -> str:
    return f"/{'/'.join(parts)}"


def _said(error: Exception) -> str:
    return INVALID_PATH if isinstance(error, BadPath) else str(error)


def _info(file: File) -> FileInfo:
    return {
        "path": _path(file.parts),
        "is_dir": False,
        "size": len(file.text.encode()),
        "modified_at": file.memory.updated_at.isoformat() if file.memory.updated_at else "",
    }


def _data(file: File) -> FileData:
    made, changed = file.memory.created_at, file.memory.updated_at
    data: FileData = {"content": file.text, "encoding": "utf-8"}
    if made and changed:
        data |= {"created_at": made.isoformat(), "modified_at": changed.isoformat()}
    return data
