"""The JSON schema of the configuration table takes what the linter takes, and refuses what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from regbuf_lint.cli.main import main
from regbuf_lint.model.settings import Settings
from regbuf_lint.rules import RULES
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.setting_keys import KEYS
from regbuf_lint.source.settings import load_settings

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "docs" / "regbuf-lint.schema.json"
SCHEMA = json.loads(PLACE.read_text(encoding="utf-8"))
CODES = {rule.meta.code: rule.meta.name for rule in RULES}
VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "extend": (["base.toml"], ["", 1, []]),
    **dict.fromkeys(
        ("select", "extend-select", "ignore", "extend-ignore", "fixable", "unfixable"),
        ([[], ["ALL"], ["RBF"], ["RBF1", "RBF001"]], ["RBF001", ["RFB001"], ["RBF9999"], [1], {}]),
    ),
    "per-file-ignores": ([{}, {"a/*": ["RBF0"], "!b": []}], [[], {"a": "RBF001"}, {"a": ["X"]}]),
    **dict.fromkeys(
        ("exclude", "extend-exclude", "module-classes", "tensor-functions", "ignore-attributes"),
        ([[], ["a"], ["a", "b*"]], ["a", [1], {}]),
    ),
    **dict.fromkeys(("respect-gitignore", "force-exclude", "annotate"), ([True, False], [1, "true", []])),
    "persistent": (["auto", "always", "never"], ["alway", True, []]),
    "per-attribute-persistent": ([{}, {"A.b": "never"}], [{"A.b": "nevr"}, {"A": {"b": "never"}}, []]),
    "buffer-style": (["register-buffer", "nn-buffer"], ["buffer", True]),
    "line-length": ([1, 88, 1000], [0, 1001, True, "88"]),
    "python": (["env"], ["", 3]),
}
"""For each key, values that are right and values that are wrong."""
CASES = [
    pytest.param(key, value, right, id=f"{key}-{json.dumps(value)}")
    for key, both in VALUES.items()
    for right, values in zip((True, False), both, strict=True)
    for value in values
]


def test_the_file_is_what_the_keys_give() -> None:
    before = PLACE.read_text(encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "import generate_settings_schema as g, json; print(json.dumps(g.schema(), indent=2))",
    ]
    done = subprocess.run(command, cwd=ROOT / "scripts", capture_output=True, text=True, check=True)
    assert done.stdout == before, "run scripts/generate_settings_schema.py"
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_every_key_is_tried_here_and_every_field_has_one() -> None:
    assert sorted(VALUES) == sorted(KEYS) == sorted(SCHEMA["properties"])
    fields = {name.replace("_", "-") for name in Settings.__struct_fields__}
    assert set(KEYS) - fields == {"extend", "extend-ignore", "extend-exclude"}


@pytest.mark.parametrize(("key", "value", "right"), CASES)
def test_schema_and_linter_agree(
    key: str,
    value: object,
    right: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("base.toml").touch()
    Path("env/lib/python3.11/site-packages").mkdir(parents=True)
    Path("regbuf-lint.toml").write_text(f"{key} = {_toml(value)}\n")
    is_valid = jsonschema.Draft7Validator(SCHEMA).is_valid({key: value})
    try:
        load_settings(Path(), None, isolated=False, overrides={}, known_codes=lambda: CODES)
    except SettingsError:
        assert not is_valid
        assert not right
    else:
        assert is_valid
        assert right


def test_unknown_keys_are_refused() -> None:
    assert not jsonschema.Draft7Validator(SCHEMA).is_valid({"selct": []})


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {_toml(one)}' for key, one in value.items()) + "}"
    return json.dumps(value)


FULL = """\
select = ["RBF0", "RBF1"]
extend-select = ["RBF2"]
ignore = ["RBF103"]
extend-ignore = ["RBF104"]
unfixable = ["RBF105"]
exclude = ["gen"]
extend-exclude = ["made", "x y"]
respect-gitignore = false
persistent = "always"
annotate = false
line-length = 99
module-classes = ["a.B"]
[per-file-ignores]
"tests/*" = ["RBF001"]
[per-attribute-persistent]
"A.*" = "never"
"""


def test_settings_shown_are_a_configuration_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("gen/a.py", "made/b.py", "lib/c.py", "d.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    Path("regbuf-lint.toml").write_text(FULL)
    assert main(["--show-files"]) == 0
    assert capsys.readouterr() == ("d.py\nlib/c.py\n", "")
    assert main(["--show-settings", "lib", "d.py"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("# settings of d.py\n# configuration: regbuf-lint.toml\n")
    assert "# rules: RBF001, RBF002" in shown
    before = load_settings(Path(), None, isolated=False, overrides={})
    Path("regbuf-lint.toml").write_text(shown)
    assert load_settings(Path(), None, isolated=False, overrides={}) == before
    assert main(["--show-settings", "--ignore", "RBF001", "d.py"]) == 0
    assert 'ignore = ["RBF103", "RBF104", "RBF001"]' in capsys.readouterr().out


def test_files_of_several_tables_are_shown_and_errors_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("lib/in/a.py", "lib/out/b.py", "c.py"):
        Path(name).parent.mkdir(exist_ok=True, parents=True)
        Path(name).touch()
    Path("lib/regbuf-lint.toml").write_text('exclude = ["out"]\n')
    assert main(["--show-files", ".", "gone.py"]) == 2
    assert capsys.readouterr() == ("c.py\nlib/in/a.py\n", "gone.py: error: no such file or directory\n")
    assert main(["--show-settings", "lib"]) == 0
    assert "# configuration: lib/regbuf-lint.toml" in capsys.readouterr().out
