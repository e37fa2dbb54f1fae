"""All exemptions, by the files of this package."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _found() -> tuple[Exemption, ...]:
    package = import_module("regbuf_lint.exemptions")
    files = (import_module(f"{package.__name__}.{one.name}") for one in iter_modules(package.__path__))
    return tuple(one for file in files if isinstance(one := getattr(file, "EXEMPTION", None), Exemption))


EXEMPTIONS = _found()


def exempting(context: ClassContext, attribute: str) -> Exemption | None:
    """The first reason not to report what an attribute holds, None where there is none."""
    return next((one for one in EXEMPTIONS if one.holds(context, attribute)), None)
