"""The line length and the quotation mark of the tool that formats a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.model.settings import Brackets
from regbuf_lint.source.code_style import CodeStyle, code_style
from regbuf_lint.source.project_tools import ProjectTools
from regbuf_lint.source.settings import load_settings


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def style(**files: str) -> CodeStyle:
    """That of a project with files; ``__`` stands for a dot in their names, ``_`` for a hyphen."""
    for name, text in files.items():
        write(name.replace("__", ".").replace("_", "-"), text)
    return code_style(ProjectTools(Path()))


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


DOUBLE, ANY = '"', ""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", "", (0, ANY)),
        ("pyproject.toml", "[tool.black]\n", (88, DOUBLE)),
        ("pyproject.toml", "[tool.black]\nline-length = 100\n", (100, DOUBLE)),
        ("pyproject.toml", "[tool.black]\nline_length = 100\nskip_string_normalization = true\n", (100, ANY)),
        ("pyproject.toml", "[tool.black]\nline-length = 'x'\n", (88, DOUBLE)),
        ("pyproject.toml", "[tool.ruff]\nline-length = 110\n", (110, ANY)),
        ("pyproject.toml", "[tool.ruff.lint]\nselect = []\n", (0, ANY)),
        ("pyproject.toml", "[tool.ruff]\nline-length = 110\n[tool.ruff.format]\n", (110, DOUBLE)),
        ("pyproject.toml", "[tool.ruff.format]\nquote-style = 'single'\n", (88, "'")),
        ("pyproject.toml", "[tool.ruff.format]\nquote-style = 'preserve'\n", (88, ANY)),
        ("ruff.toml", "line-length = 120\n[format]\nquote-style = 'single'\n", (120, "'")),
        (".ruff.toml", "line-length = 120\n", (120, ANY)),
        ("pyproject.toml", "[tool.yapf]\nbased_on_style = 'google'\n", (80, ANY, Brackets.ALIGNED)),
        (
            "pyproject.toml",
            "[tool.yapf]\nbased_on_style = 'google'\ncolumn_limit = 120\ndedent_closing_brackets = true\n",
            (120, ANY, Brackets.DEDENTED),
        ),
        (".style.yapf", "[style]\nbased_on_style = pep8\n", (79, ANY, Brackets.ALIGNED)),
        (".style.yapf", "[style]\nCOLUMN_LIMIT = 100\n", (100, ANY, Brackets.ALIGNED)),
        (
            "setup.cfg",
            "[yapf]\nBASED_ON_STYLE = pep8\nSPLIT_BEFORE_EXPRESSION_AFTER_OPENING_PAREN = true\n",
            (79, ANY, Brackets.HANGING),
        ),
        ("setup.cfg", "[yapf]\nbased_on_style = facebook\n", (80, ANY)),
        ("setup.cfg", "[flake8]\nmax-line-length = 100  # as wide as the screen\n", (100, ANY)),
        ("tox.ini", "[pycodestyle]\nmax_line_length = 99\n", (99, ANY)),
        (".flake8", "[flake8]\nmax-line-length = 79\n", (79, ANY)),
        (".flake8", "[flake8]\nmax-line-length = 500\n", (120, ANY)),
    ],
)
def test_settings_of_one_tool(name: str, text: str, expected: tuple[int, str, Brackets] | tuple[int, str]) -> None:
    write(name, text)
    assert style() == CodeStyle(*expected)


HOOK = """repos:
- repo: https://github.com/pycqa/isort
  rev: 5.12.0
  hooks:
    - id: isort
      args: [-l, "70"]
- repo: https://github.com/psf/black
  rev: 23.1.0
  hooks:
    - id: {id}
      {args}
- repo: https://github.com/pycqa/flake8
  hooks:
    - id: flake8
      args: [--max-line-length=140]
