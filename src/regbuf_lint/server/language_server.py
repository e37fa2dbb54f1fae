"""The server: it checks what is open, as it stands in the editor, a moment after the last key."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from regbuf_lint import FileResult, SettingsError, __version__
from regbuf_lint.server.actions import FIX_ALL, fix_all, quick_fix
from regbuf_lint.server.diagnostics import SOURCE, diagnostic
from regbuf_lint.server.hover import hover_text
from regbuf_lint.server.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pygls.workspace import TextDocument

    from regbuf_lint import Explanation
    from regbuf_lint.server.linting import Linting

PAUSE = 0.3
"""Seconds without a key after which a document is checked."""
_NOTEBOOK = ".ipynb"
_WRITTEN = frozenset({"file", "untitled", "buffer"})
"""How addresses begin of what a user writes; others are those of cells of notebooks, of old revisions and the like."""
_WATCHED = "**/*.{py,toml,cfg}"
_UNSAVED = "untitled.py"
"""What a document is called that has no file yet."""
T = TypeVar("T")


class LintServer(LanguageServer):
    """A language server for one editor.

    Args:
        linting: how texts are checked.
    """

    def __init__(self, linting: Linting) -> None:
        # Whole texts: pygls splits rows at form feeds when it applies changes, and editors do not.
        super().__init__(SOURCE, __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.linting = linting
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._pending: dict[str, asyncio.Task[None]] = {}
        self._checked: dict[str, tuple[int | None, FileResult]] = {}
        self._complaint = ""
        self.is_told = False

    def schedule(self, uri: str, pause: float = PAUSE) -> None:
        """Check a document in a while, unless it changes before."""
        self.forget(uri)
        if _is_checked(uri):
            self._pending[uri] = asyncio.get_running_loop().create_task(self._publish_later(uri, pause))

    def forget(self, uri: str) -> None:
        """Give up what is known of a document, and what is still to be said of it."""
        self._checked.pop(uri, None)
        pending = self._pending.pop(uri, None)
        if pending is not None:
            pending.cancel()

    async def _publish_later(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        document = self.workspace.get_text_document(uri)
        version = document.version
        result = await self.result(document)
        shown = [diagnostic(one, uri, self.places) for one in result.findings]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown, version))
        for error in result.errors:
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"{error.path}: {error.message}"))

    async def result(self, document: TextDocument) -> FileResult:
        """Return what is found in a document as it is now."""
        version, path = document.version, path_of(document.uri)
        known = self._checked.get(document.uri)
        if known is not None and known[0] == version:
            return known[1]
        texts = self.texts(document)
        result = await self.ask(lambda: self.linting.check(path, texts), FileResult(str(path)))
        self._checked[document.uri] = version, result
        return result

    async def ask(self, question: Callable[[], T], otherwise: T) -> T:
        """Ask the linter beside the loop; what is wrong with the configuration is shown once."""
        try:
            answer = await asyncio.get_running_loop().run_in_executor(self._worker, question)
        except SettingsError as error:
            self._complain(str(error))
            return otherwise
        self._complaint = ""
        return answer

    def _complain(self, message: str) -> None:
        if message != self._complaint:
            self._complaint = message
            text = f"{SOURCE}: {message}"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))

    def texts(self, document: TextDocument) -> dict[Path, str]:
        """Return a document and all others that are open, as they are now."""
        others = self.workspace.text_documents.values()
        return {path_of(one.uri): one.source for one in (*others, document) if _is_checked(one.uri)}

    def watch(self) -> None:
        """Ask the editor to say when other files change; not every editor can."""
        workspace = self.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        self.is_told = watching is not None and bool(watching.dynamic_registration)
        if self.is_told:
            options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(_WATCHED)])
            one = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.client_register_capability(types.RegistrationParams([one]))

    def read_anew(self) -> None:
        """Forget what was read from the disk, and check what is open again."""
        self.linting.forget()
        self.schedule_all()

    def schedule_all(self) -> None:
        """Check what is open again: what is known of one file may rest on another."""
        for document in self.workspace.text_documents.values():
            self.schedule(document.uri, pause=0)

    def places(self, uri: str) -> Places:
        """Return the places of a document, or of a file."""
        return Places(self.workspace.get_text_document(uri).source, self.workspace.position_codec)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the fixes of findings in a range, and all safe ones together, as far as they are wanted."""
        document = self.workspace.get_text_document(params.text_document.uri)
        if not _is_checked(document.uri):
            return []
        wanted = params.context.only
        found: list[types.CodeAction] = []
        if _is_wanted(types.CodeActionKind.QuickFix.value, wanted):
            found += self._quick_fixes(document, await self.result(document), params.range)
        if _is_wanted(FIX_ALL, wanted) and (found or wanted):  # a menu at a line without findings stays empty
            found += await self._fix_all(document)
        return found

    def _quick_fixes(
        self, document: TextDocument, result: FileResult, where: types.Range
    ) -> Iterator[types.CodeAction]:
        places = self.places(document.uri)
        for finding in result.findings:
            shown = diagnostic(finding, document.uri, self.places)
            if shown.range.start.line <= where.end.line and where.start.line <= shown.range.end.line:
                action = quick_fix(finding, shown, _identity(document), places)
                if action is not None:
                    yield action

    async def _fix_all(self, document: TextDocument) -> list[types.CodeAction]:
        texts, path = self.texts(document), path_of(document.uri)
        after = await self.ask(lambda: self.linting.fixed(path, texts), texts[path])
        action = fix_all(after, _identity(document), self.places(document.uri))
        return [] if action is None else [action]

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Return what is known of the attribute at a position."""
        document = self.workspace.get_text_document(params.text_document.uri)
        name = self.places(document.uri).word_at(params.position)
        texts, path, row = self.texts(document), path_of(document.uri), params.position.line + 1
        if not name.isidentifier() or not _is_checked(document.uri):
            return None
        nothing: tuple[Explanation, ...] = ()
        known = await self.ask(lambda: self.linting.explain(path, texts, row), nothing)
        told = [hover_text(one) for one in known if one.attribute == name]
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(told))) if told else None


def path_of(uri: str) -> Path:
    """Return where a document lies or would lie; an address may be escaped in several ways."""
    path = to_fs_path(uri)
    return Path(path) if path else Path(_UNSAVED)


def _is_checked(uri: str) -> bool:
    """Whether the document at an address is a file that a user writes, and no notebook."""
    return uri.partition(":")[0] in _WRITTEN and not uri.endswith(_NOTEBOOK)


def _identity(document: TextDocument) -> types.OptionalVersionedTextDocumentIdentifier:
    return types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)


def _is_wanted(kind: str, wanted: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether an editor asks for actions of a kind; one that names no kinds asks for all."""
    names = [one.value if isinstance(one, types.CodeActionKind) else one for one in wanted or ()]
    return wanted is None or any(kind == name or kind.startswith(f"{name}.") or not name for name in names)


def make_server(linting: Linting) -> LintServer:
    """Return a server that knows what to do with what editors send."""
    server = LintServer(linting)
    _follow_documents(server)
    _follow_disk(server)
    _answer(server)
    return server


def _follow_documents(server: LintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.schedule(params.text_document.uri, pause=0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.schedule(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.forget(uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _follow_disk(server: LintServer) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        server.watch()

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_params: types.DidSaveTextDocumentParams) -> None:
        if server.is_told:
            server.schedule_all()
        else:
            server.read_anew()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(params: types.DidChangeWatchedFilesParams) -> None:
        opened = {path_of(one.uri) for one in server.workspace.text_documents.values()}
        if any(path_of(one.uri) not in opened for one in params.changes):
            server.read_anew()


def _answer(server: LintServer) -> None:
    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await server.actions(params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await server.hover(params)


def serve(linting: Linting) -> None:
    """Serve an editor on standard input and output until it says that it is done."""
    server = make_server(linting)
    stdout, sys.stdout = sys.stdout, sys.stderr  # nothing but messages of the protocol goes to the editor
    server.start_io(sys.stdin.buffer, stdout.buffer)
