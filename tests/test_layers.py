"""The architecture as a test: who may import whom, and where parsers and torch may appear."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "regbuf_lint"

CHAIN = (
    *("model", "source", "index", "torch_facts", "classes", "infer", "placement", "rewrite", "class_context"),
    *("exemptions", "fixes", "findings", "rules", "cache", "engine"),
)
ALLOWED: dict[str, frozenset[str]] = {
    **{layer: frozenset(CHAIN[: place + 1]) for place, layer in enumerate(CHAIN)},
    "report": frozenset({"model", "report"}),
    "cli": frozenset({*CHAIN, "report", "server", "cli"}),
    "flake8_plugin": frozenset({*CHAIN, "flake8_plugin"}),
    "server": frozenset({"server"}),
    "verify": frozenset({"verify"}),
}
"""For each layer, the layers that it may import."""

RESTRICTED: dict[str, frozenset[str]] = {
    "ast": frozenset({"index", "classes", "infer", "placement", "flake8_plugin", "verify"}),
    "libcst": frozenset({"rewrite"}),
    "torch": frozenset({"verify"}),
    "flake8": frozenset({"flake8_plugin"}),
    "pygls": frozenset({"server"}),
    "lsprotocol": frozenset({"server"}),
}
"""Packages that only some layers may import."""

MOST_LINES = 500
FRONT_DOOR = {
    "__init__": frozenset[str](),
    "__main__": frozenset({"cli"}),
    "api": frozenset({*CHAIN, "report"}),
}
"""Files directly below the package, and the layers that they may import."""


def python_files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def layer_of(path: Path) -> str | None:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


def imported_names(path: Path, text: str) -> list[tuple[int, str]]:
    """Row and absolute dotted name of everything that a file imports, wherever in the file it does so."""
    package = path.relative_to(PACKAGE.parent).with_suffix("").parts[:-1]
    names: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*start, *([node.module] if node.module else [])))
            names += [(node.lineno, f"{base}.{alias.name}") for alias in node.names]
    return names


def violations(path: Path, text: str) -> list[str]:
    """What a file imports though its layer must not."""
    layer = layer_of(path)
    allowed = FRONT_DOOR[path.stem] if layer is None else ALLOWED[layer]
    found = []
    for row, name in imported_names(path, text):
        parts = name.split(".")
        where = f"{path.relative_to(PACKAGE.parent)}:{row}"
        if parts[0] == PACKAGE.name and len(parts) > 1:
            target = parts[1]
            if target in ALLOWED and target not in allowed:
                found.append(f"{where}: {layer} imports {target}")
        elif parts[0] in RESTRICTED and layer not in RESTRICTED[parts[0]]:
            found.append(f"{where}: {layer} imports {parts[0]}")
    return found


ASKS_THE_DISK = {
    "source/disk_questions.py": "notes what is asked",
    "source/overlay.py": "where files are checked, which no kept run has done, and for `validity.py`, which noted them",
    "source/discovery.py": "of paths that it notes",
    "source/environment.py": "of places that it notes, and of what it has listed",
    "source/exclusion.py": "of paths that were named, which discovery notes",
    "source/nearest_settings.py": "of paths that were named, which discovery notes",
    "source/atomic_write.py": "before it writes",
    "cache/replay.py": "whether the answers are still the same, and for `states.py`, which notes the paths",
    "cache/key.py": "of the linter itself, which each record counts",
    "cache/kept_runs.py": "of its own records",
    "cache/folder.py": "of the cache itself",
}
"""Files that ask the disk what Python tells nobody, and why no run that is printed again can miss it."""


def asks_the_disk(text: str) -> bool:
    """Whether a file asks for the state of paths without opening files or listing directories."""
    asking = {"exists", "lexists", "isfile", "isdir", "is_file", "is_dir", "is_symlink", "stat", "lstat"}
    calls = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return any(
        isinstance(one, ast.Attribute) and one.attr in asking and ast.unparse(one.value) != "entry" for one in calls
    )


def test_what_a_run_asks_the_disk_is_noted() -> None:
    asking = {
        path.relative_to(PACKAGE).as_posix()
        for path in python_files()
        if layer_of(path) in {"source", "index", "cache"} and asks_the_disk(path.read_text(encoding="utf-8"))
    }
    assert asking == set(ASKS_THE_DISK)


def test_every_layer_is_known() -> None:
    layers = {layer_of(path) for path in python_files()} - {None}
    assert layers <= set(ALLOWED), "give the new package its place in the chain"
    assert set(CHAIN) <= layers, "a layer of the chain has gone"
    assert {path.stem for path in PACKAGE.glob("*.py")} <= set(FRONT_DOOR)


def test_imports_go_one_way() -> None:
    assert [one for path in python_files() for one in violations(path, path.read_text(encoding="utf-8"))] == []


def test_files_stay_small() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}
    assert {path: size for path, size in sizes.items() if size > MOST_LINES} == {}


def test_files_are_named_for_what_they_hold() -> None:
    assert [path for path in python_files() if path.stem in {"utils", "util", "helpers", "misc"}] == []


@pytest.mark.parametrize(
    ("where", "text", "expected"),
    [
        ("model/span.py", "import ast", "model imports ast"),
        ("rules/rbf001.py", "from libcst import parse_module", "rules imports libcst"),
        ("index/project.py", "from regbuf_lint.engine import run", "index imports engine"),
        ("index/project.py", "from regbuf_lint import engine", "index imports engine"),
        ("index/project.py", "from ..engine.run import check_files", "index imports engine"),
        ("index/project.py", "from .. import engine", "index imports engine"),
        ("report/full.py", "import regbuf_lint.source.text", "report imports source"),
        ("infer/table.py", "def f():\n    import torch.nn", "infer imports torch"),
        ("cli/main.py", "from regbuf_lint.flake8_plugin import Plugin", "cli imports flake8_plugin"),
        ("server/hover.py", "from regbuf_lint.engine.explaining import explain", "server imports engine"),
        ("__init__.py", "from regbuf_lint.cli import main", "None imports cli"),
    ],
)
def test_a_wrong_import_is_seen(where: str, text: str, expected: str) -> None:
    (message,) = violations(PACKAGE / where, text)
    assert message.endswith(expected)


def test_a_right_import_is_not_reported() -> None:
    text = "from regbuf_lint import __version__\nfrom ..model.span import Span\nfrom .names import x\nimport ast\n"
    assert violations(PACKAGE / "index" / "project.py", text) == []
