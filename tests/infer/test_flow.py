"""What attributes are where branches, loops, exceptions, calls and inheritance decide."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from infer_examples import IMPORTS, built, constructed, described, started

from regbuf_lint.infer import construction
from regbuf_lint.infer.functions import MOST_DEPTH
from regbuf_lint.model.value import Location, Unknown, is_only, tensors

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Followed, Inference
    from regbuf_lint.model.class_view import Construction

ONES = "torch.ones(3)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.v = None\nif n:\n    self.v = torch.ones(n)", "None | tensor"),
        ("if n:\n    self.v = torch.ones(n)", "tensor | unset"),
        ("if n:\n    self.v = 1\nelse:\n    self.v = 'a'", "'a' | 1"),
        ("if n:\n    raise ValueError\nelse:\n    self.v = 1", "1"),
        ("if True:\n    self.v = 1\nelse:\n    self.v = 2", "1"),
        ("if n:\n    return\nself.v = 1", "1 | unset"),
        ("self.v = 1\ndel self.v", None),
        ("self.v = 1\nself.v = 2", "2"),
        ("self.v = torch.ones(n)\nself.v *= 2", "tensor"),
        ("self.v: Tensor", None),
        ("a = self.v = torch.ones(n)", "tensor"),
        ("self.u, self.v = torch.ones(n), 1", "1"),
        ("self.u, *self.v = 1, 2, 3", "list[2 | 3...]"),
        ("self.u, self.v = torch.std_mean(torch.ones(n))", "tensor"),
        ("for self.v in [1, 2]:\n    pass", "1 | 2"),
        ("for i in range(n):\n    self.v = i", "other | unset"),
        ("while n:\n    self.v = 1\n    break", "1 | unset"),
        ("for i in range(n):\n    x = 1\nelse:\n    self.v = 1", "1"),
        ("with torch.no_grad():\n    self.v = nn.Parameter(torch.ones(n)) * 2", "tensor"),
        ("try:\n    self.v = 1\nexcept ValueError:\n    self.v = 2", "1 | 2"),
        ("try:\n    self.v = 1\nfinally:\n    self.v = 2", "2"),
        ("match n:\n    case 1:\n        self.v = 1\n    case _:\n        self.v = 2", "1 | 2"),
        ("setattr(self, 'v', torch.ones(n))", "tensor"),
        ("for name in ('u', 'v'):\n    setattr(self, name, 1)", "1"),
        ("me = self\nme.v = 1", "1"),
        ("y = torch.ones(n)\ny[0] = 2\nself.v = y", "tensor"),
        ("y = []\nfor i in range(n):\n    y.append(torch.ones(n))\nself.v = torch.cat(y)", "tensor"),
        ("def make():\n    return torch.ones(n)\nself.v = make()", "tensor"),
        ("class Inner:\n    value = 1\nself.v = Inner.value", "1"),
        ("import torch as other\nself.v = other.ones(n)", "tensor"),
        ("torch = undefined\nself.v = torch.ones(n)", "?"),
        ("self.v = torch.ones(n)\nself.v.requires_grad_()", "tensor"),
    ],
)
def test_statements(body: str, expected: str | None) -> None:
    assert constructed(body, arguments="n: int").get("v") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.register_buffer('v', torch.ones(3))", "buffer"),
        ("self.register_buffer('v', torch.ones(3))\nself.v = self.v * 2", "buffer"),
        ("self.register_buffer('v', torch.ones(3))\nself.v = None", "None | buffer"),
        ("self.register_buffer('v', torch.ones(3))\nself.v = nn.Parameter(torch.ones(3))", "parameter"),
        ("self.register_buffer('v', None)", "None | buffer"),
        ("self.register_buffer(name='v', tensor=torch.ones(3))", "buffer"),
        ("for name in ('u', 'v'):\n    self.register_buffer(name, torch.ones(3))", "buffer"),
        ("for i in range(n):\n    self.register_buffer(f'v{i}', torch.ones(3))\nself.v = self.v0", "tensor"),
        ("self.register_parameter('v', nn.Parameter(torch.ones(3)))", "parameter"),
        ("self.add_module('v', nn.Linear(3, 3))", "module"),
        ("self.v = nn.Buffer(torch.ones(3))", "buffer"),
        ("self.v = torch.ones(3)\ndel self.v\nself.register_buffer('v', torch.ones(3))", "buffer"),
        ("self.v = self.register_buffer('v', torch.ones(3))", "None | buffer"),
    ],
)
def test_registrations(body: str, expected: str) -> None:
    assert constructed(body, arguments="n: int")["v"] == expected


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("x is None", "None"),
        ("x is not None", "tensor"),
        ("isinstance(x, Tensor)", "tensor"),
        ("torch.is_tensor(x)", "tensor"),
        ("not torch.is_tensor(x)", "None"),
        ("not isinstance(x, torch.Tensor)", "None"),
        ("x is None or n", "None | tensor"),
        ("x is not None and n", "tensor"),
        ("not (x is None)", "tensor"),
        ("n", "None | tensor"),
        ("True", "None | tensor"),
        ("isinstance(x, str)", "other"),
        ("isinstance(x, Tensor | nn.Parameter)", "tensor"),
        ("not isinstance(x, Tensor | nn.Parameter)", "None"),
        ("False", None),
    ],
)
def test_conditions_narrow(test: str, expected: str | None) -> None:
    attributes = constructed(f"if {test}:\n    self.v = x", arguments="n: int, x: Optional[Tensor]")
    assert attributes.get("v", "").removesuffix(" | unset") == (expected or "")


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("if not torch.is_tensor(x):\n    x = torch.tensor(x)", "tensor"),
        ("if isinstance(x, float):\n    x = torch.tensor(x)", "? | tensor"),
        ("if isinstance(x, float):\n    x = torch.full((n,), x)", "tensor"),
        ("if isinstance(x, list):\n    x = torch.ones(3)\nelif isinstance(x, int):\n    x = torch.ones(x)", "tensor"),
        ("if not isinstance(x, str):\n    pass\nelse:\n    x = torch.ones(3)", "tensor"),
        ("x = torch.ones(3) if isinstance(x, list) else x", "tensor"),
        ("if isinstance(x, list) and n:\n    x = torch.ones(3)", "? | list[?...] | tensor"),
        ("if isinstance(x, (list, Tensor)):\n    x = torch.ones(3)", "? | tensor"),
        ("if isinstance(x, list):\n    x = [torch.ones(3)]", "? | list[tensor]"),
        ("x = torch.as_tensor(x)", "tensor"),
        ("x = x if x is not None else torch.arange(180)", "tensor"),
        ("if x is None:\n    x = torch.ones(3)\nelse:\n    x = torch.tensor(x)", "tensor"),
        ("assert isinstance(x, Tensor)", "tensor"),
        ("if not isinstance(x, Tensor):\n    raise TypeError", "tensor"),
    ],
)
def test_arguments_that_are_bound_again(guard: str, expected: str) -> None:
    value = constructed(f"{guard}\nself.v = x", arguments="x, n")["v"]
    assert set(value.split(" | ")) == set(expected.split(" | "))


CLASSES = """
import omegaconf, collections.abc
from abc import ABC
class Own: ...
class Shape(ABC): ...
class Sized(typing.Protocol): ...
class Counted(type):
    def __instancecheck__(cls, one): return True
