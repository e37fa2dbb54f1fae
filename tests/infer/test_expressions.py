"""What kinds of values expressions have."""

from __future__ import annotations

import pytest
from infer_examples import built, constructed, facets

ARGUMENTS = "n: int, x, t: Tensor, maybe: Optional[Tensor], many: list[Tensor]"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # torch's functions, methods and properties
        ("torch.ones(n)", "tensor"),
        ("F.softmax(torch.ones(n), dim=0)", "tensor"),
        ("torch.nn.functional.one_hot(torch.arange(n))", "tensor"),
        ("torch.from_numpy(np.eye(3))", "tensor"),
        ("torch.as_tensor(x)", "tensor"),
        ("torch.LongTensor([1])", "tensor"),
        ("torch.ones(n).cuda().half()", "tensor"),
        ("torch.ones(n).T", "tensor"),
        ("torch.where(t > 0, t, 0)", "tensor"),
        ("torch.where(t > 0)", "list[tensor...]"),
        ("torch.max(t)", "tensor"),
        ("torch.max(t, dim=0)", "tuple[tensor, tensor]"),
        ("t.max(dim=0).values", "tensor"),
        ("torch.linalg.svd(t).U", "tensor"),
        ("torch.lu_unpack(t, t)", "tuple[tensor, tensor, tensor]"),
        ("torch.lu_unpack(t, t)[0]", "tensor"),
        ("t.chunk(2)[0]", "tensor"),
        ("torch.ones(n).shape", "other"),
        ("torch.ones(n).size(0)", "other"),
        ("torch.ones(n).item()", "other"),
        ("torch.ones(n).tolist()", "other"),
        ("torch.ones(n).numpy()", "other"),
        ("torch.Size([n])", "other"),
        ("torch.float32", "other"),
        ("torch.device('cpu')", "other"),
        ("torch.Generator()", "other"),
        ("torch.compile(F.gelu)", "other"),
        ("F.gelu", "object"),
        ("torch.load('file')", "?"),
        ("torch.distributions.Normal(0, 1)", "distribution"),
        # Parameters, buffers and nn.Modules
        ("nn.Parameter(torch.ones(n))", "parameter"),
        ("nn.Parameter(torch.ones(n)).data", "tensor"),
        ("nn.Parameter(torch.ones(n)) * 2", "tensor"),
        ("nn.Buffer(torch.ones(n))", "buffer"),
        ("nn.Linear(n, n)", "module"),
        ("nn.Linear(n, n).weight", "None | parameter"),
        ("nn.Linear(n, n)(torch.ones(n))", "tensor"),
        # operators
        ("2 - torch.ones(n)", "tensor"),
        ("-torch.ones(n)", "tensor"),
        ("torch.ones(n) > 0", "tensor"),
        ("torch.ones(n)[:, None]", "tensor"),
        ("x + torch.ones(n)", "tensor"),
        ("t is None", "other"),
        ("not t", "other"),
        ("n * 2", "other"),
        # arguments and what is not known
        ("t", "tensor"),
        ("maybe", "None | tensor"),
        ("x", "?"),
        ("x[0]", "?"),
        ("x.to(torch.float32)", "?"),
        ("undefined_name", "?"),
        # choices
        ("t if n else None", "None | tensor"),
        ("nn.Parameter(torch.ones(n)) if n else None", "None | parameter"),
        ("torch.ones(n) if n else x", "? | tensor"),
        ("t if maybe is None else None", "None | tensor"),
        ("n if t is None else 'tensor'", "'tensor'"),
        # containers
        ("[torch.ones(n), 1]", "list[tensor, 1]"),
        ("(torch.ones(n), None)", "tuple[tensor, None]"),
        ("[torch.ones(i) for i in range(n)]", "list[tensor...]"),
        ("many", "list[tensor...]"),
        ("many[0] + 1", "tensor"),
        ("many[1:]", "list[tensor...]"),
        ("[t] * n", "list[tensor...]"),
        ("[1, *[2, 3]]", "list[1, 2, 3]"),
        ("{'a': t, **{'b': 1}}", "dict[a: tensor, b: 1]"),
        ("{'a': t}['a']", "tensor"),
        ("{'a': t}.get('b')", "None"),
        ("{i: t for i in range(n)}", "dict[tensor...]"),
        ("OrderedDict([('a', t)], b=1)", "dict[a: tensor, b: 1]"),
        ("dict(zip('ab', many))", "dict[tensor...]"),
        ("[name for name, _ in {'a': t}.items()]", "list['a'...]"),
        # Python's own functions
        ("sum(many)", "tensor"),
        ("next(iter(many))", "tensor"),
        ("list(map(torch.ones, [1, 2]))", "list[tensor...]"),
        ("len(t)", "other"),
        ("float(t.mean())", "other"),
        ("math.sqrt(n)", "other"),
        ("np.zeros(3)", "other"),
        ("copy.deepcopy(t)", "tensor"),
        ("getattr(torch, 'ones')(n)", "tensor"),
        ("(lambda: torch.ones(n))()", "tensor"),
        ("(y := torch.ones(n))", "tensor"),
        ("'mask'", "'mask'"),
        ("f'{1}_{2}'", "'1_2'"),
        ("'{}_mask'.format(n)", "other"),
    ],
)
def test_kind(expression: str, expected: str) -> None:
    assert constructed(f"self.v = {expression}", arguments=ARGUMENTS)["v"] == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("torch.ones(n)", set()),
        ("torch.rand(n)", {"random"}),
        ("torch.ones(n) + torch.randn(n)", {"random"}),
        ("torch.ones(n).normal_()", {"random"}),
        ("F.dropout(torch.ones(n))", {"random"}),
        ("torch.randn(n, requires_grad=True)", {"random", "grad"}),
        ("torch.ones(n).requires_grad_()", {"grad"}),
        ("torch.ones(n).requires_grad_(False)", set()),
        ("torch.ones(n, requires_grad=True) * 2", {"graph"}),
        ("torch.ones(n, requires_grad=True).detach()", set()),
        ("nn.Parameter(torch.ones(n)) * 2", {"graph", "float"}),
        ("nn.Parameter(torch.ones(n), requires_grad=False) * 2", {"float"}),
        ("nn.Parameter(torch.rand(n)).data", {"random", "shared", "float"}),
        ("nn.Linear(n, n).weight.detach()", {"random", "shared", "float"}),
        ("t", {"shared", "outside"}),
        ("t.clone()", {"outside"}),
        ("t.to('cpu')", {"shared", "outside"}),
        ("torch.as_tensor(x)", {"shared", "outside"}),
        ("torch.tensor(x)", set()),
        ("torch.arange(n).expand(2, n)", {"expanded"}),
        ("torch.arange(n).expand(2, n).clone()", set()),
        ("torch.arange(n) > 1", {"bool"}),
        ("torch.ones(n).long()", {"int"}),
        ("torch.ones(n, dtype=torch.float16)", {"float"}),
        ("torch.polar(torch.ones(n), torch.ones(n))", {"complex"}),
        ("torch.get_rng_state()", set()),
    ],
)
def test_facets(expression: str, expected: set[str]) -> None:
    text = "class Model(nn.Module):\n    def __init__(self, n: int, x, t: Tensor):\n        super().__init__()\n"
    (one,) = built(text + f"        self.v = {expression}\n").attributes["v"].value
    assert facets(one) == expected
