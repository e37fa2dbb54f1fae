"""Reports that a server reads name files as its checkout has them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.cli.main import main
from regbuf_lint.report.checkout_paths import VARIABLES
from small_files import PLAIN_TENSOR_AND_LOST_BUFFER

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


def paths_of(text: str, output_format: str) -> list[str]:
    if output_format == "sarif":
        results = json.loads(text)["runs"][0]["results"]
        places = [place for one in results for place in (*one["locations"], *one.get("relatedLocations", ()))]
        return [place["physicalLocation"]["artifactLocation"]["uri"] for place in places]
    if output_format == "gitlab":
        issues = json.loads(text)
        places = [place for one in issues for place in (one["location"], *one.get("other_locations", ()))]
        return [place["path"] for place in places]
    return re.findall(r"file=([^,:]*)", text)


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a project in a directory of its own, from which the linter starts, and a file outside."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("checkout/a.py", "checkout/sub/b.py", "outside/c.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PLAIN_TENSOR_AND_LOST_BUFFER, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "checkout" / "sub")
    return tmp_path / "checkout"


@pytest.mark.parametrize("output_format", ["github", "gitlab", "sarif"])
@pytest.mark.parametrize("variable", VARIABLES)
def test_paths_are_those_of_the_checkout(
    variable: str, output_format: str, checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv(variable, str(checkout))
    assert main(["--no-cache", "--output-format", output_format, "../a.py", "b.py", str(checkout / "sub")]) == 1
    assert list(dict.fromkeys(paths_of(capsys.readouterr().out, output_format))) == ["a.py", "sub/b.py"]


@pytest.mark.parametrize("output_format", ["github", "gitlab", "sarif"])
def test_paths_outside_of_it_and_of_no_job_stay(
    output_format: str, checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    arguments = ["--no-cache", "--output-format", output_format, "b.py", "../../outside/c.py"]
    main(arguments)
    assert set(paths_of(capsys.readouterr().out, output_format)) == {"b.py", "../../outside/c.py"}
    monkeypatch.setenv(VARIABLES[0], str(checkout))
    main(arguments)
    assert set(paths_of(capsys.readouterr().out, output_format)) == {"sub/b.py", "../../outside/c.py"}


def test_a_checkout_may_be_a_link(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "link").symlink_to(checkout)
    monkeypatch.setenv(VARIABLES[0], str(tmp_path / "link"))
    main(["--no-cache", "--output-format", "github", "b.py"])
    assert set(paths_of(capsys.readouterr().out, "github")) == {"sub/b.py"}


def test_errors_of_files_and_other_formats(checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv(VARIABLES[0], str(checkout))
    assert main(["--no-cache", "--output-format", "github", "gone.py"]) == 2
    assert paths_of(capsys.readouterr().out, "github") == ["sub/gone.py"]
    main(["--no-cache", "--output-format", "json", "b.py"])
    assert {one["filename"] for one in json.loads(capsys.readouterr().out)} == {"b.py"}
