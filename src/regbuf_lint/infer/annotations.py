"""What an annotation promises of a value."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.stores import own_annotations
from regbuf_lint.index.known_classes import Verdict, is_tensor_class, is_torch_distribution
from regbuf_lint.index.symbols import ClassSymbol, External, Symbol, ValueSymbol
from regbuf_lint.infer.references import BuiltSubmodule, Instance, NamedTuple
from regbuf_lint.infer.shapes import with_shape
from regbuf_lint.model.value import (
    GIVEN_DTYPE,
    NAMELESS,
    NONE,
    NOTHING,
    UNKNOWN,
    Array,
    Device,
    Differs,
    Distribution,
    Mapping,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Value,
    join,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.infer.inference import Inference

_PLAIN = frozenset(
    {
        "int", "float", "bool", "str", "bytes", "complex", "range", "slice", "type", "Callable", "Literal", "Number",
        "PathLike", "Path", "ndarray", "dtype", "device", "Size", "Generator", "LiteralString",
    }
)  # fmt: skip
_TORCH_GENERATOR = "torch.Generator"
_USED_GENERATOR = Other("generator", differs=Differs.AT_RANDOM)
"""One of torch that comes from outside: others have drawn with it before."""
_TENSOR_BY_SLIP = "torch.tensor"
"""The function that makes tensors, which many annotations name where they mean the class."""
_BUILT_IN = frozenset({"int", "float", "bool", "str", "bytes", "complex", "range"})
_LISTS = frozenset({"list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "set", "Set", "deque"})
_DICTS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "DefaultDict", "defaultdict"})
_WRAPPERS = frozenset({"Final", "ClassVar", "Annotated", "InitVar", "Required", "NotRequired"})
PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.UninitializedParameter"})
"""Names of classes whose objects nn.Module registers as Parameters."""
_NAMED_TUPLES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple"})
_TYPED_DICTS = frozenset({"typing.TypedDict", "typing_extensions.TypedDict"})
_ARRAY_ANNOTATIONS = frozenset({"jaxtyping", "torchtyping"})


def annotated_in_body(inference: Inference, symbol: ClassSymbol, attribute: str) -> Value | None:
    """The values that an attribute has by the body of a class, or else of its nearest base; None where none says."""
    for base in inference.classes(symbol):
        annotation = inference.definition(base).annotations.get(attribute)
        if annotation is not None:
            return annotated(inference, base.scope, annotation)
    return None


def declared(inference: Inference, symbol: ClassSymbol, attribute: str) -> Value:
    """The values that an attribute has by the body of a class, or by an assignment in a method; Unknown by neither.

    A class goes before its bases.
    """
    for base in inference.classes(symbol):
        definition = inference.definition(base)
        for said in (definition.annotations, *map(own_annotations, definition.functions)):
            if attribute in said:
                return annotated(inference, base.scope, said[attribute])
    return UNKNOWN


def annotated(inference: Inference, scope: Scope, annotation: ast.expr) -> Value:
    """The values that an annotation allows; Unknown where it says nothing that matters here.

    A tensor that comes in through an annotation belongs to somebody else and may be a Parameter.
    """
    if isinstance(annotation, ast.Constant):
        return _constant(inference, scope, annotation.value)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return join(annotated(inference, scope, side) for side in (annotation.left, annotation.right))
    if isinstance(annotation, ast.Subscript):
        return _subscript(inference, scope, annotation)
    if isinstance(annotation, (ast.Name, ast.Attribute)):
        symbols = inference.project.resolve(scope, annotation)
        return join(_symbol(inference, symbol) for symbol in symbols) or UNKNOWN
    return UNKNOWN


def _constant(inference: Inference, scope: Scope, value: object) -> Value:
    if value is None:
        return NONE
    if not isinstance(value, str):
        return UNKNOWN
    try:
        inner = ast.parse(value, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return UNKNOWN
    return annotated(inference, scope, inner)


def _subscript(inference: Inference, scope: Scope, annotation: ast.Subscript) -> Value:
    name = _name(annotation.value)
    index = annotation.slice
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    if name == "Optional":
        return join((annotated(inference, scope, index), NONE))
    if name == "Union":
        return join(annotated(inference, scope, item) for item in items)
    if name in _WRAPPERS and items:
        return annotated(inference, scope, items[0])
    if name in _LISTS and items:
        return frozenset({Sequence(_kind(name), None, annotated(inference, scope, items[0]))})
    if name in {"tuple", "Tuple"}:
        return _tuple(inference, scope, items)
    if name in _DICTS:
        rest = annotated(inference, scope, items[1]) if len(items) > 1 else UNKNOWN
        return frozenset({Mapping((), rest)})
    if name in _PLAIN:
        return _plain(name)
    kind = _array_annotation(inference, scope, annotation.value)
    if kind is not None:
        return with_shape(annotated(inference, scope, items[0]), kind, items[1:])
    return annotated(inference, scope, annotation.value) if items else UNKNOWN


def _plain(name: str) -> Value:
    """An object of one of the types that are no tensors and hold none."""
    known = {"ndarray": Array(), "dtype": GIVEN_DTYPE, "device": Device()}.get(name)
    return frozenset({known or Other(name if name in _BUILT_IN else name.lower())})


def _kind(name: str) -> str:
    """The built-in type that an annotation's name stands for; ``sequence`` where it may be any of several."""
    return name.lower() if name in {"list", "List", "tuple", "Tuple", "set"} else "sequence"


