"""Whether somebody checks the types of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regbuf_lint.source.project_tools import ProjectTools

CHECKER_FILES = ("mypy.ini", ".mypy.ini", "pyrightconfig.json", ".pyre_configuration", "pyrefly.toml", "ty.toml")
_TABLES = ("mypy", "pyright", "basedpyright", "pyrefly", "ty")
_PROGRAMS = frozenset({"mypy", "pyright"})


def has_type_checker(tools: ProjectTools) -> bool:
    """Whether a type checker has settings in a project, or is run by pre-commit or a command."""
    if tools.has(*CHECKER_FILES) or any(tools.toml(name) is not None for name in _TABLES):
        return True
    return tools.ini("mypy", "setup.cfg", "tox.ini") is not None or not _PROGRAMS.isdisjoint(
        (*tools.hooks, *tools.commands)
    )
