"""From what a name stands for in the index to a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.index.symbols import ClassSymbol, External, FileSymbol, FunctionSymbol, Symbol, ValueSymbol
from regbuf_lint.infer import torch_api
from regbuf_lint.infer.annotations import annotated
from regbuf_lint.infer.collections import item_at
from regbuf_lint.infer.generators import as_shared
from regbuf_lint.infer.references import ClassValue, ExternalValue, FileValue, FunctionValue
from regbuf_lint.infer.state import State
from regbuf_lint.model.value import NUMBER, UNKNOWN, Unknown, Value, held, join, may_be, unknown
from regbuf_lint.torch_facts.library_functions import is_listed, library_functions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.infer.frame import Frame


def value_of_symbols(frame: Frame, symbols: Iterable[Symbol]) -> Value:
    """What a name can be that stands for any of ``symbols``."""
    return join(_value(frame, symbol) for symbol in symbols) or UNKNOWN


def _value(frame: Frame, symbol: Symbol) -> Value:
    if isinstance(symbol, External):
        if symbol.name in library_functions().numbers:
            return NUMBER
        return torch_api.constant(symbol.name) or frozenset({ExternalValue(symbol.name)})
    if not isinstance(symbol, FileSymbol) and frame.inference.is_tensor_function(symbol.name):
        return frozenset({ExternalValue(symbol.name)})
    if isinstance(symbol, FileSymbol):
        return frozenset({FileValue(symbol.file)})
    if isinstance(symbol, ClassSymbol):
        return frozenset({ClassValue(symbol)})
    if isinstance(symbol, FunctionSymbol):
        return frozenset({ExternalValue(symbol.name)}) if is_listed(symbol.name) else _function(symbol)
    if isinstance(symbol, ValueSymbol):
        return _assigned(frame, symbol)
    return unknown(f"`{symbol.name}` cannot be resolved")


def _function(symbol: FunctionSymbol) -> Value:
    return frozenset({symbol.scope.told(FunctionValue)})


def _assigned(frame: Frame, symbol: ValueSymbol) -> Value:
    inference = frame.inference
    value = inference.memo.found_once(
        inference.constants,
        symbol.value,
        "constant",
        lambda: frame.elsewhere(symbol.scope).evaluate(symbol.value, State()),
    )
    if value is None:
        return unknown("bound in terms of itself")
    for index in symbol.path:
        value = item_at(value, index)
    if symbol.annotation is not None and may_be(value, Unknown):
        value = annotated(inference, symbol.scope, symbol.annotation)
    return held(as_shared(value))
