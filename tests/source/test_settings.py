"""Settings from files and from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.model.settings import (
    DEFAULT_EXCLUDES,
    AttributePersistence,
    BufferStyle,
    PerFileIgnore,
    Persistence,
    Settings,
)
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.settings import check_codes, load_settings

CODES = {"RBF001": "plain-tensor-attribute", "RBF002": "tensor-in-container", "RBF101": "buffer-requires-grad"}


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(
    text: str = "",
    *,
    name: str = "pyproject.toml",
    isolated: bool = False,
    **overrides: object,
) -> Settings:
    path = Path(name)
    path.write_text(text)
    config = None if name == "pyproject.toml" else path
    given = {key.replace("_", "-"): value for key, value in overrides.items()}
    return load_settings(Path(), config, isolated, given, lambda: CODES)


def error(text: str, *, name: str = "pyproject.toml", **overrides: object) -> str:
    with pytest.raises(SettingsError) as caught:
        load(text, name=name, isolated=False, **overrides)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_defaults(root: Path) -> None:
    assert load() == Settings(root.resolve(), sources=(root,), exclude=DEFAULT_EXCLUDES, line_length=0)


def test_every_key(root: Path) -> None:
    text = """
    [tool.regbuf-lint]
    select = ["RBF0"]
    extend-select = ["rbf101"]
    ignore = ["RBF002"]
    exclude = ["gen"]
    extend-exclude = ["more/*.py"]
    respect-gitignore = false
    force-exclude = true
    persistent = "always"
    buffer-style = "nn-buffer"
    line-length = 100
    module-classes = ["a.B"]
    tensor-functions = ["a.f"]
    ignore-attributes = ["Class.attr"]
    [tool.regbuf-lint.per-file-ignores]
    "tests/*" = ["ALL"]
    "!src/**" = ["RBF0"]
    [tool.regbuf-lint.per-attribute-persistent]
    "Attention.mask" = "never"
    "*.running_*" = "always"
    """
    assert load(text) == Settings(
        root=root.resolve(),
        sources=(root.resolve(),),
        select=("RBF0",),
        extend_select=("RBF101",),
        ignore=("RBF002",),
        per_file_ignores=(
            PerFileIgnore("tests/*", ("ALL",)),
            PerFileIgnore("!src/**", ("RBF0",)),
        ),
        exclude=("gen", "more/*.py"),
        respect_gitignore=False,
        force_exclude=True,
        persistent=Persistence.ALWAYS,
        per_attribute_persistent=(
            AttributePersistence("Attention.mask", Persistence.NEVER),
            AttributePersistence("*.running_*", Persistence.ALWAYS),
        ),
        buffer_style=BufferStyle.NN_BUFFER,
        line_length=100,
        module_classes=("a.B",),
        tensor_functions=("a.f",),
        ignore_attributes=("Class.attr",),
        files=(root / "pyproject.toml",),
    )


def test_packages_lie_where_a_file_says_so(root: Path) -> None:
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    assert load_settings(inner, None, isolated=False, overrides={}).sources == (inner,)
    (root / "a" / "setup.py").touch()
    assert load_settings(inner, None, isolated=False, overrides={}).sources == (root / "a",)
    (root / "pyproject.toml").write_text("[tool.regbuf-lint]\n")
    assert load_settings(inner, None, isolated=False, overrides={}).sources == (root.resolve(),)


def test_nearest_file_with_a_table_counts(root: Path) -> None:
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (root / "pyproject.toml").write_text('[tool.regbuf-lint]\nselect = ["RBF001"]\n')
    (root / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    settings = load_settings(inner, None, isolated=False, overrides={})
    assert (settings.root, settings.select) == (root.resolve(), ("RBF001",))
    (root / "a" / "pyproject.toml").write_text("[tool.regbuf-lint]\n")
    settings = load_settings(root / "a" / "b" / ".." / "b", None, isolated=False, overrides={"persistent": "never"})
    assert (settings.root, settings.select) == ((root / "a").resolve(), None)
    assert settings.persistent is Persistence.NEVER


def test_isolated_reads_nothing() -> None:
    assert (
        load(
            "[tool.regbuf-lint]\nselct = 1\n[tool.black]\nline-length = 30\n",
            isolated=True,
        ).line_length
        == 88
    )


@pytest.mark.parametrize("text", ['select = ["RBF1"]\n', '[tool.regbuf-lint]\nselect = ["RBF1"]\n'])
def test_a_file_of_another_name_may_have_keys_at_its_top(text: str) -> None:
    assert load(text, name="lint.toml").select == ("RBF1",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "selct = []",
            "pyproject.toml: unknown key `selct` in [tool.regbuf-lint]; did you mean `select`?",
        ),
        (
            "extend_select = []",
            "pyproject.toml: unknown key `extend_select` in [tool.regbuf-lint]; did you mean `extend-select`?",
        ),
        ("zzz = 1", "pyproject.toml: unknown key `zzz` in [tool.regbuf-lint]"),
        ('select = "RBF001"', "pyproject.toml: `select` must be a list of strings"),
        ("select = [1]", "pyproject.toml: `select` must be a list of strings"),
        (
            "respect-gitignore = 1",
            "pyproject.toml: `respect-gitignore` must be true or false",
        ),
        (
            "line-length = true",
            "pyproject.toml: `line-length` must be a number of columns from 1 to 1000",
        ),
        (
            "line-length = 0",
            "pyproject.toml: `line-length` must be a number of columns from 1 to 1000",
        ),
        (
            'persistent = "alway"',
            "pyproject.toml: `persistent` must be one of `auto`, `always`, `never`, not `alway`",
        ),
        (
            "buffer-style = true",
            "pyproject.toml: `buffer-style` must be one of `register-buffer`, `nn-buffer`",
        ),
        (
            "per-file-ignores = []",
            "pyproject.toml: `per-file-ignores` must be a table of patterns with lists of codes",
        ),
        (
            "per-file-ignores = {'a.py' = 'RBF0'}",
            "pyproject.toml: `per-file-ignores`: `a.py` must be a list of strings",
        ),
        (
            "per-file-ignores = {'a.py' = ['RBF9']}",
            "pyproject.toml: `per-file-ignores`: unknown rule code `RBF9`",
        ),
        (
            "ignore = ['RBF003']",
            "pyproject.toml: `ignore`: unknown rule code `RBF003`; did you mean `RBF002`?",
        ),
        (
            "per-attribute-persistence = {}",
            (
                "pyproject.toml: unknown key `per-attribute-persistence` in [tool.regbuf-lint]; "
                "did you mean `per-attribute-persistent`?"
            ),
        ),
        (
            "per-attribute-persistent = 'never'",
            (
                "pyproject.toml: `per-attribute-persistent` must be a table of patterns, "
                "each with one of `auto`, `always`, `never`"
            ),
        ),
        (
            "per-attribute-persistent = {'A.b' = 'alway'}",
            "pyproject.toml: `per-attribute-persistent`: `A.b` must be one of `auto`, `always`, `never`, not `alway`",
        ),
        (
            "per-attribute-persistent = {mask = false}",
            "pyproject.toml: `per-attribute-persistent`: `mask` must be one of `auto`, `always`, `never`",
        ),
        (
            "per-attribute-persistent.Attention.mask = 'never'",
            'pyproject.toml: `per-attribute-persistent`: write patterns in quotation marks: `"Attention.mask"`',
        ),
        ("exclude = ['!']", "pyproject.toml: `exclude`: `!` is no valid pattern"),
        ("exclude = ['a', '[z-a].py']", "pyproject.toml: `exclude`: `[z-a].py` is no valid pattern"),
    ],
)
def test_mistakes_are_told_with_file_and_place(text: str, message: str) -> None:
    told = error("[tool.regbuf-lint]\n" + text)
    assert told.removesuffix("; did you mean `always`?") == message or told.startswith(message + "; did you mean `RBF")


def test_broken_files_are_named() -> None:
    assert error("[tool.regbuf-lint\n").startswith("pyproject.toml: invalid TOML: ")
    assert error("tool.regbuf-lint = 1\n", name="a.toml") == "a.toml: `tool.regbuf-lint` must be a table"
    assert error("x = 1\n", name="b.toml") == "b.toml: unknown key `x`"
    Path("c.toml").write_bytes(b"x = '\xff'\n")
    for name, message in [
        ("gone.toml", "gone.toml: no such file"),
        ("c.toml", "c.toml: not valid UTF-8"),
    ]:
        with pytest.raises(SettingsError, match=message):
            load_settings(Path(), Path(name), isolated=False, overrides={})


def test_mistakes_on_the_command_line_name_the_option() -> None:
    assert error("", select=["RBF7"]).startswith("--select: unknown rule code `RBF7`")
    assert error("", ignore=[""]) == "--ignore: unknown rule code ``"
    named = error("", ignore=["plain-tensor-attribute"])
    assert named == "--ignore: unknown rule code `PLAIN-TENSOR-ATTRIBUTE`; did you mean `RBF001`?"


def test_a_byte_order_mark_is_passed_over(root: Path) -> None:
    (root / "pyproject.toml").write_text('[tool.regbuf-lint]\nignore = ["RBF001"]\n', encoding="utf-8-sig")
    assert load_settings(root, None, isolated=False, overrides={}).ignore == ("RBF001",)


def test_command_line_over_file() -> None:
    text = """
    [tool.regbuf-lint]
    select = ["RBF0"]
    extend-select = ["RBF1"]
    ignore = ["RBF002", "RBF001"]
    persistent = "always"
    """
    plain = load(text, ignore=["RBF101"], extend_select=["RBF101"], persistent="never")
    assert (plain.select, plain.extend_select) == (("RBF0",), ("RBF1", "RBF101"))
    assert plain.ignore == ("RBF002", "RBF001", "RBF101")
    assert plain.persistent is Persistence.NEVER


def test_selecting_what_the_file_ignores_turns_it_on() -> None:
    text = '[tool.regbuf-lint]\nextend-select = ["RBF1"]\nignore = ["RBF002", "RBF0"]\n'
    chosen = load(text, select=["RBF0"])
    assert (chosen.select, chosen.extend_select, chosen.ignore) == (("RBF0",), (), ("RBF002",))
    chosen = load(text, extend_select=["RBF002"])
    assert (chosen.select, chosen.extend_select, chosen.ignore) == (None, ("RBF1", "RBF002"), ("RBF0",))
    for code in ("RBF001", "RBF00", "ALL"):
        assert load(text, select=[code]).ignore == ("RBF002", "RBF0"), "the longest one counts anyway"
    assert load(text, extend_select=["RBF002"], ignore=["RBF002"]).ignore == ("RBF0", "RBF002")


def test_making_fixable_what_the_file_does_not() -> None:
    text = '[tool.regbuf-lint]\nunfixable = ["RBF002", "RBF0"]\n'
    assert load(text, fixable=["RBF0"]).unfixable == ("RBF002",)
    assert load(text, fixable=["RBF0"], unfixable=["RBF0"]).unfixable == ("RBF0",)


def test_check_codes() -> None:
    check_codes(["ALL", "RBF", "RBF0", "RBF101"], CODES, "--select")
    with pytest.raises(
        SettingsError,
        match=r"^--select: unknown rule code `RFB001`; did you mean `RBF001`\?$",
    ):
        check_codes(["RFB001"], CODES, "--select")
