"""Every example of the README and of the pages under ``docs/`` does what the page says."""

from __future__ import annotations

import ast
import configparser
import importlib
import io
import json
import re
import shlex
from contextlib import redirect_stdout
from importlib.util import find_spec
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
from doc_pages import ROOT, Block, blocks, fences, pages
from doc_stage import Stage

import regbuf_lint
from regbuf_lint.cli.arguments import parse_arguments
from regbuf_lint.flake8_plugin.options import add_options
from regbuf_lint.rules import RULES
from regbuf_lint.source.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD = "import torch\nfrom torch import Tensor, nn\n\n\n"
COMMANDS = ("regbuf-lint", "regbuf-verify", "flake8", "pytest", "pip", "pre-commit")
RUN_ELSEWHERE = ("main command", "test command")
"""The README's own: ``tests/integrations/test_newcomer.py`` and ``.ci/run`` run them."""

each_page = pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)


def needs_torch(block: Block) -> bool:
    return block.is_marked("needs torch")


class PageRun:
    """The blocks of one page, run in their order in a project of their own."""

    def __init__(self, directory: Path) -> None:
        self.stage = Stage(directory)
        self.names: dict[str, object] = {}
        self.printed = ""
        self.linted = ""
        self.outputs: dict[str, str] = {}
        self.executed: list[Block] = []

    def run(self, block: Block) -> None:
        kind: Callable[[Block], None] = getattr(self, f"run_{block.language.replace('-', '_')}")
        kind(block)

    def run_sh(self, block: Block) -> None:
        for line in commands_in(block.text):
            self.command(line)

    def command(self, line: str) -> None:
        words = line.split()
        assert words[0] in COMMANDS, f"what runs `{line}`?"
        if words[:2] == ["pip", "install"]:
            check_extras(line)
        if words[0] == "flake8" and find_spec("flake8") is None:
            return
        code, out, err = self.stage.run(line)
        assert code in {0, 1}, f"{line}\n{out}{err}"
        assert "Traceback" not in err, err
        self.outputs[line] = out

    def output(self, block: Block) -> None:
        """Compare a block with what a command prints, or has printed right above."""
        if block.argument not in self.outputs:
            self.command(block.argument)
        printed = self.outputs.pop(block.argument)
        shown = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
        if block.is_marked("part of the output of"):
            assert block.text in shown
        else:
            assert block.text == shown

    def run_text(self, block: Block) -> None:
        """What the Python code above has printed, or a command prints."""
        if block.marker:
            self.output(block)
            return
        if not any(needs_torch(one) for one in self.executed) or find_spec("torch"):
            assert block.text == self.printed
        self.printed = ""
        self.executed = []

    run_diff = output

    def run_python(self, block: Block) -> None:
        self.executed.append(block)
        if block.is_marked("linted"):
            self.linted = HEAD + block.text
            expected = [] if block.argument == "nothing" else re.split(r",\s*", block.argument)
            found = regbuf_lint.check_source(
                self.linted, options={"select": ["ALL"], "ignore": ["RBF202"]}, isolated=True
            )
            assert [finding.code for finding in found.findings] == expected
        elif block.marker.startswith("fixed by "):
            unsafe = "--unsafe-fixes" in block.marker
            assert regbuf_lint.fix_source(self.linted, unsafe=unsafe, isolated=True).text == HEAD + block.text
        elif not needs_torch(block) or find_spec("torch"):
            self.execute(block)

    def execute(self, block: Block) -> None:
        """Execute code, or only lint it where it needs torch by itself."""
        code = compile(block.text, f"block at row {block.row}", "exec")
        if imports_torch(block.text) and not needs_torch(block):
            assert not regbuf_lint.check_source(block.text, isolated=True).findings
            return
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(code, self.names)  # noqa: S102  our own page
        self.printed += printed.getvalue()

    def run_toml(self, block: Block) -> None:
        """Read settings as the linter does, and as another tool's table where there are none."""
        if block.is_marked("file"):
            (self.stage.directory / block.argument).write_text(block.text, encoding="utf-8")
            return
        is_own = not re.search(r"^\[", block.text, re.MULTILINE)
        path = self.stage.directory / "block" / ("regbuf-lint.toml" if is_own else "pyproject.toml")
        path.parent.joinpath(".venv", "lib", "python3.12", "site-packages").mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        load_settings(path.parent, path, isolated=False, overrides={}, known_codes=codes)
        for command, words in re.findall(r'^command = "(regbuf-lint)"\nargs = \[(.*)\]$', block.text, re.MULTILINE):
            check_server_command([command, *(word.strip().strip('"') for word in words.split(","))])

    def run_ini(self, block: Block) -> None:
        parser = configparser.ConfigParser()
        parser.read_string(block.text)
        ours = {key for name in parser.sections() for key in parser[name] if key.startswith("rbf-")}
        assert ours <= set(Flake8Options().names)
        for line in (line for name in parser.sections() for line in commands_in(parser[name].get("commands", ""))):
            self.command(line)

    def run_json(self, block: Block) -> None:
        tree = json.loads(block.text)
        if isinstance(tree, dict) and "glspc.server.command" in tree:
            check_server_command([tree["glspc.server.command"], *tree["glspc.server.commandArguments"]])
            for kind in tree["[python]"]["editor.codeActionsOnSave"]:
                check_fix_kind(kind)

    def run_console(self, block: Block) -> None:
        """Commands that do not end by themselves, and what they would show: the command is one that exists."""
        for line in block.text.splitlines():
            check_server_command(shlex.split(line.removeprefix("$ ")))

    def run_lua(self, block: Block) -> None:
        for words in re.findall(r"cmd = \{(.*)\}", block.text):
            check_server_command([word.strip().strip('"') for word in words.split(",")])
        for kind in re.findall(r'"(source\.[^"]+)"', block.text):
            check_fix_kind(kind)

    def run_lisp(self, block: Block) -> None:
        check_server_command(re.findall(r'"([\w-]+)"', block.text))

    def run_yaml(self, block: Block) -> None:
        yaml = pytest.importorskip("yaml")
        self.follow(yaml.safe_load(dedent(block.text)))

    def follow(self, tree: Any) -> None:
        """Run commands in a configuration of a CI service, and check hooks and actions of ours."""
        if isinstance(tree, list):
            for one in tree:
                self.follow(one)
        elif isinstance(tree, dict):
            check_hook(tree, self)
            check_action(tree)
            for key, value in tree.items():
                if key in {"run", "script"}:
                    for line in commands_in(value if isinstance(value, str) else "\n".join(value)):
                        self.command(line)
                else:
                    self.follow(value)