class Odd(metaclass=Counted): ...
class Labelled(torch.Tensor): ...
"""


@pytest.mark.parametrize(
    ("value", "test", "expected"),
    [
        ("[1]", "omegaconf.ListConfig", "no"),
        ("{'a': 1}", "(omegaconf.DictConfig, Own)", "no"),
        ("'text'", "Own", "no"),
        ("3", "Shape", "no"),
        ("torch.ones(n)", "omegaconf.ListConfig", "no"),
        ("torch.ones(n)", "Labelled", "no"),
        ("torch.ones(n)", "Tensor", "yes"),
        ("Labelled(torch.ones(n))", "Labelled", "yes | no"),
        ("Labelled(torch.ones(n)) * 2", "Labelled", "yes | no"),
        ("t", "Labelled", "yes | no"),
        ("x", "Labelled", "yes | no"),
        ("x", "Own", "yes | no"),
        ("[1] if n else x", "omegaconf.ListConfig", "yes | no"),
        ("[1]", "Sized", "yes | no"),
        ("[1]", "Odd", "yes | no"),
        ("[1]", "collections.abc.Sized", "yes | no"),
        ("[1]", "(list, omegaconf.ListConfig)", "yes | no"),
        ("3", "torch.types.Number", "yes | no"),
        ("many", "omegaconf.ListConfig", "yes | no"),
    ],
)
def test_what_is_no_instance_for_certain(value: str, test: str, expected: str) -> None:
    body = f"v = {value}\nself.v = 'yes' if isinstance(v, {test}) else 'no'"
    found = constructed(body, arguments="n: int, x, t: Tensor, many: list[int]", around=CLASSES)["v"]
    assert set(found.split(" | ")) == {repr(one) for one in expected.split(" | ")}


@pytest.mark.parametrize("classes", ["(list, tuple)", "list | tuple", "(list | set, tuple)"])
def test_what_an_annotation_rules_out_is_not_followed(classes: str) -> None:
    body = f"self.v = torch.tensor(x) if isinstance(x, {classes}) else x"
    assert constructed(body, arguments="x: list[float] | tuple[float, float]")["v"] == "tensor"


@pytest.mark.parametrize(
    ("around", "expression", "expected"),
    [
        ("def f(n): return torch.ones(n)", "f(3)", "tensor"),
        ("def f(n) -> Tensor: ...", "f(3)", "tensor"),
        ("def f(n): return n", "f(torch.ones(3))", "tensor"),
        ("def f(n): return n", "f(3)", "3"),
        ("def f(n=None): return n", "f()", "None"),
        ("def f(*, n): return [n]", "f(n=1)", "list[1]"),
        ("def f(*n): return n", "f(1, 2)", "tuple[1 | 2...]"),
        ("def f(n):\n    if n: return torch.ones(n)", "f(len('a'))", "None | tensor"),
        ("def f(n):\n    if n: return torch.ones(n)", "f(3)", "tensor"),
        ("def f(n):\n    if n > 3: return torch.ones(n)\n    return 1", "f(3)", "1 | tensor"),
        ("def f(n): yield torch.ones(n)", "f(3)", "generator[tensor...]"),
        ("def f(n):\n    yield 1\n    yield torch.ones(n)", "f(3)", "generator[1 | tensor...]"),
        ("def f(n): yield from [torch.ones(n)]", "f(3)", "generator[tensor...]"),
        ("def f(n): yield", "f(3)", "generator[None...]"),
        ("@decorate\ndef f(n): yield torch.ones(n)", "f(3)", "?"),
        ("from torch import nn", "[one for one in nn.ModuleDict()]", "list[other...]"),
        ("from torch import nn\nclass OwnDict(nn.ModuleDict): pass", "[one for one in OwnDict()]", "list[?...]"),
        ("def f(n): return f(n)", "f(3)", "?"),
        ("def f(n): return g(n)\ndef g(n): return torch.ones(n)", "f(3)", "tensor"),
        ("@decorate\ndef f(n): return torch.ones(n)", "f(3)", "?"),
        ("@torch.no_grad()\ndef f(n): return torch.ones(n)", "f(3)", "tensor"),
        ("async def f(n): return torch.ones(n)", "f(3)", "?"),
        ("f = lambda n: torch.ones(n)", "f(3)", "tensor"),
        ("ONES = torch.ones(3)", "ONES", "tensor"),
        ("A, B = 1, torch.ones(3)", "B", "tensor"),
        ("A = B\nB = A", "A", "?"),
        ("if torch: A = 1\nelse: A = torch.ones(3)", "A", "1 | tensor"),
        ("for A in range(3): pass", "A", "?"),
        ("class C:\n    a = torch.ones(3)", "C.a", "tensor"),
        ("class C:\n    def __init__(self): self.a = torch.ones(3)", "C().a", "tensor"),
        ("class C:\n    @property\n    def a(self): return torch.ones(3)", "C().a", "?"),
        ("class C:\n    @staticmethod\n    def f(n): return torch.ones(n)", "C.f(3)", "tensor"),
        ("class C(Tensor): pass", "C()", "tensor"),
        ("class C(nn.Module): pass", "C()", "module"),
        ("class C(Exception): pass", "C()", "other"),
    ],
)
def test_names_of_the_file(around: str, expression: str, expected: str) -> None:
    assert constructed(f"self.v = {expression}", around=f"{around}\n")["v"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.build(3)

                def build(self, n):
                    self.v = torch.ones(n)
            """,
            {"v": "tensor"},
        ),
        (
            """
            class Base(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.v = self.make()

                def make(self):
                    return 1

            class Model(Base):
                def make(self):
                    return torch.ones(3)
            """,
            {"v": "tensor"},
        ),
        (
            """
            class Base(nn.Module):
                def __init__(self, n):
                    super().__init__()
                    self.n = n

            class Model(Base):
                def __init__(self):
                    super(Model, self).__init__(torch.ones(3))
                    self.v = self.n + 1
            """,
            {"n": "tensor", "v": "tensor"},
        ),
        (
            """
            class First(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.u = 1

            class Second(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.v = 2

            class Model(First, Second):
                pass
            """,
            {"u": "1", "v": "2"},
        ),
        (
            """
            class Model(nn.Module):
                v = torch.ones(3)

                def __init__(self):
                    super().__init__()
                    self.w = self.v
            """,
            {"w": "tensor"},
        ),
        (
            """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.w = self.v

                @property
                def v(self):
                    return torch.ones(3)
            """,
            {"w": "tensor"},
        ),
        (
            """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.v = 1

                @property
                def v(self):
                    return self.held

                @v.setter
                def v(self, value):
                    self.held = torch.ones(value)
            """,
            {"held": "tensor"},
        ),
        (
            """
            from dataclasses import dataclass

            @dataclass(eq=False)
            class Model(nn.Module):
                n: int

                def __post_init__(self):
                    super().__init__()
                    self.v = torch.ones(self.n)
            """,
            {"v": "tensor"},
        ),
        (
            """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.again()

                def again(self):
                    self.v = torch.ones(3)
                    self.again()
            """,
            {"v": "tensor"},
        ),
    ],
    ids=[
        "method", "override", "argument of base", "two bases", "class attribute", "property", "setter", "dataclass",
        "recursion",
    ],
)  # fmt: skip
def test_classes(text: str, expected: dict[str, str]) -> None:
    found = described(built(text))
    assert {name: found.get(name) for name in expected} == expected


