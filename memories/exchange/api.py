"""The REST door of exports and imports."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import MemoryHubError
from accounts.idempotency import Result
from accounts.principals import Scope
from memories import access
from memories.exchange import applying, exporting, importing, serializers, showing
from memories.models import Export, Import
from memories.serializers import NothingBody
from memoryhub.api import HubView, Page
from memoryhub.api.reading import TooLarge

LINES = "application/x-ndjson"
AT_ONCE = 1000  # as many as a batch of proposals may hold
WHOLE = OpenApiResponse(OpenApiTypes.STR, description="One memory a line; see the schema of a line.")


class LinesRenderer(JSONRenderer):
    """For callers that accept nothing but JSON Lines: an answer about a job is one line."""

    media_type = LINES


class FileParser(BaseParser):
    """A handed-over file as it is, of bounded size."""

    media_type = LINES

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> bytes:
        content: bytes = stream.read(importing.MAX_BYTES + 1)
        if len(content) > importing.MAX_BYTES:
            raise TooLarge
        return content


class TextFileParser(FileParser):
    media_type = "text/plain"


class JSONFileParser(FileParser):
    media_type = "application/json"


class ExportsView(HubView):
    """Take along what one may read. Without more, one's own memories come at once, as long as they are not too many."""

    scopes: ClassVar = {"POST": Scope.READ}
    renderer_classes: ClassVar = [JSONRenderer, LinesRenderer]

    @extend_schema(
        operation_id="export",
        request=serializers.ExportBody,
        responses={(200, LINES): WHOLE, (202, "application/json"): serializers.ExportShown},
    )
    def post(self, request: Request) -> Response | HttpResponse:
        asked = self.read(serializers.ExportBody)
        if asked.is_own and (content := exporting.at_once(self.principal)) is not None:
            digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
            return HttpResponse(content, content_type=LINES, headers={"Content-Digest": f"sha-256=:{digest}:"})

        def work() -> Result:
            export = exporting.ask(self.principal, asked)
            return Result(202, showing.export(export), {"export": str(export.pk)})

        return self.once(
            work, lambda status, refs: Result(status, showing.export(Export.objects.get(pk=refs["export"])))
        )


class ExportView(HubView):
    """How far an export is."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="export_status", responses=serializers.ExportShown)
    def get(self, request: Request, export_id: str) -> Response:
        return Response(showing.export(access.export(self.principal, export_id)))


class ExportFileView(HubView):
    """The finished file, until its link runs out."""

    scopes: ClassVar = {"GET": Scope.READ}

    @extend_schema(operation_id="export_file", responses={(200, LINES): WHOLE})
    def get(self, request: Request, export_id: str) -> HttpResponse:
        return showing.sent(*exporting.fetch(self.principal, export_id))

    def head(self, request: Request, export_id: str) -> HttpResponse:
        export, file = exporting.fetch(self.principal, export_id)
        file.close()
        return HttpResponse(headers=showing.file_headers(export))


class ExportCancelView(HubView):
    """Stop an export, or remove its file."""

    scopes: ClassVar = {"POST": Scope.READ}

    @extend_schema(operation_id="cancel_export", request=NothingBody, responses=serializers.ExportShown)
    def post(self, request: Request, export_id: str) -> Response:
        self.read(NothingBody)
        return Response(showing.export(exporting.cancel(self.principal, export_id)))


class ExportRetryView(HubView):
    """Make an export anew that failed or has ended."""

    scopes: ClassVar = {"POST": Scope.READ}

    @extend_schema(operation_id="retry_export", request=NothingBody, responses={202: serializers.ExportShown})
    def post(self, request: Request, export_id: str) -> Response:
        self.read(NothingBody)
        return Response(showing.export(exporting.retry(self.principal, export_id)), status=202)


class ImportsView(HubView):
    """Hand a file over. With `dry_run` it is looked through and waits; a small one is else carried out at once."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}
    parser_classes: ClassVar = [FileParser, TextFileParser, JSONFileParser]
    renderer_classes: ClassVar = [JSONRenderer, LinesRenderer]

    @extend_schema(
        operation_id="import",
        parameters=[serializers.ImportQuery],
        request={LINES: OpenApiTypes.STR, "text/plain": OpenApiTypes.STR, "application/json": OpenApiTypes.ANY},
        responses={200: serializers.ImportShown, 202: serializers.ImportShown},
    )
    def post(self, request: Request) -> Response:
        asked = self.read_query(serializers.ImportQuery)
        content = bytes(request.data or b"")
        errand = importing.check(self.principal, content, asked["format"], asked.get("namespace"))
        whole = {"query": request.query_params.dict(), "file": hashlib.sha256(content).hexdigest()}

        def work() -> Result:
            if not asked["dry_run"]:
                importing.start(self.principal, errand.pk, replaces=asked["replace"])
            return Result(202, {}, {"import": str(errand.pk)})

        def again(_status: int, references: Mapping[str, Any]) -> Result:
            first = Import.objects.get(pk=references["import"])
            return Result(status_of(first), showing.import_(first))

        try:
            answer = self.once(work, again, request_body=whole)
        except MemoryHubError:
            importing.discard(errand)
            raise
        if "Idempotency-Replayed" in answer:
            importing.discard(errand)
            return answer
        errand.refresh_from_db()
        if errand.state == Import.State.QUEUED and importing.staged(errand).count() <= AT_ONCE:
            applying.apply(errand)
            errand.refresh_from_db()
        return Response(showing.import_(errand), status=status_of(errand))


class ImportView(HubView):
    """What becomes of a handed-over file."""

    scopes: ClassVar = {"GET": Scope.PROPOSE}

    @extend_schema(operation_id="import_status", responses=serializers.ImportShown)
    def get(self, request: Request, import_id: str) -> Response:
        return Response(showing.import_(access.import_(self.principal, import_id)))


class ImportLinesView(HubView):
    """What becomes of each line, last line first."""

    scopes: ClassVar = {"GET": Scope.PROPOSE}

    @extend_schema(operation_id="import_lines", parameters=[serializers.LinesQuery], responses=serializers.LinePage)
    def get(self, request: Request, import_id: str) -> Response:
        errand = access.import_(self.principal, import_id)
        query = self.read_query(serializers.LinesQuery)
        chosen = {"result": query["result"]} if "result" in query else {}
        page = Page(self.principal, {"import": errand.pk, **chosen}, query.get("cursor"), query["limit"])
        rows, more = page.take(errand.lines.filter(**chosen))
        return Response({"items": [showing.line(row) for row in rows], **more})


class ImportStartView(HubView):
    """Carry out what was looked through."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="start_import", request=serializers.StartBody, responses={202: serializers.ImportShown})
    def post(self, request: Request, import_id: str) -> Response:
        body = self.read(serializers.StartBody)
        errand = importing.start(self.principal, import_id, replaces=body["replace"])
        return Response(showing.import_(errand), status=202)


class ImportCancelView(HubView):
    """Drop what waits of a handed-over file."""

    scopes: ClassVar = {"POST": Scope.PROPOSE}

    @extend_schema(operation_id="cancel_import", request=NothingBody, responses=serializers.ImportShown)
    def post(self, request: Request, import_id: str) -> Response:
        self.read(NothingBody)
        return Response(showing.import_(importing.cancel(self.principal, import_id)))


def status_of(errand: Import) -> int:
    return 200 if errand.state in (Import.State.CHECKED, Import.State.DONE) else 202
