"""The plugin's look for the settings of each file."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.flake8_plugin.options import Lookup, add_options

if TYPE_CHECKING:
    import pytest


class _Options:
    """Stands in for flake8's manager of options: notes the names of what is declared."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def add_option(self, *names: str, **_settings: object) -> None:
        self.values.update(dict.fromkeys(name.lstrip("-").replace("-", "_") for name in names))


def test_names_are_looked_at_once_however_many_files_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"f{number}.py" for number in range(20)]
    for name in names:
        Path(name).touch()
    options = _Options()
    add_options(options)
    looked: list[Path] = []
    is_dir = Path.is_dir

    def noting(path: Path) -> bool:
        looked.append(path)
        return is_dir(path)

    monkeypatch.setattr(Path, "is_dir", noting)
    lookup = Lookup(Namespace(filenames=names, select=None, extend_select=None, **options.values), dict)
    settings = {lookup.of(Path(name)) for name in names}
    assert len(settings) == 1
    assert len(looked) <= 3 * len(names)