def _array_annotation(inference: Inference, scope: Scope, annotation: ast.expr) -> str | None:
    """Name of what stands around the class in ``Float[Tensor, "b n"]`` of jaxtyping; None for anything else."""
    symbols = inference.project.resolve(scope, annotation)
    names = (symbol.name for symbol in symbols if isinstance(symbol, (External, ClassSymbol)))
    return next((name for name in names if name.partition(".")[0] in _ARRAY_ANNOTATIONS), None)


def _tuple(inference: Inference, scope: Scope, items: list[ast.expr]) -> Value:
    if items and isinstance(items[-1], ast.Constant) and items[-1].value is Ellipsis:
        return frozenset({Sequence("tuple", None, annotated(inference, scope, items[0]))})
    values = tuple(annotated(inference, scope, item) for item in items)
    return frozenset({Sequence("tuple", values, join(values))})


def _symbol(inference: Inference, symbol: Symbol) -> Value:
    if isinstance(symbol, External):
        return _external(inference, symbol)
    if isinstance(symbol, ClassSymbol):
        return instance_of(inference, symbol)
    if isinstance(symbol, ValueSymbol) and not symbol.path:
        if inference.memo.is_working(symbol.value):
            return inference.cut("bound in terms of itself", symbol.value)
        with inference.memo.working(symbol.value):
            return annotated(inference, symbol.scope, symbol.value)
    return UNKNOWN


def _external(inference: Inference, symbol: External) -> Value:
    if is_tensor_class(symbol.name) or symbol.name == _TENSOR_BY_SLIP:
        return frozenset({Tensor(fresh=False, argument=NAMELESS)})
    if symbol.name in PARAMETERS:
        return frozenset({Parameter()})
    if is_torch_distribution(symbol.name):
        return frozenset({Distribution()})
    last = symbol.name.rpartition(".")[2]
    if last in _PLAIN:
        return frozenset({_USED_GENERATOR}) if symbol.name == _TORCH_GENERATOR else _plain(last)
    if last in _LISTS or last in {"tuple", "Tuple"}:
        return frozenset({Sequence(_kind(last), None, UNKNOWN)})
    if last in _DICTS:
        return frozenset({Mapping((), UNKNOWN)})
    if inference.hierarchy.membership(symbol).verdict is Verdict.YES:
        return frozenset({Submodule(symbol.name)})
    return unknown(f"an object of {symbol.name}")


def instance_of(inference: Inference, symbol: ClassSymbol) -> Value:
    """An object of a class whose source is at hand."""
    order = inference.hierarchy.order(symbol)
    if any(isinstance(base, External) and base.name in PARAMETERS for base in order):
        return frozenset({Parameter()})
    if any(isinstance(base, External) and is_tensor_class(base.name) for base in order):
        return frozenset({Tensor(fresh=False, argument=NAMELESS)})
    verdict = inference.hierarchy.membership(symbol).verdict
    if verdict is Verdict.YES:
        return frozenset({BuiltSubmodule(symbol.name, symbol)})
    if any(isinstance(base, External) and is_torch_distribution(base.name) for base in order):
        return frozenset({Distribution()})
    if verdict is not Verdict.NO:
        return unknown(f"an object of {symbol.name}")
    return _record(inference, symbol) or frozenset({Instance(symbol)})


def _record(inference: Inference, symbol: ClassSymbol) -> Value | None:
    """A named tuple, or a dict with known keys, as its class declares its fields.

    None for other classes, and for one of these in a field of its own, which is an object like any other then.
    """
    classes = inference.classes(symbol)
    named = [one for one in classes if _derives(inference, one, _NAMED_TUPLES)]
    if not named and not any(_derives(inference, one, _TYPED_DICTS) for one in classes):
        return None
    fields = _fields(inference, symbol, named or classes[::-1])
    if fields is None:
        return None
    if not named:
        return frozenset({Mapping(tuple(fields.items()), NOTHING)})
    items = tuple(fields.values())
    return frozenset({NamedTuple("tuple", items, join(items), tuple(fields), symbol)})


def _derives(inference: Inference, symbol: ClassSymbol, bases: frozenset[str]) -> bool:
    return any(isinstance(base, External) and base.name in bases for base in inference.hierarchy.bases(symbol)[0])


def _fields(inference: Inference, symbol: ClassSymbol, declaring: Iterable[ClassSymbol]) -> dict[str, Value] | None:
    """What the fields are by their annotations; None for a class in one of its own fields."""

    def find() -> dict[str, Value]:
        return {
            name: annotated(inference, one.scope, annotation)
            for one in declaring
            for name, annotation in inference.definition(one).annotations.items()
        }

    return inference.memo.found_once(inference.fields, symbol.scope, "fields", find)


def _name(expression: ast.expr) -> str:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""
