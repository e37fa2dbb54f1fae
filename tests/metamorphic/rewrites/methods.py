"""Walking through the methods of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rewrites.transformer import Transformer

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_SPACE = cst.SimpleWhitespace("")


class InMethods(Transformer):
    """Knows, wherever it is, what the method around calls its object."""

    def __init__(self) -> None:
        super().__init__()
        self._around: list[cst.ClassDef | str | None] = []

    @property
    def class_around(self) -> cst.ClassDef | None:
        """The class whose body one is in; None inside of its methods."""
        return self._around[-1] if self._around and isinstance(self._around[-1], cst.ClassDef) else None

    @property
    def in_function(self) -> bool:
        """Whether a function or method is around."""
        return any(not isinstance(one, cst.ClassDef) for one in self._around)

    @property
    def self_name(self) -> str | None:
        """The name of the object; None outside of methods, and where a nested function uses it for something else."""
        return next((one for one in reversed(self._around) if one is None or isinstance(one, str)), None)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._around.append(node)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.BaseStatement:
        self._around.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        if self.class_around is not None:
            self._around.append(first_argument(node))
        elif self.self_name in {param.name.value for param in all_params(node.params)}:
            self._around.append(None)
        else:
            self._around.append(self.self_name)

    def leave_FunctionDef(
        self,
        original_node: cst.FunctionDef,
        updated_node: cst.FunctionDef,
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        self._around.pop()
        return updated_node


def first_argument(method: cst.FunctionDef) -> str | None:
    """What a method calls its object; None for methods that have none."""
    decorators = {name.value for one in method.decorators if isinstance(name := one.decorator, cst.Name)}
    params = [*method.params.posonly_params, *method.params.params]
    if decorators & {"staticmethod", "classmethod"} or not params or method.name.value == "__new__":
        return None
    return params[0].name.value


def all_params(params: cst.Parameters) -> Iterator[cst.Param]:
    """Every parameter, whatever its kind."""
    yield from (*params.posonly_params, *params.params)
    if isinstance(params.star_arg, cst.Param):
        yield params.star_arg
    yield from params.kwonly_params
    if params.star_kwarg is not None:
        yield params.star_kwarg


def arguments(params: cst.Parameters) -> list[cst.Arg]:
    """What hands everything but the object on to a function with the same parameters."""
    places = [*params.posonly_params, *params.params][1:]
    return [
        *(cst.Arg(param.name) for param in places),
        *([cst.Arg(params.star_arg.name, star="*")] if isinstance(params.star_arg, cst.Param) else []),
        *(
            cst.Arg(param.name, keyword=param.name, equal=cst.AssignEqual(_NO_SPACE, _NO_SPACE))
            for param in params.kwonly_params
        ),
        *([cst.Arg(params.star_kwarg.name, star="**")] if params.star_kwarg else []),
    ]


def call_of(self_name: str, method: str, args: list[cst.Arg]) -> cst.Call:
    """The call ``self.method(...)``."""
    return cst.Call(cst.Attribute(cst.Name(self_name), cst.Name(method)), args)
