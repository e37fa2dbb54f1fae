"""Texts before and after each rewrite, and texts that a rewrite leaves alone, since they would do something else."""

from __future__ import annotations

CHANGED: dict[str, list[tuple[str, str]]] = {
    "choices_as_branches": [
        (
            """
            class C:
                def __init__(self, a, b, c):
                    self.a = a if c else b
                    d = e = b if a else c
                    return d if e else a
            """,
            """
            class C:
                def __init__(self, a, b, c):
                    if c:
                        self.a = a
                    else:
                        self.a = b
                    if a:
                        d = e = b
                    else:
                        d = e = c
                    return d if e else a
            """,
        ),
    ],
    "module_aliases": [
        (
            """
            import torch
            from torch import Tensor, nn
            import torch.nn.functional as F

            class C(nn.Module):
                def forward(self, x: "torch.Tensor") -> Tensor:
                    return F.pad(x, (1, 1)) + torch.ones(3)  # torch stays on the CPU
            """,
            """
            import torch as th
            from torch import Tensor
            import torch.nn as tnn
            import torch.nn.functional as fnl

            class C(tnn.Module):
                def forward(self, x: "th.Tensor") -> Tensor:
                    return fnl.pad(x, (1, 1)) + th.ones(3)  # torch stays on the CPU
            """,
        ),
        ("import torch.nn\nx = torch.nn.Module()\n", "import torch.nn\nimport torch as th\nx = th.nn.Module()\n"),
    ],
    "imported_functions": [
        (
            """
            import torch
            from torch import nn

            class C(nn.Module):
                @torch.no_grad()
                def forward(self, x):
                    return torch.relu(x) + nn.functional.relu(x) + torch.special.exp2(x)
            """,
            """
            import torch
            from torch import no_grad as t_no_grad
            from torch import relu as t_relu
            from torch import nn
            from torch.nn.functional import relu as ft_relu
            from torch.nn import Module as t_Module

            class C(t_Module):
                @t_no_grad()
                def forward(self, x):
                    return t_relu(x) + ft_relu(x) + torch.special.exp2(x)
            """,
        )
    ],
    "renamed_self": [
        (
            """
            class C:
                def f(self):
                    return lambda: self.x + g(self=1, a=self) + self.self
                @classmethod
                def g(cls):
                    return cls()
            """,
            """
            class C:
                def f(me):
                    return lambda: me.x + g(self=1, a=me) + me.self
                @classmethod
                def g(kind):
                    return kind()
            """,
        )
    ],
    "results_through_locals": [
        (
            """
            def f(x):
                if x: return x + 1
                # kept plain
                return x  # noqa: RBF001
            """,
            """
            def f(x):
                if x: result = x + 1; return result
                # kept plain
                result = x  # noqa: RBF001
                return result
            """,
        )
    ],
    "attributes_through_locals": [
        (
            """
            class C:
                def f(self, x):
                    y = x * self.a + self.a
                    # note
                    self.b += self.c
                    self.d[0] = 1
                    if y: return self.e.sum()
            """,
            """
            class C:
                def f(self, x):
                    a_now = self.a
                    y = x * a_now + a_now
                    c_now = self.c
                    # note
                    self.b += c_now
                    d_now = self.d
                    d_now[0] = 1
                    if y: e_now = self.e; return e_now.sum()
            """,
        ),
        (
            """
            class C:
                def __init__(self):
                    self.layer = make()
                def f(self, x):
                    return self.layer(x) + self.a
            """,
            """
            class C:
                def __init__(self):
                    self.layer = make()
                def f(self, x):
                    a_now = self.a
                    return self.layer(x) + a_now
            """,
        ),
    ],
    "forward_through_helper": [
        (
            """
            class C:
                @decorated
                def forward(self, x: int, *args, key=None, **kwargs) -> int:
                    \"\"\"Compute.\"\"\"
                    return x  # the rest
            """,
            """
            class C:
                @decorated
                def forward(self, x: int, *args, key=None, **kwargs) -> int:
                    return self._forward_of_C(x, *args, key=key, **kwargs)

                def _forward_of_C(self, x: int, *args, key=None, **kwargs) -> int:
                    \"\"\"Compute.\"\"\"
                    return x  # the rest
            """,
        )
    ],
    "inverted_branches": [
        (
            """
            if a is None:
                b = 1
            # or
            elif c and d:
                b = 2
            else:  # or
                b = x if y else z if w else v
            """,
            """
            if a is not None:
                # or
                if not (c and d):  # or
                    b = (v if not w else z) if not y else x
                else:
                    b = 2
            else:
                b = 1
            """,
        ),
        ("b = x if not y else z\n", "b = z if y else x\n"),
    ],
    "renamed_arguments": [
        (
            """
            class C(object):
                def __init__(self, n, flag=False):
                    self.n = n + len([n for n in range(n)])
                    self.flag = flag

                def other(self, x):
                    return x.n

            C(1, flag=True)
            """,
            """
            class C(object):
                def __init__(self, given_0, given_1=False):
                    self.n = given_0 + len([given_0 for given_0 in range(given_0)])
                    self.flag = given_1

                def other(self, given_2):
                    return given_2.n

            C(1, given_1=True)
            """,
        ),
        (
            '''
            from torch import nn

            class C(nn.Module):
                def __init__(self, scale):
                    """Scale.

                    Args:
                        scale (Tensor): the scale.
                    """
                    self.register_buffer("scale", scale)
            ''',
            '''
            from torch import nn

            class C(nn.Module):
                def __init__(self, given_0):
                    """Scale.

                    Args:
                        given_0 (Tensor): the scale.
                    """
                    self.register_buffer("scale", given_0)
            ''',
        ),
    ],
    "renamed_methods": [
        (
            """
            from torch import nn

            class C(nn.Module):
                def forward(self, x):
                    return self._helped(x) + self.other()
                def _helped(self, x):
                    return super()._helped(x)
                def other(self):
                    return 1
            """,
            """
            from torch import nn

            class C(nn.Module):
                def forward(self, x):
                    return self._step_0(x) + self.step_1()
                def _step_0(self, x):
                    return super()._step_0(x)
                def step_1(self):
                    return 1
            """,
        )
    ],
    "moved_statements": [
        (
            """
            class C:
                def __init__(self, n: int, **kwargs):
                    super().__init__(n)
                    # why
                    self.n = n
                    self.m = kwargs["m"]

                def forward(self, x: Tensor):
                    y = x + 1
                    x = x + 2
                    z = y * x
                    return z
            """,
            """
            class C:
                def __init__(self, n: int, **kwargs):
                    super().__init__(n)
                    self._rest_of_init_of_C(n, **kwargs)

                def _rest_of_init_of_C(self, n: int, **kwargs):
                    # why
                    self.n = n
                    self.m = kwargs["m"]

                def forward(self, x: Tensor):
                    y = x + 1
                    x = x + 2
                    return self._rest_of_forward_of_C(x, y)

                def _rest_of_forward_of_C(self, x, y):
                    z = y * x
                    return z
            """,
        )
    ],
    "base_with_constructor": [
        (
            '''
            class C(nn.Module):
                """Says so."""
                scale: Tensor
                def __init__(self):
                    super(C, self).__init__()
                    self.fill()
                def fill(self):
                    self.scale = 1
                def forward(self, x):
                    return x * self.scale
            ''',
            '''


            class CBase(nn.Module):
                """Says so."""
                scale: Tensor
                def __init__(self):
                    super(CBase, self).__init__()
                    self.fill()
                def fill(self):
                    self.scale = 1
            class C(CBase):
                """Says so."""
                def forward(self, x):
                    return x * self.scale
            ''',
        )
    ],
    "base_with_methods": [
        (
            """
            class C(nn.Module):
                scale: Tensor
                def __init__(self):
                    super().__init__()
                def forward(self, x):
                    return x * self.scale
            """,
            """


            class CBase(nn.Module):
                def forward(self, x):
                    return x * self.scale
            class C(CBase):
                scale: Tensor
                def __init__(self):
                    super().__init__()
            """,
        )
    ],
    "guard_clauses": [
        (
            """
            def f(x):
                if x == 1:
                    return 1
                # else
                else:
                    y = 2
                for z in x:
                    if z:
                        y += 1
                if y:
                    # so
                    x.append(y)
            """,
            """
            def f(x):
                if x == 1:
                    return 1
                # else
                y = 2
                for z in x:
                    if not z:
                        continue
                    y += 1
                if not y:
                    return
                # so
                x.append(y)
            """,
        ),
        (
            """
            def f(x):
                if x: a()
                elif x.y: b()
                else: c()
            """,
            """
            def f(x):
                if x: a(); return
                if x.y: b(); return
                c()
            """,
        ),
    ],
}
LEFT_ALONE: dict[str, list[str]] = {
    "choices_as_branches": [
        "class C:\n    def f(self, a, c):\n        return a if c else self.b\n",
        "class C:\n    def f(self, a, c):\n        self.a = a if c else 1  # why\n",
        "class C:\n    def f(self, a, c):\n        self.a = (a if c else 1)\n",
        "class C:\n    def f(self, a, c):\n        self.a = 1; self.b = a if c else 1\n",
    ],
    "module_aliases": [
        "def f(torch):\n    import torch\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n",
    ],
    "imported_functions": [
        "def f():\n    import torch\n    return torch.ones(3)\n",
        "import torch\nx = torch.float32\n",
    ],
    "renamed_self": ["def f(x):\n    return x.self + g(self=1)\n"],
    "results_through_locals": ["def f():\n    return\ndef g():\n    return None\n"],
    "attributes_through_locals": [
        "class C:\n    def f(self):\n        return self.update() + self.a\n    def update(self): ...\n",
        "class C:\n    def f(self):\n        x = f(self) + self.a\n",
        "class C:\n    def f(self, x):\n        return x and self.a\n",
        "class C:\n    def f(self, x):\n        return self.a if x else self.b\n",
        "class C:\n    def f(self, x):\n        return [self.a for y in x], lambda: self.a\n",
        "class C:\n    def f(self, x):\n        self.a = x\n        self.a, self.b = x\n        del self.a\n",
        "class C:\n    def f(self, x):\n        self.a: int = x\n",
        "class C:\n    def f(self, x):\n        def g(self):\n            return self.a\n        return g\n",
        "class C:\n    @property\n    def a(self): ...\n    def f(self):\n        return self.a + self.a\n",
        "class C:\n    @staticmethod\n    def f(x):\n        return x.a\ndef g(self):\n    return self.a\n",
    ],
    "forward_through_helper": [
        "def forward(x):\n    return x\n",
        "class C:\n    @staticmethod\n    def forward(ctx, x):\n        return x\n",
    ],
    "inverted_branches": ["if a:\n    b = 1\n"],
    "renamed_arguments": [
        "def f(x, **kwargs):\n    return x\ng = f\ng(x=1)\nf(**{'kwargs': 1})\n",
        "def f(x):\n    return locals()['x']\n",
        "from library import Base\nclass C(Base):\n    def forward(self, x):\n        return x\n",
        "from torch import nn\nclass C(nn.Module):\n    def state_dict(self, *args, prefix=''):\n        return {}\n",
    ],
    "renamed_methods": [
        "class C:\n    def f(self): ...\ngetattr(C(), 'f')\n",
        "class C:\n    def append(self, x): ...\n[].append(1)\n",
        "from library import Base\nclass C(Base):\n    def f(self): ...\n",
        "class C:\n    def forward(self): ...\n    def to(self): ...\n    def __len__(self): ...\n",
        "class C:\n    def f(self): ...\n    g = f\n",
        "class C:\n    def f(self):\n        self.f = None\n",
        "class C:\n    @property\n    def f(self): ...\n",
    ],
    "moved_statements": [
        "class C:\n    def __init__(self):\n        self.x = 1\n        super().__init__()\n",
        "class C:\n    def forward(self, x):\n        return x\n",
        "class C:\n    def forward(self, x):\n        if x:\n            y = 1\n        return y\n",
        "class C:\n    def forward(self, x):\n        y = x\n        yield y\n",
        "class C:\n    def forward(self, x):\n        f = lambda: x\n        y = 1\n        x = y\n        f()\n",
    ],
    "base_with_constructor": [
        "class C:\n    def __init__(self): ...\n",
        "@dataclass\nclass C:\n    def __init__(self): ...\n    def f(self): ...\n",
        "class C:\n    def __init__(self):\n        self.__x = 1\n    def f(self): ...\n",
        "class C(metaclass=M):\n    def __init__(self): ...\n    def f(self): ...\n",
        "class C(Generic[T]):\n    def __init__(self): ...\n    def f(self): ...\n",
        "class C:\n    N = 3\n    def __init__(self): ...\n    def f(self, n=N): ...\n",
        "class C:\n    def f(self): ...\n    g = f\n    def __init__(self): ...\n",
    ],
    "base_with_methods": [
        "class C:\n    def f(self): ...\n",
        "class C:\n    def __init__(self): ...\n    def f(self): ...\n    g = property(f)\n",
    ],
    "guard_clauses": [
        "def f(x):\n    if x:\n        return 1\n    return 2\n",
        "def f(x):\n    if x:\n        return 1\n",
        "if x:\n    y = 1\nelse:\n    y = 2\n",
        "def f(x):\n    if x:\n        y = 1\n    else:\n        y = 2\n    return y\n",
    ],
}