def built_on(base: str, text: str, folder: Path) -> Construction:
    """Follow the construction of the class ``Model`` of a text, whose base stands in another file."""
    (folder / "base.py").write_text(base, encoding="utf-8")
    return built(textwrap.dedent(text), folder)


def test_inherited_methods_of_other_files_run_overrides(tmp_path: Path) -> None:
    many = "\n".join(f"        self.a{i} = torch.ones({i})" for i in range(100))
    head = f"{IMPORTS}class Base(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    base = f"{head}{many}\n        self.build()\n    def build(self): self.v = 1\n"
    text = """
    from base import Base

    class Model(Base):
        def build(self):
            self.v = torch.ones(3)
    """
    found = described(built_on(base, text, tmp_path))
    assert (found["a99"], found["v"]) == ("tensor", "tensor")


def test_inherited_methods_of_other_files_know_the_devices_that_they_are_given(tmp_path: Path) -> None:
    many = "\n".join(f"        a{i} = torch.ones({i})" for i in range(100))
    head = f"{IMPORTS}class Base(nn.Module):\n    def grid(self, n, device='cpu', place=None):\n"
    base = f"{head}{many}\n        return torch.ones(n, device=device), torch.ones(n, device=place)\n"
    text = """
    from base import Base

    class Model(Base):
        def __init__(self, n):
            super().__init__()
            self.by_default, self.by_keyword = self.grid(n, place="cuda")
            self.by_position, _ = self.grid(n, torch.device("cuda"))
            self.behind_star, _ = self.grid(*n)
    """
    attributes = built_on(base, text, tmp_path).attributes
    places = {name: [one.location for one in tensors(state.value)] for name, state in attributes.items()}
    assert places == {
        "by_default": [Location.CPU],
        "by_keyword": [Location.NAMED],
        "by_position": [Location.NAMED],
        "behind_star": [Location.OFFERED],
    }


def test_a_construction_whose_calls_nest_too_deeply_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[str] = []
    follow = construction.follow

    def noted(inference: Inference, symbol: ClassSymbol) -> Followed:
        followed.append(symbol.scope.qualname)
        return follow(inference, symbol)

    monkeypatch.setattr(construction, "follow", noted)
    calls = "".join(f"    def m{i}(self): return self.m{i + 1}()\n" for i in range(MOST_DEPTH + 1))
    deep = f"class Deep:\n    def __init__(self): self.x = self.m0()\n{calls}"
    reads = "".join(f"        self.a{i} = Deep().x\n" for i in range(3))
    built(f"{deep}class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n{reads}")
    assert followed == ["Model", "Deep"]


def test_what_a_function_does_to_the_class_counts_each_time_an_object_is_followed(tmp_path: Path) -> None:
    text = """
    def managed(owner, name):
        setattr(owner, name, property())

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            managed(type(self), "x")
            self.x = torch.ones(3)
    """
    inference, symbols = started(text, tmp_path)
    found = [construction.follow(inference, symbols["Model"]).construction.attributes["x"] for _ in range(2)]
    assert all(is_only(one.value, Unknown) for one in found)
