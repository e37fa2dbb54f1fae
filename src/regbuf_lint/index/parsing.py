"""From the text of a file to its tree."""

from __future__ import annotations

import ast
import sys
import threading
import warnings

from regbuf_lint.model.span import Position

_DEEP_STACK = 512 * 1024 * 1024
_DEEP_RECURSION = 100_000


class ParseError(Exception):
    """The file does not parse.

    Attributes:
        message: what Python's parser says.
        position: where, as far as the parser says.
    """

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


def parse(text: str) -> ast.Module:
    """The tree of a file.

    Raises:
        ParseError: the text is no Python of the running interpreter's version, or nests too deeply for it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _tree(text)
    except SyntaxError as error:
        position = Position(error.lineno or 1, max(1, error.offset or 1))
        raise ParseError(error.msg, position) from None
    except (RecursionError, MemoryError):
        msg = "nests too deeply for Python's parser"
        raise ParseError(msg, Position(1, 1)) from None
    except ValueError as error:
        raise ParseError(str(error), Position(1, 1)) from None


def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except RecursionError:
        return _with_deep_stack(text)


def _with_deep_stack(text: str) -> ast.Module:
    """Parse what Python runs and yet refuses to give a tree of on an ordinary stack: a sum of thousands of terms.

    Raises:
        RecursionError: it nests even more deeply.
    """
    outcome: list[ast.Module | Exception] = []

    def work() -> None:
        try:
            outcome.append(ast.parse(text))
        except Exception as error:  # noqa: BLE001  raised again in the thread that asked
            outcome.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_DEEP_STACK)
    sys.setrecursionlimit(_DEEP_RECURSION)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def with_newlines(text: str) -> str:
    """A text whose rows end as Python's parser has them end."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