"""


@pytest.mark.parametrize(
    ("hook", "args", "expected"),
    [
        ("black", "language_version: python3", (88, DOUBLE)),
        ("black", "args: [--line-length=100]", (100, DOUBLE)),
        ("black", "args: ['--line-length', '100']", (100, DOUBLE)),
        ("black", 'args: ["-l", "100", "-S"]', (100, ANY)),
        ("black", 'args: ["-l 100"]', (100, DOUBLE)),
        ("black", "args:\n        - -l\n        - '100'\n        - --skip-string-normalization", (100, ANY)),
        ("black-jupyter", "args: [  # as wide as the screen\n        -l100,\n      ]", (100, DOUBLE)),
        ("black", "# args: [-l 100]", (88, DOUBLE)),
        ("ruff-format", "args: [--line-length=101]", (101, DOUBLE)),
        ("ruff-format", "args: [--quote-style=single, --line-length=88]", (88, "'")),
        ("ruff-format", "args: [--config, \"format.quote-style='preserve'\"]", (88, ANY)),
        ("yapf", "args: ['--style', '{{based_on_style: google, column_limit: 102}}']", (102, ANY, Brackets.ALIGNED)),
        ("yapf", "args: ['--style={{based_on_style: google}}']", (80, ANY, Brackets.ALIGNED)),
        ("yapf", "args: [--style=google, -i]", (80, ANY, Brackets.ALIGNED)),
        ("something", "args: [-l 100]", (120, ANY)),
    ],
)
def test_what_pre_commit_runs(hook: str, args: str, expected: tuple[int, str, Brackets] | tuple[int, str]) -> None:
    write(".pre-commit-config.yaml", HOOK.format(id=hook, args=args))
    assert style() == CodeStyle(*expected)


def test_a_hook_may_have_its_name_first() -> None:
    write(
        ".pre-commit-config.yaml",
        "repos:\n- repo: local\n  hooks:\n  - name: format\n    id: black\n    args: [-l 99]\n",
    )
    assert style().line_length == 99


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Makefile", "style:\n\tblack -l 100 src\n", (100, DOUBLE)),
        ("Makefile", "style:\n\t@$(PYTHON) -m black --line-length 100 $(SOURCES)\n", (100, DOUBLE)),
        ("Makefile", "style:\n\t.venv/bin/black \\\n\t  --line-length=100 \\\n\t  -S src\n", (100, ANY)),
        ("Makefile", "style:\n\tisort -l 70 src && black src && flake8 --max-line-length 99\n", (88, DOUBLE)),
        ("Makefile", "lint:\n\tflake8 src --max-line-length=99\n", (99, ANY)),
        ("Makefile", "lint:\n\tflake8 src --exit-zero --max-line-length=127\n", (0, ANY)),
        ("Makefile", "# black -l 100\n", (0, ANY)),
        (
            "tox.ini",
            "[testenv]\ndeps =\n    black\ncommands =\n    black --line-length 100 {posargs:src}\n",
            (100, DOUBLE),
        ),
        ("tox.ini", "[testenv]\ndeps =\n    black\n", (0, ANY)),
        ("setup.cfg", "[alias]\nstyle = black -l 100 .\n", (100, DOUBLE)),
        ("pyproject.toml", "[tool.hatch.envs.lint.scripts]\nfmt = ['black -l 100 .']\n", (100, DOUBLE)),
        ("pyproject.toml", "[project]\ndescription = 'bold and black letters'\n", (0, ANY)),
        ("pyproject.toml", "[tool.poetry.dev-dependencies]\nblack = '>=22'\n", (0, ANY)),
        (".github/workflows/lint.yml", "steps:\n  - run: black --check -l 100 .\n", (100, DOUBLE)),
        (
            ".github/workflows/lint.yml",
            "steps:\n  - run: |\n      uv run ruff format --line-length 100\n",
            (100, DOUBLE),
        ),
        ("justfile", "fmt:\n  uv run ruff format\n", (88, DOUBLE)),
        ("format.sh", "yapf --style google -i -r src\n", (80, ANY, Brackets.ALIGNED)),
    ],
)
def test_what_commands_run(name: str, text: str, expected: tuple[int, str, Brackets] | tuple[int, str]) -> None:
    write(name, text)
    assert style() == CodeStyle(*expected)


BLACK = "[tool.black]\nline-length = 100\n"
RUFF = "[tool.ruff]\nline-length = 110\n"
HOOKS = "repos:\n- repo: r\n  hooks:\n  - id: {}\n"


@pytest.mark.parametrize(
    ("files", "length"),
    [
        ({"pyproject__toml": BLACK + RUFF}, 100),
        ({"pyproject__toml": BLACK + RUFF + "[tool.ruff.format]\n"}, 110),
        ({"pyproject__toml": BLACK + RUFF, "__pre_commit_config__yaml": HOOKS.format("ruff-format")}, 110),
        ({"pyproject__toml": RUFF, "__pre_commit_config__yaml": HOOKS.format("black")}, 88),
        ({"pyproject__toml": BLACK, "__pre_commit_config__yaml": HOOKS.format("black")}, 100),
        ({"pyproject__toml": BLACK, "Makefile": "a:\n\tblack -l 90 .\n"}, 90),
        ({"pyproject__toml": BLACK + RUFF, "Makefile": "a:\n\truff format .\n"}, 110),
        (
            {
                "pyproject__toml": RUFF,
                "__pre_commit_config__yaml": HOOKS.format("black"),
                "Makefile": "a:\n\truff format .\n",
            },
            110,
        ),
        ({"pyproject__toml": BLACK, "dev/linter__sh": "black -l 90 .\n"}, 90),
        ({"pyproject__toml": BLACK, "__style__yapf": "[style]\n", "Makefile": "a:\n\tyapf -i .\n"}, 79),
        ({"pyproject__toml": BLACK, "setup__cfg": "[flake8]\nmax-line-length = 79\n"}, 100),
        ({"pyproject__toml": RUFF, "setup__cfg": "[flake8]\nmax-line-length = 79\n"}, 110),
        ({"pyproject__toml": "[tool.ruff]\n", "setup__cfg": "[flake8]\nmax-line-length = 79\n"}, 79),
        (
            {
                "pyproject__toml": BLACK,
                "black__toml": "line-length = 70\n",
                "Makefile": "a:\n\tblack --config black.toml .\n",
            },
            70,
        ),
        ({"ruff__toml": "extend = 'base.toml'\n", "base__toml": "line-length = 77\n"}, 77),
    ],
)
def test_the_tool_that_formats_counts(files: dict[str, str], length: int) -> None:
    assert style(**files).line_length == length


@pytest.mark.parametrize(
    "files",
    [
        {"ruff__toml": "line-length = ", "setup__cfg": "[flake8]\nmax-line-length = 100\n"},
        {"ruff__toml": "extend = 'ruff.toml'\n", "setup__cfg": "[flake8]\nmax-line-length = 100\n"},
        {"tox__ini": "no section\n[flake8\n", "__flake8": "[flake8]\nmax-line-length = 100\n"},
        {"pyproject__toml": "[tool]\nblack = 3\nruff = [1]\nyapf = 'x'\n", "__flake8": "[flake8]\nmax-line-length=100"},
        {"__style__yapf": "\0", "Makefile": "\0\n\tblack -l 100 .\n"},
        {"pyproject__toml": "tool = 3", "__pre_commit_config__yaml": ": [ - id:\n  - id: black\n    args: {-l: 100"},
    ],
)
def test_what_is_broken_is_passed_over(files: dict[str, str]) -> None:
    assert style(**files).line_length == 100


def test_directories_and_bytes_in_the_place_of_files() -> None:
    for name in ("Makefile", "ruff.toml", "setup.cfg"):
        Path(name).mkdir()
    Path("tox.ini").write_bytes(b"[flake8]\nmax-line-length = 100\n\xff")
    Path(".flake8").write_text("[flake8]\nmax-line-length = 90\n")
    assert style() == CodeStyle(90)


def test_the_files_of_directories_above_count_as_far_as_the_repository_reaches(root: Path) -> None:
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (root / ".ruff.toml").write_text("line-length = 99\n")
    assert code_style(ProjectTools(inner)).line_length == 99
    (root / "a" / "pyproject.toml").write_text(RUFF)
    assert code_style(ProjectTools(inner)).line_length == 110
    (inner / ".git").mkdir()
    assert code_style(ProjectTools(inner)) == CodeStyle(0)


def test_without_a_repository_the_project_ends_at_its_settings(root: Path) -> None:
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (root / ".git").rmdir()
    (root / ".ruff.toml").write_text("line-length = 99\n")
    (root / "a" / "pyproject.toml").write_text(RUFF)
    assert code_style(ProjectTools(inner)).line_length == 110
    (root / "a" / "pyproject.toml").unlink()
    assert code_style(ProjectTools(inner)) == CodeStyle(0)


def test_own_settings_count_first() -> None:
    write("pyproject.toml", "[tool.regbuf-lint]\nline-length = 70\n" + BLACK)
    found = load_settings(Path(), None, isolated=False, overrides={})
    assert (found.line_length, found.quote) == (70, '"')
    found = load_settings(Path(), None, isolated=True, overrides={})
    assert (found.line_length, found.quote) == (88, "")
