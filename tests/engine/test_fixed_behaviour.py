"""Classes with random attribute histories behave as before once they are fixed, and as their fixes declare."""

from __future__ import annotations

import copy
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from attribute_histories import MODULES
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import BufferStyle, Persistence, Settings
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import nn

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.result import FileResult

torch = pytest.importorskip("torch")

PATH = Path(Path.cwd().anchor, "nowhere", "model.py")
SIZE = 3
TORCH_SETTINGS = settings(
    max_examples=250, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
STYLES = st.sampled_from(
    [
        Settings(root=Path("nowhere")),
        Settings(root=Path("nowhere"), persistent=Persistence.ALWAYS),
        Settings(root=Path("nowhere"), persistent=Persistence.NEVER),
        Settings(root=Path("nowhere"), buffer_style=BufferStyle.NN_BUFFER),
        Settings(root=Path("nowhere"), annotate=True),
    ]
)


def checked(text: str, mode: FixMode, style: Settings) -> FileResult:
    result = check_source(SourceText.from_text(text, str(PATH)), PATH, style, fix=mode)
    assert result.errors == ()
    return result


def build(text: str, flag: bool) -> nn.Module:  # noqa: FBT001
    names: dict[str, Any] = {}
    exec(compile(text, "model", "exec"), names)  # noqa: S102
    torch.manual_seed(0)
    module: nn.Module = names["Model"](SIZE, torch.full((SIZE,), 0.25), flag)
    return module


def outputs(module: nn.Module) -> list[Any]:
    """What two calls give; the exception's class where one raises."""
    torch.manual_seed(1)
    return [output(module), output(module)]


def output(module: nn.Module) -> Any:
    try:
        return module(torch.ones(2, SIZE))
    except Exception as error:  # noqa: BLE001  what the original raises, the fixed one shall raise
        return type(error)


def kept(module: nn.Module) -> dict[str, Any]:
    """Every tensor, number and None that the object holds, registered or not."""
    plain = {name: value for name, value in vars(module).items() if not name.startswith("_") or "__" in name}
    registered = {**dict(module._buffers), **dict(module._parameters)}  # noqa: SLF001
    return {name: value for name, value in {**plain, **registered}.items() if name != "training"}


def same(one: object, other: object) -> bool:
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.dtype == other.dtype and bool(torch.equal(one, other))
    return type(one) is type(other) and one == other


def declared(applied: Iterable[Finding]) -> set[str]:
    return {key for finding in applied if finding.fix is not None for key in finding.fix.adds}


def registered_by(applied: Iterable[Finding]) -> set[str]:
    return {
        attribute_key(finding.attribute, finding.class_name or "")
        for finding in applied
        if finding.code == "RBF001" and finding.attribute
    }


@pytest.mark.torch
@pytest.mark.parametrize("mode", [FixMode.SAFE, FixMode.UNSAFE], ids=["safe", "all"])
@TORCH_SETTINGS
@given(text=MODULES, flag=st.booleans(), style=STYLES)
def test_the_fixed_class_behaves_as_before(mode: FixMode, text: str, flag: bool, style: Settings) -> None:  # noqa: FBT001
    result = checked(text, mode, style)
    assume(result.fixed is not None)
    assert result.fixed is not None
    note(f"{text}\n--- fixed:\n{result.fixed.after}")
    assert result.fixed.dropped == ()
    try:
        original = build(text, flag)
    except (AttributeError, KeyError, TypeError, RuntimeError):
        assume(False)  # noqa: FBT003
    fixed = build(result.fixed.after, flag)
    assert_same_state(original, fixed)
    assert_saved_as_declared(original, fixed, declared(result.fixed.applied))
    assert same(outputs(original), outputs(fixed))
    assert_follows(build(result.fixed.after, flag), registered_by(result.fixed.applied))
    again = checked(result.fixed.after, mode, style)
    assert again.fixed is None


def assert_same_state(original: nn.Module, fixed: nn.Module) -> None:
    before, after = kept(original), kept(fixed)
    assert before.keys() == after.keys()
    different = {name for name, value in before.items() if not same(value, after[name])}
    assert not different
    assert original._parameters.keys() == fixed._parameters.keys()  # noqa: SLF001
    if succeeds(lambda: copy.deepcopy(original)):
        copy.deepcopy(fixed)


def succeeds(action: Callable[[], object]) -> bool:
    try:
        action()
    except Exception:  # noqa: BLE001
        return False
    return True


def assert_saved_as_declared(original: nn.Module, fixed: nn.Module, adds: set[str]) -> None:
    old = {name: value.clone() for name, value in original.state_dict().items()}
    new = fixed.state_dict()
    assert old.keys() <= new.keys()
    gained = new.keys() - old.keys()
    assert all(any(fnmatchcase(key, pattern) for pattern in adds) for key in gained)
    assert {name for name, value in kept(fixed).items() if isinstance(value, torch.Tensor)} & adds <= gained
    if not gained and succeeds(lambda: original.load_state_dict(old, strict=True)):
        fixed.load_state_dict(old, strict=True)


def assert_follows(fixed: nn.Module, attributes: set[str]) -> None:
    plain = {name for name in attributes if isinstance(vars(fixed).get(name), torch.Tensor)}
    assert not plain
    floating = {name for name, value in fixed.named_buffers() if value.is_floating_point()}
    fixed.to(torch.float64)
    assert all(value.dtype is torch.float64 for name, value in fixed.named_buffers() if name in floating)
    fixed.to("meta")
    assert all(value.device.type == "meta" for value in fixed.buffers())


@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(MODULES, min_size=15, max_size=15), style=STYLES)
def test_what_was_formatted_stays_formatted(texts: list[str], style: Settings) -> None:
    pytest.importorskip("ruff")
    originals = formatted(texts)
    fixed = [checked(text, FixMode.UNSAFE, style).fixed for text in originals]
    after = [one.after if one is not None else text for one, text in zip(fixed, originals, strict=True)]
    assert formatted(after) == after


def formatted(texts: list[str]) -> list[str]:
    with TemporaryDirectory() as name:
        paths = [Path(name, f"{index}.py") for index in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "--quiet", name]
        subprocess.run(command, check=True, capture_output=True)
        return [path.read_text(encoding="utf-8") for path in paths]
