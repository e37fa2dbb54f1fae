"""What a cache may never do: lose a finding, fail a run, run foreign code, or remove what it has not made."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.cache.outcomes import UnusableOutcomeError, packed, unpacked
from regbuf_lint.cache.storage import Storage
from regbuf_lint.cache.validity import Validity
from regbuf_lint.cli.main import main
from regbuf_lint.engine import workers
from regbuf_lint.engine.checker import Checker
from regbuf_lint.engine.screen import Screen
from regbuf_lint.model.result import FileError
from regbuf_lint.model.settings import Settings

if TYPE_CHECKING:
    from regbuf_lint.cache.changes import Place
    from regbuf_lint.source.overlay import Overlay

LAYER = """\
import torch
from torch import nn

from pkg.base import size


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.x = torch.ones(size())

    def forward(self, y):
        return y + self.x
"""
BASE = "def size():\n    return 3\n"
LONG_AGO = 1_600_000_000


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with one finding; its files were written long ago, and the cache counts."""
    for name, text in {"__init__": "", "base": BASE, "layer": LAYER}.items():
        path = tmp_path / f"pkg/{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGBUF_LINT_NO_CACHE")
    monkeypatch.setattr("regbuf_lint.cache.states._TICK", -(10**15))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    code = main(["--isolated", "-j1", "--output-format=concise", *options, "pkg"])
    return code, capsys.readouterr().out


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are looked at from now on."""
    seen: list[str] = []
    look = Checker.first_look

    def watched(self: Checker, path: Path, overlay: Overlay) -> object:
        seen.append(path.name)
        return look(self, path, overlay)

    monkeypatch.setattr(Checker, "first_look", watched)
    return seen


def test_a_second_run_looks_at_nothing(project: Path, checked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    first = run(capsys)
    assert first[0] == 1
    assert sorted(checked) == ["__init__.py", "base.py", "layer.py"]
    checked.clear()
    assert run(capsys) == first
    assert checked == []
    assert (project / ".regbuf_cache/.gitignore").read_text(encoding="utf-8") == "*\n"
    assert (project / ".regbuf_cache/CACHEDIR.TAG").is_file()


def test_an_edit_has_those_files_looked_at_that_rest_on_it(
    project: Path, checked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys)
    (project / "pkg/alone.py").write_text("import torch\n", encoding="utf-8")
    run(capsys)
    checked.clear()
    (project / "pkg/base.py").write_text(BASE + "# more\n", encoding="utf-8")
    run(capsys)
    assert sorted(checked) == ["base.py", "layer.py"]


@pytest.mark.parametrize(
    ("text", "looked_at"),
    [
        ("class Near(Options):\n    size = 4\n", ["near.py"]),
        ("class Near(Options):\n    size = 3\n\nclass Far(Near): ...\n", ["near.py", "options.py"]),
        ("class Near(Options):\n    size = 3\n\nclass Far(Near, Layer): ...\n", ["layer.py", "near.py", "options.py"]),
        ("class Near(Options):\n    size = (3\n", ["near.py"]),
    ],
    ids=["another body", "another class", "an nn.Module class", "no Python any more"],
)
def test_of_classes_that_are_none_the_headers_count(
    text: str, looked_at: list[str], project: Path, checked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether a class may be a base of an nn.Module class, the class and import statements of other files say."""
    imports = "from pkg.options import Options\nfrom pkg.layer import Layer\n\n"
    near = project / "pkg/near.py"
    (project / "pkg/options.py").write_text("class Options:\n    pass\n", encoding="utf-8")
    near.write_text(f"{imports}class Near(Options):\n    size = 3\n", encoding="utf-8")
    run(capsys)
    checked.clear()
    near.write_text(imports + text, encoding="utf-8")
    run(capsys)
    assert sorted(checked) == looked_at