class Flake8Options:
    """The options that the plugin declares."""

    def __init__(self) -> None:
        self.names: list[str] = []
        add_options(self)

    def add_option(self, *names: str, **_settings: object) -> None:
        self.names += [name.removeprefix("--") for name in names]


def codes() -> dict[str, str]:
    return {rule.meta.code: rule.meta.name for rule in RULES}


def imports_torch(text: str) -> bool:
    """Whether code imports torch by itself, and not in a string."""
    imports = (node for node in ast.parse(text).body if isinstance(node, ast.Import))
    return any(alias.name == "torch" for node in imports for alias in node.names)


def commands_in(text: str) -> list[str]:
    """The command lines of a text, without comments and blank lines."""
    lines = (re.sub(r"\s+#\s.*$", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def check_extras(line: str) -> None:
    """What is installed with extras has them."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extras in re.findall(r"regbuf-lint\[([\w,]+)\]", line):
        for extra in extras.split(","):
            assert re.search(rf"^{extra} = \[", text, re.MULTILINE), extra


def check_server_command(words: list[str]) -> None:
    """What an editor is to start is the language server."""
    assert words[0] == "regbuf-lint"
    assert parse_arguments(words[1:]).server


def check_fix_kind(kind: str) -> None:
    """What an editor is to ask for is what the server offers."""
    pytest.importorskip("pygls")
    actions = importlib.import_module("regbuf_lint.server.actions")
    assert kind == actions.FIX_ALL


def check_hook(tree: dict[str, Any], run: PageRun) -> None:
    """A hook of ours exists, and takes the arguments that it is given."""
    if not str(tree.get("id", "")).startswith("regbuf-lint"):
        return
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert f"- id: {tree['id']}\n" in hooks
    run.command(" ".join(["regbuf-lint", *tree.get("args", []), "src"]))


def check_action(tree: dict[str, Any]) -> None:
    """Our action takes the inputs that it is given."""
    if not str(tree.get("uses", "")).startswith("regbuf-lint/regbuf-lint"):
        return
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(tree.get("with", {})) <= set(action["inputs"])


@each_page
def test_every_block_is_found(page: Path) -> None:
    assert len(blocks(page)) == fences(page)


@each_page
def test_examples_do_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = PageRun(tmp_path)
    monkeypatch.chdir(run.stage.directory)
    monkeypatch.syspath_prepend(run.stage.directory / "src")
    monkeypatch.setenv("PATH", run.stage.search_path)
    for block in blocks(page):
        if any(block.is_marked(kind) for kind in RUN_ELSEWHERE) or (needs_torch(block) and block.language == "sh"):
            continue
        try:
            run.run(block)
        except AssertionError as error:
            pytest.fail(f"{page.name}:{block.row}: {error}")


@pytest.mark.torch
@pytest.mark.slow
@each_page
def test_commands_that_need_torch_run(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    run = PageRun(tmp_path)
    for block in blocks(page):
        if needs_torch(block) and block.language == "sh":
            run.run_sh(block)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- linted: RBF001 -->\n```python\nx = 1\n```\n", "RBF001"),
        ("```sh\nregbuf-lint --no-such-option\n```\n", "no-such-option"),
        ("```sh\nno-such-program\n```\n", "what runs"),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "2"),
        ("```toml\n[tool.regbuf-lint]\nselct = []\n```\n", "select"),
        ("```yaml\n- id: regbuf-lint-fx\n```\n", "regbuf-lint-fx"),
        ("<!-- output of: regbuf-lint --list-rules -->\n```text\nRBF000\n```\n", "RBF000"),
    ],
)
def test_a_wrong_example_is_seen(text: str, message: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    *before, last = blocks(page)
    run = PageRun(tmp_path)
    for block in before:
        run.run(block)
    with pytest.raises((AssertionError, regbuf_lint.SettingsError), match=message):
        run.run(last)
