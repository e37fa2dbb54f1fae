"""What somebody sees who runs flake8 with the plugin installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from flake8_command import ATTENTION, Project

from regbuf_lint import __version__

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("flake8.main")

PLACE = (8, 9, "RBF001")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.write("attention.py", ATTENTION)
    return project


def test_finding_has_the_place_and_message_of_the_command_line(project: Project) -> None:
    (line,) = project.flake8("attention.py")
    assert line.place == PLACE
    (finding,) = project.regbuf_lint("attention.py")
    assert finding["location"] == {"row": 8, "column": 9}
    assert finding["message"] == line.text


def test_column_counts_characters(project: Project) -> None:
    project.write("attention.py", ATTENTION.replace("self.mask = ", 'é = "漢字"; self.mask = '))
    (line,) = project.flake8("--select=RBF", "attention.py")
    assert line.place == (8, 19, "RBF001")


def test_two_jobs_find_what_one_finds(project: Project) -> None:
    for name in ("a.py", "b.py", "c.py"):
        project.write(name, ATTENTION)
    serial, parallel = project.flake8("-j1"), project.flake8("-j2")
    assert [line.path for line in serial] == ["./a.py", "./attention.py", "./b.py", "./c.py"]
    assert parallel == serial


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: RBF001", "# NOQA:RBF", "# noqa: E501, RBF001"])
def test_noqa_hides_the_finding_until_it_is_disabled(project: Project, comment: str) -> None:
    project.write("attention.py", ATTENTION.replace("(n, n))\n", f"(n, n))  {comment}\n"))
    assert project.flake8("attention.py") == []
    (line,) = project.flake8("--disable-noqa", "attention.py")
    assert line.place == PLACE


@pytest.mark.parametrize("row", ["torch.tril(", "torch.ones(n, n)", "        )"])
def test_noqa_counts_on_any_row_of_the_statement(project: Project, row: str) -> None:
    text = ATTENTION.replace("torch.tril(torch.ones(n, n))", "torch.tril(\n            torch.ones(n, n)\n        )")
    project.write("attention.py", text.replace(f"{row}\n", f"{row}  # noqa: RBF001\n", 1))
    assert project.flake8("attention.py") == []
    assert project.regbuf_lint("attention.py") == []
    (line,) = project.flake8("--disable-noqa", "attention.py")
    assert line.place == PLACE
    project.write("attention.py", text.replace(f"{row}\n", f"{row}  # noqa: RBF101\n", 1))
    (line,) = project.flake8("attention.py")
    assert line.place == PLACE


def test_noqa_for_another_code_hides_nothing(project: Project) -> None:
    project.write("attention.py", ATTENTION.replace("n))\n", "n))  # noqa: RBF101\n"))
    (line,) = project.flake8("attention.py")
    assert line.place == PLACE


@pytest.mark.parametrize(
    "comment", ["# regbuf-lint: noqa", "# regbuf-lint: noqa: RBF001", "# flake8: noqa", "# flake8: noqa: RBF001"]
)
def test_noqa_for_the_file(project: Project, comment: str) -> None:
    project.write("attention.py", f"{comment}\n{ATTENTION}")
    assert project.flake8("attention.py") == []
    (line,) = project.flake8("--disable-noqa", "attention.py")
    assert line.place == (9, 9, "RBF001")


@pytest.mark.parametrize(("codes", "left"), [("", ["F401"]), (": RBF0", ["F401"]), (": RBF1", ["F401", "RBF001"])])
def test_own_noqa_for_the_file_leaves_other_plugins_and_codes_alone(
    project: Project, codes: str, left: list[str]
) -> None:
    project.write("attention.py", f"# regbuf-lint: noqa{codes}\nimport os\n{ATTENTION}")
    assert [line.code for line in project.flake8("attention.py")] == left


def test_standard_input(project: Project) -> None:
    (line,) = project.flake8("-", stdin=f"\n{ATTENTION}")
    assert (line.path, line.place) == ("stdin", (9, 9, "RBF001"))
    (line,) = project.flake8("--stdin-display-name=pkg/new.py", "-", stdin=ATTENTION)
    assert (line.path, line.place) == ("pkg/new.py", PLACE)


def test_standard_input_counts_and_not_the_disk(project: Project) -> None:
    assert project.flake8("--stdin-display-name=attention.py", "-", stdin="x = 1\n") == []
    project.write("attention.py", "x = 1\n")
    (line,) = project.flake8("--stdin-display-name=attention.py", "-", stdin=ATTENTION)
    assert line.place == PLACE


@pytest.mark.parametrize(
    ("data", "row"),
    [
        (b"\xef\xbb\xbf" + ATTENTION.encode(), 8),
        (ATTENTION.replace("\n", "\r\n").encode(), 8),
        (f"# coding: latin-1\nx = 'é'\n{ATTENTION}".encode("latin-1"), 10),
    ],
    ids=["bom", "crlf", "latin-1"],
)
def test_files_of_all_kinds(project: Project, data: bytes, row: int) -> None:
    project.write("attention.py", data)
    (line,) = project.flake8("--select=RBF", "attention.py")
    assert line.place == (row, 9, "RBF001")


def test_syntax_error_is_reported_once_by_flake8(project: Project) -> None:
    project.write("attention.py", "import torch\nclass A(:\n")
    assert [line.code for line in project.flake8("--select=E9,F,RBF", "attention.py")] == ["E999"]


def test_table_in_pyproject_counts(project: Project) -> None:
    project.write("pyproject.toml", '[tool.regbuf-lint]\nignore = ["RBF001"]\n')
    assert project.flake8("attention.py") == []
    project.write("pyproject.toml", '[tool.regbuf-lint]\nselect = ["RBF001"]\nignore = ["RBF"]\n')
    (line,) = project.flake8("attention.py")
    assert line.place == PLACE


def test_options_of_flake8_win_over_the_table(project: Project) -> None:
    project.write("pyproject.toml", '[tool.regbuf-lint]\nignore-attributes = ["mask"]\n')
    assert project.flake8("attention.py") == []
    project.write(".flake8", "[flake8]\nrbf-ignore-attributes = other, Else.where\n")
    assert [line.code for line in project.flake8("attention.py")] == ["RBF001"]
    assert project.flake8("--rbf-ignore-attributes=Attention.mask", "attention.py") == []


@pytest.mark.parametrize("table", ['select = ["RBF101"]', 'ignore = ["RBF001"]', 'extend-ignore = ["RBF0", "RBF001"]'])
@pytest.mark.parametrize("option", ["--select=RBF001", "--extend-select=RBF001"])
def test_codes_of_flake8_win_over_those_of_the_table(project: Project, table: str, option: str) -> None:
    project.write("pyproject.toml", f"[tool.regbuf-lint]\n{table}\n")
    assert project.flake8("attention.py") == []
    (line,) = project.flake8(option, "attention.py")
    assert line.place == PLACE


def test_configured_classes_and_functions(project: Project) -> None:
    text = ATTENTION.replace("from torch import nn", "from ours import Base, table").replace("nn.Module", "Base")
    text = text.replace("torch.tril(torch.ones(n, n))", "table(n)").replace("import torch\n", "")
    project.write("attention.py", text)
    assert project.flake8("attention.py") == []
    (line,) = project.flake8("--rbf-module-classes=ours.Base", "--rbf-tensor-functions=ours.table", "attention.py")
    assert line.place == (7, 9, "RBF001")


def test_unusable_table_is_one_finding_and_other_plugins_go_on(project: Project) -> None:
    project.write("pyproject.toml", '[tool.regbuf-lint]\nselct = ["RBF001"]\n')
    project.write("attention.py", f"import os\n{ATTENTION}")
    failure, unused = sorted(project.flake8("attention.py"), key=lambda line: line.code, reverse=True)
    assert unused.place == (1, 1, "F401")
    assert failure.place == (1, 1, "RBF999")
    assert "selct" in failure.text
    assert "select" in failure.text


def test_version_names_the_plugin(project: Project) -> None:
    assert f"regbuf-lint: {__version__}" in " ".join(project.run("flake8", "--version").stdout.split())
