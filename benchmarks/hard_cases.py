"""Projects that would take a linter long if its work grew with the square of anything, each of any size.

    python benchmarks/hard_cases.py --write sum-of-tensors 5000 FOLDER

`growth.py` measures each at two sizes.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Files: TypeAlias = Iterator[tuple[str, str]]
    """Names of files, and their texts."""

HEAD = "import torch\nfrom torch import nn\n\n\n"
INIT = "    def __init__(self):\n        super().__init__()\n"
FORWARD = "    def forward(self, x):\n"


@dataclass(frozen=True)
class Case:
    """A kind of project.

    Attributes:
        name: what is many or long in it.
        size: how large it is when it is measured; the other size is half of it.
        files: what stands in it at a given size: names of files, and their texts.
    """

    name: str
    size: int
    files: Callable[[int], Files]

    def write(self, size: int, folder: Path) -> None:
        """Write the project at a size into a new folder."""
        folder.mkdir(parents=True)
        for name, text in self.files(size):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def flagged_classes(size: int) -> Files:
    """One file with many classes, each with a finding."""
    yield "model.py", HEAD + "\n\n".join(_flagged(f"Part{number}") for number in range(size))


def _flagged(name: str, base: str = "nn.Module") -> str:
    forward = f"{FORWARD}        return x * self.scale\n"
    return f"class {name}({base}):\n{INIT}        self.scale = torch.ones(3)\n\n{forward}"


def assignments(size: int) -> Files:
    """One class that assigns many tensors, each of which ``forward`` uses by itself."""
    lines = "".join(f"        self.x{number} = torch.ones({number % 7})\n" for number in range(size))
    used = "".join(f"        y = x * self.x{number}\n" for number in range(size))
    yield "model.py", f"{HEAD}class Model(nn.Module):\n{INIT}{lines}\n{FORWARD}{used}        return y\n"


def accumulated(size: int) -> Files:
    """One class that assigns many tensors, which ``forward`` adds up."""
    lines = "".join(f"        self.x{number} = torch.ones({number % 7})\n" for number in range(size))
    used = "".join(f"        x = x + self.x{number}\n" for number in range(size))
    yield "model.py", f"{HEAD}class Model(nn.Module):\n{INIT}{lines}\n{FORWARD}{used}        return x\n"


def fitted_later(size: int) -> Files:
    """One class that leaves many attributes to methods, each of which ``forward`` uses by itself."""
    lines = "".join(f"        self.x{number} = None\n" for number in range(size))
    fits = "".join(
        f"    def fit_{number}(self, x: torch.Tensor):\n        self.x{number} = x.mean(0)\n\n"
        for number in range(size)
    )
    used = "".join(f"        y = x * self.x{number}\n" for number in range(size))
    yield "model.py", f"{HEAD}class Model(nn.Module):\n{INIT}{lines}\n{fits}{FORWARD}{used}        return y\n"


def terms(size: int) -> Files:
    """One sum of many tensors."""
    added = " + ".join(f"torch.ones({number % 7 + 1})" for number in range(size))
    forward = f"{FORWARD}        return x + self.total\n"
    yield "model.py", f"{HEAD}class Model(nn.Module):\n{INIT}        self.total = {added}\n\n{forward}"


def local_terms(size: int) -> Files:
    """One sum of many locals, each with a value of its own."""
    kinds = ("torch.ones(3)", "torch.rand(3)", "torch.arange(3)", "2.0")
    lines = "".join(f"        t{number} = {kinds[number % len(kinds)]}\n" for number in range(size))
    added = " + ".join(f"t{number}" for number in range(size))
    yield "model.py", f"{HEAD}class Model(nn.Module):\n{INIT}{lines}        self.total = {added}\n"


def long_initialiser(size: int) -> Files:
    """One ``__init__`` of many lines of all kinds."""
    kinds = (
        "        self.layer{n} = nn.Linear({n}, width)\n",
        "        size{n} = width * {n} + len(self.names)\n",
        "        if size{n_before} > {n}:\n            self.flag{n} = None\n",
        "        table{n} = torch.arange(size{n_far}, dtype=torch.float32).unsqueeze(0)\n",
        "        self.table{n} = table{n_before} / width\n",
    )
    lines = "".join(kinds[number % 5].format(n=number, n_before=number - 1, n_far=number - 2) for number in range(size))
    head = "    def __init__(self, width, names):\n        super().__init__()\n        self.names = names\n"
    yield "model.py", f"{HEAD}class Model(nn.Module):\n{head}{lines}"


def branches(size: int) -> Files:
    """One ``__init__`` with many branches, one after the other, over ever more attributes."""
    one = (
        "        if width > {n}:\n            self.x{n} = torch.ones(4)\n        else:\n            self.x{n} = None\n"
    )
    lines = "".join(one.format(n=number) for number in range(size))
    head = "    def __init__(self, width):\n        super().__init__()\n"
    yield "model.py", f"{HEAD}class Model(nn.Module):\n{head}{lines}"


def many_methods(size: int) -> Files:
    """One class with many methods, each of which reads an attribute and calls the one before."""
    one = "    def step{n}(self, x):\n        return self.step{before}(x) + self.scale\n"
    first = "    def step0(self, x):\n        return x * self.scale\n"
    methods = "\n".join(one.format(n=number, before=number - 1) for number in range(1, size))
    yield "model.py", f"{HEAD}class Model(nn.Module):\n{INIT}        self.scale = torch.ones(3)\n\n{first}\n{methods}"


def hierarchy(size: int) -> Files:
    """One file in which each class inherits from the one before."""
    classes = [_flagged("Part0")]
    for number in range(1, size):
        attribute = f"        self.scale{number} = torch.ones(3)\n"
        classes.append(f"class Part{number}(Part{number - 1}):\n{INIT}{attribute}")
    yield "model.py", HEAD + "\n\n".join(classes)


def re_exports(size: int) -> Files:
    """A package whose names come through a chain of modules, each of which hands the name of the one before on."""
    yield "package/__init__.py", f"from .step{size - 1} import Base\n"
    yield "package/step0.py", HEAD + _flagged("Base")
    for number in range(1, size):
        yield f"package/step{number}.py", f"from .step{number - 1} import Base as Base\n"
    yield (
        "package/model.py",
        f"import torch\nfrom . import Base\n\n\nclass Model(Base):\n{INIT}        self.x = torch.ones(3)\n",
    )


def star_exports(size: int) -> Files:
    """A package whose ``__init__`` takes all names of many modules, each of which takes the first from there."""
    yield "package/__init__.py", "".join(f"from .part{number} import *\n" for number in range(size))
    yield "package/part0.py", HEAD + _flagged("Part0")
    for number in range(1, size):
        head = "from package import Part0\nimport torch\n\n\n"
        yield f"package/part{number}.py", head + _flagged(f"Part{number}", "Part0")


def subclasses(size: int) -> Files:
    """A base class with many subclasses, each in a file of its own."""
    yield "package/__init__.py", ""
    yield "package/base.py", HEAD + _flagged("Base")
    for number in range(size):
        own = f"class Part{number}(Base):\n{INIT}        self.x = torch.ones(3)\n"
        yield f"package/part{number}.py", f"import torch\nfrom package.base import Base\n\n\n{own}"


def callers(size: int) -> Files:
    """A class with an open argument, made in many functions of many files."""
    yield "package/__init__.py", ""
    head = "    def __init__(self, weight):\n        super().__init__()\n"
    yield "package/part.py", f"{HEAD}class Part(nn.Module):\n{head}        self.weight = weight\n"
    for number in range(0, size, 10):
        makers = "\n\n".join(
            f"def make{one}():\n    return Part(torch.ones({one}))\n" for one in range(number, min(number + 10, size))
        )
        yield f"package/make{number}.py", f"import torch\nfrom package.part import Part\n\n\n{makers}"


def files_without_modules(size: int) -> Files:
    """A package of many small files, few of which hold an nn.Module class."""
    yield "package/__init__.py", ""
    for number in range(size):
        plain = f"def work(x):\n    return x + {number}\n\n\nclass Thing:\n    size = {number}\n"
        folder = f"package/folder{number // 100}"
        if number % 100 == 0:
            yield f"{folder}/__init__.py", ""
        yield f"{folder}/module{number}.py", HEAD + _flagged(f"Part{number}") if number % 100 == 1 else plain


def data(size: int) -> Files:
    """A file of ``size`` rows that holds nothing but data, beside a class that uses one of them."""
    rows = "".join(
        f'    ("name-{number}", {number}, [{number}, {number + 1}], "a text of some length"),\n'
        for number in range(size)
    )
    yield "package/__init__.py", ""
    yield "package/data.py", f"ROWS = [\n{rows}]\nCOUNT = {size}\n"
    text = f"{HEAD}from package.data import COUNT, ROWS\n\n\nclass Model(nn.Module):\n{INIT}"
    yield (
        "package/model.py",
        f"{text}        self.rows = torch.ones(COUNT)\n        self.names = [row[0] for row in ROWS]\n",
    )


def findings_with_comments(size: int) -> Files:
    """One file with many findings, each with a comment that hides it."""
    parts = (_flagged(f"Part{number}").replace("ones(3)", "ones(3)  # noqa: RBF001") for number in range(size))
    yield "model.py", HEAD + "\n\n".join(parts)


def functions(size: int) -> Files:
    """One file with many helper functions, most of which call the one before, and a class that calls them all."""
    helpers = ["def make0():\n    return torch.ones(3)\n"]
    for number in range(1, size):
        called = number - 1 if number % 5 else max(number - 5, 0)
        helpers.append(f"def make{number}():\n    return make{called}() * {number}\n")
    lines = "".join(f"        self.x{number} = make{number}()\n" for number in range(size))
    joined = "\n\n".join(helpers)
    yield "model.py", f"{HEAD}{joined}\n\nclass Model(nn.Module):\n{INIT}{lines}"


CASES = {
    case.name: case
    for case in (
        Case("flagged-classes", 1_000, flagged_classes),
        Case("flagged-classes-many", 5_000, flagged_classes),
        Case("hidden-findings", 1_000, findings_with_comments),
        Case("assignments", 5_000, assignments),
        Case("accumulated-uses", 500, accumulated),
        Case("fitted-later", 500, fitted_later),
        Case("sum-of-tensors", 5_000, terms),
        Case("sum-of-locals", 2_000, local_terms),
        Case("long-initialiser", 5_000, long_initialiser),
        Case("branches", 1_000, branches),
        Case("methods", 1_000, many_methods),
        Case("functions", 1_000, functions),
        Case("hierarchy", 500, hierarchy),
        Case("re-exports", 1_000, re_exports),
        Case("star-exports", 400, star_exports),
        Case("subclasses", 1_000, subclasses),
        Case("callers", 4_000, callers),
        Case("data", 130_000, data),
        Case("package", 20_000, files_without_modules),
    )
}


def main() -> int:
    """Write one project."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", nargs=3, metavar=("CASE", "SIZE", "FOLDER"), required=True)
    name, size, folder = parser.parse_args().write
    CASES[name].write(int(size), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
