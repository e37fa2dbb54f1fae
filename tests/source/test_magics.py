"""What of a cell is IPython's alone, and what only looks like it."""

from __future__ import annotations

import pytest

from regbuf_lint.source.magics import find_magics


@pytest.mark.parametrize(
    ("source", "magics"),
    [
        ("%matplotlib inline", ["%matplotlib inline"]),
        ("import os\n  %time f()  # why\nx = 1", ["%time f()  # why"]),
        ("!pip install x\n!ls \\\n  -l\\\r\n  -a\nx = 1", ["!pip install x", "!ls \\\n  -l\\\r\n  -a"]),
        ("!!ls\n,f a b\n;f a b\n/f a", ["!!ls", ",f a b", ";f a b", "/f a"]),
        ("?torch\n??torch\ntorch.nn?\n", ["?torch", "??torch", "torch.nn?"]),
        ("torch.*Loss??\n%time?", ["torch.*Loss??", "%time?"]),
        ("torch?  # help", ["torch?  # help"]),
        ("if x:\n    files = !ls\n    who, = %who", ["!ls", "%who"]),
        ("a = b = !ls", ["!ls"]),
        ("x = 'it''s'\r\n%time\r\ny = '''\n%no\n'''\n!yes", ["%time", "!yes"]),
        ("f(1,\n  2)\n!yes", ["!yes"]),
        ("pip install torch", ["pip install torch"]),
        ("cd ..\nls -l\nx = 1\n  cat a.txt", ["cd ..", "cat a.txt"]),
        ("%%time\nx = 1", ["%%time"]),
        ("\n%%capture out\nx = 1\n!ls", ["%%capture out", "!ls"]),
        ("# why\n%%timeit\nx", ["%%timeit"]),
        ("%%time?", ["%%time?"]),
        ("x = 'open\n!yes", ["!yes"]),
        ("x = ')'\n!yes", ["!yes"]),
        ("x = )\n!yes", ["!yes"]),
        ("x = '\\\n%no'\n!yes", ["!yes"]),
    ],
)  # fmt: skip
def test_magics(source: str, magics: list[str]) -> None:
    found = find_magics(source)
    assert found is not None
    assert [source[one.start : one.end] for one in found] == magics


@pytest.mark.parametrize(
    "source",
    [
        "",
        "x = (a\n  % b)",
        "x = a \\\n  % b",
        "x = [\n  !1]",
        "x = '''\n%time\n!ls\nx?\n'''",
        'x = """\n?x\n"""  # \'',
        'x = "\\"\\\n!ls"',
        "# x?",
        "x = 1  # really?",
        "x = '?'",
        "f(fill=\n%1)",
        "x != 1\nx %= 2\nx = y % z",
        "cd = 3\ntime = cd\npip",
        "time -= 1\nls [0]\nless or more\nrun if save else load\ntime .sleep(1)",
        "f'{x!r}'\nf'{x:%Y}'",
        "r'\\'\n",
    ],
)
def test_python_is_no_magic(source: str) -> None:
    assert find_magics(source) == ()


@pytest.mark.parametrize(
    "source",
    ["%%bash\nls", "%%html", "\n \n%%javascript\nvar x?", "  %%sql x\nselect 1", "# comment\n%%writefile a.py\nx = 1"],
)
def test_cells_in_another_language(source: str) -> None:
    assert find_magics(source) is None