def test_a_file_that_does_not_parse_counts_for_each_that_asks_for_it(
    project: Path, checked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second"):
        subclass = LAYER.replace("(nn.Module)", "(Base)").replace(
            "pkg.base import size", "pkg.broken import Base, size"
        )
        (project / f"pkg/{name}.py").write_text(subclass, encoding="utf-8")
    broken, base = project / "pkg/broken.py", "from torch.nn import Module as Base\n\n\ndef size():\n    return 3\n"
    broken.write_text(f"{base}\n\nx = (\n", encoding="utf-8")
    assert "first.py" not in run(capsys)[1]
    checked.clear()
    broken.write_text(base, encoding="utf-8")
    found = run(capsys)[1]
    assert sorted(checked) == ["broken.py", "first.py", "second.py"]
    assert "first.py" in found
    assert "second.py" in found


def test_files_that_are_removed_are_forgotten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pkg/alone.py").write_text("import torch\n", encoding="utf-8")
    run(capsys)
    (project / "pkg/alone.py").unlink()
    (project / "pkg/layer.py").write_text(LAYER + "# more\n", encoding="utf-8")
    run(capsys)
    (database,) = (project / ".regbuf_cache").glob("*.sqlite3")
    with sqlite3.connect(database) as connection:
        known = {Path(path).name for (path,) in connection.execute("SELECT path FROM files")}
    assert known == {"__init__.py", "base.py", "layer.py"}


def test_a_file_with_a_new_time_and_the_same_content_is_the_same(
    project: Path, checked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys)
    checked.clear()
    os.utime(project / "pkg/layer.py", (LONG_AGO, LONG_AGO))
    run(capsys)
    assert checked == []


def test_what_was_written_just_now_is_not_remembered(
    project: Path, checked: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An edit within one tick of the clock would leave no trace but the content."""
    monkeypatch.setattr("regbuf_lint.cache.states._TICK", 10**15)
    run(capsys)
    checked.clear()
    run(capsys)
    assert sorted(checked) == ["__init__.py", "base.py", "layer.py"]
    assert project.is_dir()


def test_what_changes_during_the_run_is_not_remembered(
    project: Path, checked: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even where the file is back to what it was when the next run begins."""
    base, layer, watched = project / "pkg/base.py", project / "pkg/layer.py", Checker.first_look
    run(capsys)
    layer.write_text(layer.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")

    def changing(self: Checker, path: Path, overlay: Overlay) -> object:
        if path.name == "layer.py":
            base.write_text("def size():\n    return None\n", encoding="utf-8")
        found = watched(self, path, overlay)
        base.write_text(BASE, encoding="utf-8")
        return found

    with monkeypatch.context() as during:
        during.setattr(Checker, "first_look", changing)
        run(capsys)
    checked.clear()
    run(capsys)
    assert checked == ["layer.py"]


def test_words_that_another_linter_has_found_do_not_count(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A release that takes a text apart in another way would read them as something else."""
    subclass = "from pkg.base import Base\n\n\nclass Sub(Base):\n    def __init__(self):\n        super().__init__()\n"
    (project / "pkg/sub.py").write_text(subclass + "        self.fill()\n", encoding="utf-8")
    base = "import torch\nfrom torch import nn\n\n\nclass Base(nn.Module):\n    def fill(self):\n"
    body = "        self.x = torch.ones(3)\n\n    def forward(self, y):\n        return y + self.x\n"
    (project / "pkg/base.py").write_text(base + body, encoding="utf-8")
    (project / "pkg/layer.py").unlink()
    first = run(capsys)
    assert "RBF001" in first[1]
    (database,) = (project / ".regbuf_cache").glob("*.sqlite3")
    with sqlite3.connect(database) as connection:
        connection.execute("DELETE FROM results")
        connection.execute("UPDATE files SET words = 'other words', found_by = 'other code' WHERE words IS NOT NULL")
    assert run(capsys) == first


def test_a_syntax_error_that_was_told_for_a_name_is_not_told_for_the_directory(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pkg/base.py").write_text("def size(:\n", encoding="utf-8")
    assert main(["--isolated", "pkg/base.py"]) == 1
    assert "RBF900" in capsys.readouterr().out
    main(["--isolated", "."])
    assert "RBF900" not in capsys.readouterr().out


def test_other_settings_have_other_results(
    project: Path, checked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys)
    checked.clear()
    assert run(capsys, "--ignore", "RBF001") == (0, "No findings in 3 files with 1 nn.Module class.\n")
    assert "layer.py" in checked
    assert project.is_dir()


@pytest.mark.usefixtures("project")
def test_fixes_are_made_in_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys)
    assert run(capsys, "--fix")[0] == 0
    assert "register_buffer" in Path("pkg/layer.py").read_text(encoding="utf-8")
    assert run(capsys) == (0, "No findings in 3 files with 1 nn.Module class.\n")


@pytest.mark.parametrize("harm", ["garbage", "empty", "other table", "directory"])
def test_a_cache_that_cannot_be_used_is_none(
    harm: str, project: Path, checked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(capsys)
    (database,) = (project / ".regbuf_cache").glob("*.sqlite3")
    for other in database.parent.glob(f"{database.name}-*"):
        other.unlink()
    database.unlink()
    if harm == "directory":
        database.mkdir()
    elif harm == "other table":
        with sqlite3.connect(database) as connection:
            connection.execute("CREATE TABLE results (key TEXT)")
    else:
        database.write_bytes(b"\0garbage" * 1000 if harm == "garbage" else b"")
    assert run(capsys) == first
    checked.clear()
    assert run(capsys) == first
    assert (checked == []) == (harm in {"garbage", "empty"}), "what is broken is made anew"


def test_bytes_that_name_foreign_code_are_refused() -> None:
    ours = FileError("a.py", "cannot be read")
    assert unpacked(packed(ours)) == ours
    for foreign in (os.getcwd, subprocess.Popen, pickle.loads, Screen):
        with pytest.raises(UnusableOutcomeError):
            unpacked(pickle.dumps(foreign))
    with pytest.raises(UnusableOutcomeError):
        unpacked(b"nothing of the kind")


def test_cleaning(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys)
    assert main(["--isolated", "--clean-cache"]) == 0
    assert not (project / ".regbuf_cache").exists()
    assert main(["--isolated", "--clean-cache"]) == 0


@pytest.mark.parametrize("place", [".", "kept", "pkg"])
def test_only_the_caches_own_files_are_written_and_removed(
    project: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    foreign = "Signature: 8a477f597d28d172789f06886806bc55\n# of another tool\n"
    (project / "kept").mkdir()
    (project / "kept/CACHEDIR.TAG").write_text(foreign, encoding="utf-8")
    (project / "kept/results-4.sqlite3").write_text("data of another tool", encoding="utf-8")
    before = files_below(project)
    first = run(capsys, "--cache-dir", place)
    made = set(files_below(project)) - set(before)
    assert made
    assert {Path(one).parts[-2] for one in made} == {".regbuf_cache"}
    assert run(capsys, "--cache-dir", place) == first
    assert main(["--isolated", "--clean-cache", "--cache-dir", place]) == 0
    assert files_below(project) == before


def test_what_users_put_into_a_cache_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "kept").mkdir()
    run(capsys, "--cache-dir", "kept")
    (project / "kept/notes").mkdir()
    (project / "kept/notes/a.txt").write_text("mine", encoding="utf-8")
    (project / "kept/.gitignore").write_text("", encoding="utf-8")
    (project / "kept/results-old.sqlite3").write_text("mine", encoding="utf-8")
    assert (project / "kept/CACHEDIR.TAG").is_file()
    assert main(["--isolated", "--clean-cache", "--cache-dir", "kept"]) == 0
    assert set(files_below(project / "kept")) == {"notes/a.txt", ".gitignore", "results-old.sqlite3"}


def test_caches_that_are_broken_or_of_other_versions_are_removed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys)
    folder = project / ".regbuf_cache"
    for path in folder.glob("*.sqlite3"):
        path.write_bytes(b"\0garbage")
    (folder / "results-1.sqlite3").write_bytes(b"of an older version")
    (folder / "CACHEDIR.TAG").write_text("", encoding="utf-8")
    assert main(["--isolated", "--clean-cache"]) == 0
    assert not folder.exists()


def test_a_cache_without_a_name_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files_below(project)
    for argv in (["pkg"], ["clean"]):
        assert main(["--isolated", *argv, "--cache-dir", ""]) == 2
        assert capsys.readouterr() == ("", "regbuf-lint: error: argument --cache-dir: the name is empty\n")
    assert files_below(project) == before


def files_below(directory: Path) -> dict[str, bytes]:
    paths = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


def test_no_cache_leaves_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--no-cache")
    assert not (project / ".regbuf_cache").exists()


@pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")
def test_runs_at_once_and_killed_ones(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = run(capsys, "--no-cache")[1].splitlines()
    command = [sys.executable, "-m", "regbuf_lint", "--isolated", "-j1", "--output-format=concise", "pkg"]
    environment = {name: value for name, value in os.environ.items() if name != "REGBUF_LINT_NO_CACHE"}
    several = [
        subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    for number, process in enumerate(several[:3]):
        time.sleep(0.2 * number)
        process.send_signal(signal.SIGKILL)
    reports = [process.communicate(timeout=120)[0] for process in several]
    assert [one.splitlines() for one in reports[3:]] == [expected] * 3
    assert run(capsys)[1].splitlines() == expected


@pytest.mark.skipif(os.name != "posix" or sys.platform == "darwin", reason="workers are forked with what was patched")
def test_a_worker_that_dies_loses_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = run(capsys, "--no-cache")
    monkeypatch.setattr(workers, "LEAST_BYTES_FOR_WORKERS", 0)
    monkeypatch.setattr(workers, "CHUNKS_PER_WORKER", 1000)
    own, check = os.getpid(), Checker.first_look

    def dying(self: Checker, path: Path, overlay: Overlay) -> object:
        if path.name == "base.py" and os.getpid() != own:
            os.kill(os.getpid(), signal.SIGKILL)
        return check(self, path, overlay)

    monkeypatch.setattr(Checker, "first_look", dying)
    assert run(capsys, "--no-cache", "-j2") == expected
    assert project.is_dir()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
def test_a_file_whose_name_cannot_be_decoded_costs_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(os.fsdecode(b"\xff.py")).write_text(LAYER, encoding="utf-8")
    for _ in range(2):
        assert main([str(project), "--output-format", "json"]) == 1
        assert capsys.readouterr().out.count('"code": "RBF001"') == 2


def test_only_what_the_asked_results_rest_on_is_looked_at() -> None:
    looked_at: list[str] = []

    class Noted(Validity):
        def has_content(self, path: str, digest: str) -> bool:
            looked_at.append(path)
            return digest == "same"

    validity = Noted(Storage(None), Settings(root=Path()))
    contents = [["a", "same"], ["b", "other"], ["c", "same"]]
    reads = validity.known({"reads": contents, "directories": [], "places": []}, 1)
    assert not reads.have_changed(0b101)
    assert looked_at == ["a", "c"]
    assert reads.have_changed(0b011)
    assert reads.have_changed(0b110)
    assert looked_at == ["a", "c", "b"]


def test_no_search_is_repeated_where_nothing_has_changed() -> None:
    asked: list[tuple[str, str]] = []

    class Noted(Validity):
        def is_as_before(self, place: Place) -> bool:
            asked.append(("place", place.directory))
            return place.fingerprint == "same"

        def has_answer(self, place: Place, kind: str, word: str, answer: str) -> bool:
            asked.append((kind, f"{word} in {place.directory}"))
            return answer == "same"

    validity = Noted(Storage(None), Settings(root=Path()))
    searches = [[0, "calls", "A", "any"], [0, "calls", "B", "any"], [1, "calls", "C", "same"], [1, "calls", "D", "no"]]
    places = [["still", None, "same"], ["edited", None, "other"]]
    reads = validity.known({"reads": searches, "directories": [], "places": places}, 1)
    assert not reads.have_changed(0b111)
    assert asked == [("place", "edited"), ("calls", "C in edited"), ("place", "still")]
    assert not reads.have_changed(0b011)
    assert len(asked) == 3
    assert reads.have_changed(0b1001)
    assert asked[3:] == [("place", "edited"), ("calls", "D in edited")]


def test_files_are_looked_at_once_for_all_settings(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "other").mkdir()
    (project / "other/pyproject.toml").write_text('[tool.regbuf-lint]\nignore = ["RBF002"]\n', encoding="utf-8")
    (project / "other/layer.py").write_text(LAYER, encoding="utf-8")
    made: list[Path | None] = []
    start = Storage.__init__

    def noting(self: Storage, folder: Path | None) -> None:
        made.append(folder)
        start(self, folder)

    monkeypatch.setattr(Storage, "__init__", noting)
    assert main(["-j1", "--cache-dir", "shared", "."]) == 1
    assert made == [Path("shared")]
    main(["-j1", "."])
    assert len(made) == 3
