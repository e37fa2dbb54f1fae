from __future__ import annotations

import pytest

from regbuf_lint.torch_facts.traits import has


@pytest.mark.parametrize(
    ("trait", "name", "expected"),
    [
        ("factory_functions", "torch.zeros", True),
        ("factory_functions", "mylib.zeros", False),
        ("draw_functions", "torch.zeros", False),
        ("host_methods", "item", True),
        ("metadata_properties", "shape", True),
        ("place_properties", "device", True),
        ("reshape_methods", "view", True),
        ("view_methods", "transpose", True),
        ("view_functions", "transpose", False),
    ],
)
def test_traits_of_one_kind_of_names(trait: str, name: str, *, expected: bool) -> None:
    assert has(trait, name) is expected
