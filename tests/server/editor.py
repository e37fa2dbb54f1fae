"""An editor, as far as a language server can see: a client of the protocol over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.lsp.client import LanguageClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

PATIENCE = 60
"""Seconds that the server has to answer."""


class Editor:
    """What a user does in an editor, and what it shows.

    Args:
        client: the client, whose server is running.
        root: the directory that is open.
    """

    def __init__(self, client: LanguageClient, root: Path) -> None:
        self.client = client
        self.root = root
        self.messages: list[str] = []
        self.watched: list[str] = []
        self.capabilities = types.ServerCapabilities()
        self._published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def published(params: types.PublishDiagnosticsParams) -> None:
            self._published.put_nowait(params)

        @client.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)  # type: ignore[untyped-decorator]
        def registered(params: types.RegistrationParams) -> None:
            self.watched += [one.method for one in params.registrations]

    def uri(self, name: str) -> str:
        """The address of a file below the directory; what is an address stays one."""
        return name if ":" in name else (self.root / name).as_uri()

    def open(self, name: str, text: str, version: int = 1) -> None:
        item = types.TextDocumentItem(self.uri(name), "python", version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, name: str, text: str, version: int) -> None:
        """Change the text of a document and do not save it."""
        document = types.VersionedTextDocumentIdentifier(version, self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def save(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    def close(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    def tell_of_change(self, name: str) -> None:
        """Say that a file was changed by another program."""
        event = types.FileEvent(self.uri(name), types.FileChangeType.Changed)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    async def published(self) -> types.PublishDiagnosticsParams:
        """Wait for the next diagnostics, of whatever document."""
        return await asyncio.wait_for(self._published.get(), PATIENCE)

    async def actions(
        self, name: str, where: types.Range, only: list[types.CodeActionKind | str] | None = None
    ) -> list[types.CodeAction]:
        context = types.CodeActionContext([], only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(self.uri(name)), where, context)
        answer = await asyncio.wait_for(self.client.text_document_code_action_async(params), PATIENCE)
        return [one for one in answer or () if isinstance(one, types.CodeAction)]

    async def hover(self, name: str, row: int, column: int) -> str:
        """Point at a place, both counted from 0, and return what is shown there."""
        params = types.HoverParams(types.TextDocumentIdentifier(self.uri(name)), types.Position(row, column))
        answer = await asyncio.wait_for(self.client.text_document_hover_async(params), PATIENCE)
        if answer is None:
            return ""
        assert isinstance(answer.contents, types.MarkupContent)
        return answer.contents.value


def _capabilities(*, watches: bool) -> types.ClientCapabilities:
    files = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=watches)
    return types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(did_change_watched_files=files))


@asynccontextmanager
async def editing(root: Path, *options: str, watches: bool = False) -> AsyncIterator[Editor]:
    """Open a directory in an editor, and close the editor in the end.

    Args:
        root: the directory.
        options: options of the server.
        watches: whether the editor can tell of files that change on the disk.
    """
    client = LanguageClient("editor", "1")
    editor = Editor(client, root)
    await client.start_io(sys.executable, "-m", "regbuf_lint", "server", *options, cwd=root)
    started = await asyncio.wait_for(
        client.initialize_async(types.InitializeParams(_capabilities(watches=watches), root_uri=root.as_uri())),
        PATIENCE,
    )
    editor.capabilities = started.capabilities
    client.initialized(types.InitializedParams())
    yield editor
    await asyncio.wait_for(client.shutdown_async(None), PATIENCE)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]


def applied(text: str, edit: types.WorkspaceEdit | None) -> str:
    """Return a text of one document with an edit made, columns counted as the protocol does."""
    assert edit is not None
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    rows = text.splitlines(keepends=True)
    for one in sorted(change.edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        assert isinstance(one, types.TextEdit)
        start, end = (_offset(rows, place) for place in (one.range.start, one.range.end))
        text = text[:start] + one.new_text + text[end:]
    return text


def _offset(rows: list[str], place: types.Position) -> int:
    before = sum(map(len, rows[: place.line]))
    units = (rows[place.line] if place.line < len(rows) else "").encode("utf-16-le")
    return before + len(units[: 2 * place.character].decode("utf-16-le"))
