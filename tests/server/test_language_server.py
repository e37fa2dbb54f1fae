"""The language server, run as an editor runs it and spoken to by a real client."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pygls")

from editor import applied, editing
from lsprotocol import types

from regbuf_lint.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

HEAD = "import torch\nfrom torch import nn\n\n\n"
MODULE = f"""{HEAD}class Net(nn.Module):
    def __init__(self):
        super().__init__()
        "😀"; self.mask = torch.ones(3)
        self.mean = torch.zeros(3)

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x
        return x * self.mask
"""
FIXED = MODULE.replace("self.mask = torch.ones(3)", 'self.register_buffer("mask", torch.ones(3), persistent=False)')
EVERYWHERE = types.Range(types.Position(0, 0), types.Position(99, 0))


def run(test: Coroutine[object, object, None]) -> None:
    asyncio.run(test)


def test_what_is_typed_is_checked_before_it_is_saved(tmp_path: Path) -> None:
    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open("net.py", HEAD)
            assert not (await editor.published()).diagnostics
            editor.type("net.py", "class", version=2)
            editor.type("net.py", MODULE, version=3)
            shown = await editor.published()
            assert shown.version == 3
            assert [one.code for one in shown.diagnostics] == ["RBF001", "RBF001"]
            editor.type("net.py", FIXED, version=4)
            assert [one.range.start.line for one in (await editor.published()).diagnostics] == [8]
            editor.close("net.py")
            assert not (await editor.published()).diagnostics

    run(test())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["vscode-notebook-cell:/x/nb.ipynb#W0", "git:/x/net.py?ref", "nb.ipynb"])
def test_only_what_a_user_writes_is_checked(tmp_path: Path, name: str) -> None:
    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(name, MODULE)
            editor.open("net.py", MODULE)
            assert (await editor.published()).uri == editor.uri("net.py")
            assert await editor.actions(name, EVERYWHERE) == []
            assert await editor.hover(name, 7, 20) == ""
            assert await editor.hover("net.py", 7, 20)
            editor.open("untitled:Untitled-1", MODULE)
            assert len((await editor.published()).diagnostics) == 2

    run(test())


def test_a_diagnostic_says_what_a_report_says(tmp_path: Path) -> None:
    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open("net.py", MODULE)
            mask, mean = (await editor.published()).diagnostics
            assert mask.range == types.Range(types.Position(7, 14), types.Position(7, 23))
            assert mask.severity is types.DiagnosticSeverity.Error
            assert mask.source == "regbuf-lint"
            assert mask.message.startswith("`Net.mask` is a plain tensor: ")
            assert "\nhelp: register it: " in mask.message
            assert mask.code_description is not None
            assert mask.code_description.href == next(one.meta.url for one in RULES if one.meta.code == "RBF001")
            assert mean.related_information is not None
            told = {(one.location.uri, one.location.range.start.line) for one in mean.related_information}
            assert told == {(editor.uri("net.py"), 11)}

    run(test())


def test_evidence_in_another_file_leads_there(tmp_path: Path) -> None:
    base = "class Base(nn.Module):\n    def forward(self, x):\n        return x * self.mask\n"
    (tmp_path / "base.py").write_text(HEAD + base)
    built = "    def __init__(self):\n        super().__init__()\n        self.mask = torch.ones(3)\n"
    text = f"import torch\nfrom base import Base\n\n\nclass Net(Base):\n{built}"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open("net.py", text)
            (mask,) = (await editor.published()).diagnostics
            assert mask.related_information
            place = mask.related_information[0].location
            assert (place.uri, place.range.start) == (editor.uri("base.py"), types.Position(6, 15))

    run(test())


def test_fixes_are_code_actions(tmp_path: Path) -> None:
    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open("net.py", MODULE)
            await editor.published()
            on_mask = types.Range(types.Position(7, 20), types.Position(7, 20))
            (fix, everything) = await editor.actions("net.py", on_mask)
            assert (fix.kind, fix.is_preferred) == (types.CodeActionKind.QuickFix, True)
            assert applied(MODULE, fix.edit) == FIXED
            assert everything.kind == "source.fixAll.regbuf-lint"
            on_mean = types.Range(types.Position(8, 0), types.Position(8, 0))
            (unsafe,) = await editor.actions("net.py", on_mean, [types.CodeActionKind.QuickFix])
            assert unsafe.title.endswith(" (needs a look)")
            assert not unsafe.is_preferred
            assert await editor.actions("net.py", types.Range(types.Position(0, 0), types.Position(2, 0))) == []

    run(test())


@pytest.mark.parametrize(
    "kind", [types.CodeActionKind.SourceFixAll, "source.fixAll.regbuf-lint", types.CodeActionKind.Source]
)
def test_fix_on_save_makes_safe_fixes_alone(tmp_path: Path, kind: types.CodeActionKind | str) -> None:
    async def test() -> None:
        async with editing(tmp_path) as editor:
            options = editor.capabilities.code_action_provider
            assert isinstance(options, types.CodeActionOptions)
            assert types.CodeActionKind.SourceFixAll in (options.code_action_kinds or ())
            editor.open("net.py", MODULE)
            (action,) = await editor.actions("net.py", EVERYWHERE, [kind])
            assert applied(MODULE, action.edit) == FIXED
            editor.type("net.py", FIXED, version=2)
            assert await editor.actions("net.py", EVERYWHERE, [kind]) == []

    run(test())


def test_hover_says_why(tmp_path: Path) -> None:
    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open("net.py", MODULE)
            shown = await editor.hover("net.py", 12, 25)
            assert shown.startswith("`Net.mask` holds a floating-point tensor\n\n**RBF001**: `Net.mask` is a plain")
            assert "- line 8: `__init__` assigns it: a floating-point tensor" in shown
            assert await editor.hover("net.py", 12, 15) == ""
            assert await editor.hover("net.py", 0, 3) == ""

    run(test())


IMPORTING = MODULE.replace("class Net(nn.Module)", "class Net(Base)").replace(HEAD, f"from base import Base\n{HEAD}")


def test_what_is_not_saved_counts_for_other_documents(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("class Base: ...\n")

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open("base.py", f"{HEAD}class Base(nn.Module): ...\n")
            await editor.published()
            editor.open("net.py", IMPORTING)
            assert len((await editor.published()).diagnostics) == 2
            editor.close("base.py")
            await editor.published()
            editor.type("net.py", f"{IMPORTING}# changed\n", version=2)
            assert not (await editor.published()).diagnostics

    run(test())


def test_a_save_of_one_file_checks_the_others(tmp_path: Path) -> None:
    base = tmp_path / "base.py"
    base.write_text("class Base: ...\n")

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open("net.py", IMPORTING)
            assert not (await editor.published()).diagnostics
            base.write_text(f"{HEAD}class Base(nn.Module): ...\n")
            editor.save("base.py")
            assert len((await editor.published()).diagnostics) == 2
            assert editor.watched == []

    run(test())


def test_an_editor_that_watches_files_says_when_to_read_them_anew(tmp_path: Path) -> None:
    base = tmp_path / "base.py"
    base.write_text("class Base: ...\n")

    async def test() -> None:
        async with editing(tmp_path, watches=True) as editor:
            editor.open("net.py", IMPORTING)
            assert not (await editor.published()).diagnostics
            assert editor.watched == ["workspace/didChangeWatchedFiles"]
            base.write_text(f"{HEAD}class Base(nn.Module): ...\n")
            editor.save("net.py")
            assert not (await editor.published()).diagnostics
            editor.tell_of_change("base.py")
            assert len((await editor.published()).diagnostics) == 2

    run(test())


@pytest.mark.parametrize("name", ["b c.py", "é.py", "100%.py", "a%20b.py"])
def test_a_save_checks_a_file_of_any_name_under_its_own_address(tmp_path: Path, name: str) -> None:
    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(name, MODULE)
            assert len((await editor.published()).diagnostics) == 2
            (tmp_path / "pyproject.toml").write_text('[tool.regbuf-lint]\nignore = ["RBF001"]\n', encoding="utf-8")
            editor.save(name)
            shown = await editor.published()
            assert (shown.uri, [*shown.diagnostics]) == (editor.uri(name), [])

    run(test())


@pytest.mark.parametrize("name", ["net.py", "b c.py"])
def test_a_change_of_an_open_file_on_the_disk_is_none(tmp_path: Path, name: str) -> None:
    async def test() -> None:
        async with editing(tmp_path, watches=True) as editor:
            editor.open(name, MODULE)
            await editor.published()
            editor.tell_of_change(name)
            editor.open("untitled:Untitled-1", HEAD)
            assert (await editor.published()).uri == "untitled:Untitled-1"

    run(test())


def test_settings_count_and_a_wrong_one_is_shown_once(tmp_path: Path) -> None:
    settings = tmp_path / "pyproject.toml"
    settings.write_text('[tool.regbuf-lint]\nexclude = ["vendor"]\nignore-attributes = ["mean"]\n')

    async def test() -> None:
        async with editing(tmp_path, "--select", "RBF001") as editor:
            editor.open("net.py", MODULE)
            assert len((await editor.published()).diagnostics) == 1
            editor.open("vendor/net.py", MODULE)
            assert not (await editor.published()).diagnostics
            editor.close("vendor/net.py")
            await editor.published()
            settings.write_text("[tool.regbuf-lint]\nselct = []\n")
            for version in (2, 3):
                editor.type("net.py", f"{MODULE}# {version}\n", version)
                assert not (await editor.published()).diagnostics
            (message,) = editor.messages
            assert "selct" in message

    run(test())


def test_rows_end_where_python_ends_them(tmp_path: Path) -> None:
    text = MODULE.replace("\n\n\n", "\n\x0c\n# \u2028 \x0b\r\n", 1)

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open("net.py", text)
            lines = [one.range.start.line for one in (await editor.published()).diagnostics]
            assert lines == [7, 8]

    run(test())


def test_without_its_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError(name='pygls')\n")
    (tmp_path / "lsprotocol.py").write_text("raise ModuleNotFoundError(name='lsprotocol')\n")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from regbuf_lint.cli.main import main; sys.exit(main(['server']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "pip install 'regbuf-lint[lsp]'" in done.stderr
