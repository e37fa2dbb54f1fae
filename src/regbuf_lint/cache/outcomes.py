"""Results as bytes and back."""

from __future__ import annotations

import io
import pickle
from typing import Any

_OWN = "regbuf_lint.model."


class UnusableOutcomeError(Exception):
    """Bytes that hold no result of this version."""


class _Unpickler(pickle.Unpickler):
    """Builds the linter's own data and nothing else, so that a foreign cache cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        """The class of that name, if it holds data of the linter.

        Raises:
            UnusableOutcomeError: it is another one.
        """
        found = super().find_class(module, name) if module.startswith(_OWN) and "." not in name else None
        if not isinstance(found, type) or not found.__module__.startswith(_OWN):
            msg = f"{module}.{name}"
            raise UnusableOutcomeError(msg)
        return found


def packed(outcome: object) -> bytes:
    """A result as bytes."""
    return pickle.dumps(outcome, protocol=5)


def unpacked(data: bytes) -> Any:
    """The result that ``packed`` made bytes of.

    Raises:
        UnusableOutcomeError: the bytes are something else.
    """
    try:
        return _Unpickler(io.BytesIO(data)).load()
    except UnusableOutcomeError:
        raise
    except Exception as error:
        raise UnusableOutcomeError(str(error)) from error
