"""Whether a class may be compiled by TorchScript, which takes its text at its word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext

_SCRIPTED = re.compile(r"\b\w+\.jit\b|\bfrom torch import [^\n]*\bjit\b|__constants__")


_COMPILER = "script"
_CALL = f"jit.{_COMPILER}"


def may_be_scripted(context: ClassContext) -> bool:
    """Whether the class is a ScriptModule, or its file speaks of TorchScript."""
    return context.is_script_module or _SCRIPTED.search(context.source.text) is not None


def may_be_scripted_elsewhere(context: ClassContext) -> bool:
    """Whether a file of the package compiles objects by TorchScript, and names the class."""
    files = context.inference.project.files_calling_method(context.symbol.scope.file, _COMPILER)
    texts = (one.source.text for one in files)
    name = re.compile(rf"\b{re.escape(context.name.rpartition('.')[2])}\b")
    return any(_CALL in text and name.search(text) is not None for text in texts)
