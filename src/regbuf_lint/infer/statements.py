"""What each kind of statement does to a state."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from regbuf_lint.index.symbols import External, FileSymbol
from regbuf_lint.index.tree import walk
from regbuf_lint.infer.annotations import annotated
from regbuf_lint.infer.collections import element_of, items_of
from regbuf_lint.infer.expressions import combine
from regbuf_lint.infer.locations import shared_location
from regbuf_lint.infer.narrowing import assume, give_default, matches
from regbuf_lint.infer.references import ClassValue, ExternalValue, FunctionValue, SelfValue
from regbuf_lint.infer.state import State, meet
from regbuf_lint.infer.symbols import value_of_symbols
from regbuf_lint.infer.targets import bind, mixed, write
from regbuf_lint.infer.torch_api import result_tensor
from regbuf_lint.model.class_view import WriteForm
from regbuf_lint.model.value import (
    NONE,
    NOTHING,
    TENSOR_KINDS,
    UNKNOWN,
    UNSET,
    Tensor,
    Unknown,
    Value,
    is_parameter_or_tensor,
    join,
    map_tensors,
    may_be,
)
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from regbuf_lint.infer.frame import Frame

Handler: TypeAlias = Callable[["Frame", Any, State], None]


def _expression(frame: Frame, statement: ast.Expr, state: State) -> None:
    frame.evaluate(statement.value, state)


def _assign(frame: Frame, statement: ast.Assign, state: State) -> None:
    value = frame.evaluate(statement.value, state)
    if is_parameter_or_tensor(value) and _assign_either(frame, statement, state):
        return
    form = WriteForm.PLAIN if len(statement.targets) == 1 else WriteForm.CHAINED
    for target in statement.targets:
        bind(frame, target, value, state, form)
        frame.assigned(target, statement.value, state)
    _note_stored_result(frame, statement)


def _assign_either(frame: Frame, statement: ast.Assign, state: State) -> bool:
    """``self.x = nn.Parameter(t) if flag else t``, as if each side stood in a branch; False where it is another one."""
    target, value = statement.targets[0], statement.value
    if len(statement.targets) > 1 or not isinstance(target, ast.Attribute) or not isinstance(value, ast.IfExp):
        return False
    if not any(isinstance(one, SelfValue) for one in frame.evaluate(target.value, state)):
        return False
    reached = []
    for side, truth in ((value.body, True), (value.orelse, False)):
        branch = state.copy()
        if assume(frame, value.test, branch, truth=truth):
            write(frame, target, target.attr, frame.evaluate(side, branch), branch, WriteForm.PLAIN, side)
            frame.assigned(target, side, branch)
            reached.append(branch)
    if len(reached) > 1:
        give_default(frame, value.test, *reached)
    state.become(meet(reached))
    return True


def _note_stored_result(frame: Frame, statement: ast.Assign) -> None:
    """``self.w = self.register_buffer("w", t)``: tell the registration where its result goes."""
    target = statement.targets[0]
    number = frame.registered.get(statement.value)
    if number is not None and frame.recorder is not None and isinstance(target, ast.Attribute):
        frame.recorder.stores_result(number, target.attr)


def _annotated_assign(frame: Frame, statement: ast.AnnAssign, state: State) -> None:
    if statement.value is None:
        return
    value = frame.evaluate(statement.value, state)
    if may_be(value, Unknown):
        promised = annotated(frame.inference, frame.scope, statement.annotation)
        value = _as_promised(value, promised) if not may_be(promised, Unknown) else value
    bind(frame, statement.target, value, state, WriteForm.ANNOTATED)
    frame.assigned(statement.target, statement.value, state)


def _as_promised(value: Value, promised: Value) -> Value:
    """What an annotation promises of an unknown value, lying where that has been moved to."""
    location = shared_location(one for one in value if isinstance(one, Unknown))
    return map_tensors(promised, lambda tensor: replace(tensor, location=location))


def _augmented_assign(frame: Frame, statement: ast.AugAssign, state: State) -> None:
    change = frame.evaluate(statement.value, state)
    if isinstance(statement.target, ast.Subscript):
        bind(frame, statement.target, change, state)
        frame.changed(statement.target, NOTHING, statement.value, state)
        return
    before = frame.evaluate(_loaded(statement.target), state)
    frame.changed(statement.target, before, statement.value, state)
    bind(frame, statement.target, _changed(before, change, statement.op), state, WriteForm.AUGMENTED)


def _changed(before: Value, change: Value, operator: ast.operator) -> Value:
    """What ``before`` is after ``before += change``: a tensor, Parameter or buffer is changed in place."""
    found: list[Value] = []
    for one in before:
        if isinstance(one, TENSOR_KINDS):
            found.append(frozenset({mixed(one, result_tensor([change])) if isinstance(one, Tensor) else one}))
        else:
            found.append(combine(frozenset({one}), change, operator))
    return join(found) or UNKNOWN


def _loaded(target: ast.Name | ast.Attribute) -> ast.expr:
    """The target of an augmented assignment as an expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)


def _if(frame: Frame, statement: ast.If, state: State) -> None:
    frame.evaluate(statement.test, state)
    frame.decided(statement.test)
    then, otherwise = state.copy(), state.copy()
    reached, returned = [], len(frame.exits)
    with frame.maybe():
        if assume(frame, statement.test, then, truth=True):
            frame.execute(statement.body, then)
            reached.append(then)
        if assume(frame, statement.test, otherwise, truth=False):
            frame.execute(statement.orelse, otherwise)
            reached.append(otherwise)
    if len(reached) > 1:
        give_default(frame, statement.test, then, otherwise)
        frame.branched(statement.test, (then, otherwise))
        if then.alive is not otherwise.alive and len(frame.exits) > returned:
            frame.guards.append((statement.test, returned, len(frame.exits)))
    state.become(meet(reached or [then]))


def _for(frame: Frame, statement: ast.For | ast.AsyncFor, state: State) -> None:
    iterable = frame.evaluate(statement.iter, state)
    items = items_of(iterable)
    if items is not None and _names_attributes(statement):
        _unrolled(frame, statement, items, state)
        return
    inner = state.copy()
    bind(frame, statement.target, element_of(iterable), inner)
    frame.iterated(statement.target, statement.iter, inner)
    _loop(frame, statement, inner, state, certain=items is not None and len(items) > 0)


def _unrolled(frame: Frame, statement: ast.For | ast.AsyncFor, items: tuple[Value, ...], state: State) -> None:
    frame.broken.append([])
    frame.loops += 1
    for item in items:
        if state.alive:
            bind(frame, statement.target, item, state)
            frame.iterated(statement.target, statement.iter, state)
            frame.execute(statement.body, state)
    frame.loops -= 1
    state.become(meet([state, *frame.broken.pop()]))
    frame.execute(statement.orelse, state)


def _names_attributes(statement: ast.For | ast.AsyncFor) -> bool:
    """Whether the loop's body sets attributes by a computed name, so that each round is a different attribute."""
    for node in walk(statement):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id == "setattr":
                return True
            if isinstance(function, ast.Attribute) and function.attr in {"register_buffer", "register_parameter"}:
                return True
    return False


def _while(frame: Frame, statement: ast.While, state: State) -> None:
    frame.evaluate(statement.test, state)
    frame.decided(statement.test)
    inner = state.copy()
    if not assume(frame, statement.test, inner, truth=True):
        return
    certain = isinstance(statement.test, ast.Constant) and bool(statement.test.value)
    _loop(frame, statement, inner, state, certain=certain)
    assume(frame, statement.test, state, truth=False)


def _loop(
    frame: Frame, statement: ast.For | ast.AsyncFor | ast.While, inner: State, state: State, *, certain: bool
) -> None:
    """Run a loop's body; what it binds may or may not have happened where the loop may not run at all."""
    frame.broken.append([])
    frame.loops += 1
    with frame.maybe():
        frame.execute(statement.body, inner)
        for _ in range(frame.rounds - 1):
            inner.become(meet([state.copy(), inner.copy()]))
            if not isinstance(statement, ast.While):
                frame.iterated(statement.target, statement.iter, inner)
            frame.execute(statement.body, inner)
    frame.loops -= 1
    ends = [inner, *frame.broken.pop()]
    alive = [end for end in ends if end.alive]
    state.become(meet(alive if certain and alive else [state, *alive]))
    _drop_unset_locals(state)
    frame.execute(statement.orelse, state)


def _drop_unset_locals(state: State) -> None:
    """A name that only the loop binds is read later on the assumption that the loop ran."""
    for name, value in state.locals.items():
        if value & UNSET and value != UNSET:
            state.locals[name] = value - UNSET


def _jump(frame: Frame, _statement: ast.stmt, state: State) -> None:
    if frame.broken:
        frame.broken[-1].append(state.copy())
    state.alive = False


def _with(frame: Frame, statement: ast.With | ast.AsyncWith, state: State) -> None:
    quiet = 0
    for item in statement.items:
        frame.evaluate(item.context_expr, state)
        called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
        if called is not None and _is_no_gradient(frame.evaluate(called, state)):
            quiet += 1
        if item.optional_vars is not None:
            bind(frame, item.optional_vars, UNKNOWN, state)
            frame.assigned(item.optional_vars, item.context_expr, state)
    frame.quiet_gradient += quiet
    frame.execute(statement.body, state)
    frame.quiet_gradient -= quiet


def _is_no_gradient(value: Value) -> bool:
    return any(isinstance(one, ExternalValue) and has("without_gradient_functions", one.name) for one in value)


def _try(frame: Frame, statement: ast.Try, state: State) -> None:
    before = state.copy()
    with frame.maybe() if statement.handlers else nullcontext():
        frame.execute(statement.body, state)
    caught = [meet([before.copy(), state.copy()]) for _ in statement.handlers]
    for handler, start in zip(statement.handlers, caught, strict=True):
        if handler.name:
            start.locals[handler.name] = UNKNOWN
        with frame.maybe():
            frame.execute(handler.body, start)
    if state.alive:
        frame.execute(statement.orelse, state)
    state.become(meet([state, *caught]))
    if statement.finalbody:
        alive = state.alive
        state.alive = True
        frame.execute(statement.finalbody, state)
        state.alive = state.alive and alive


def _match(frame: Frame, statement: ast.Match, state: State) -> None:
    frame.evaluate(statement.subject, state)
    reached = []
    for case in statement.cases:
        branch = state.copy()
        if not matches(frame, statement.subject, case.pattern, branch):
            continue
        for node in walk(case.pattern):
            name = getattr(node, "name", None) if isinstance(node, (ast.MatchAs, ast.MatchStar)) else None
            if name:
                branch.locals[name] = frame.evaluate(statement.subject, branch) if node is case.pattern else UNKNOWN
        with frame.maybe():
            frame.execute(case.body, branch)
        reached.append(branch)
    last = statement.cases[-1]
    if not (isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None):
        reached.append(state.copy())
    state.become(meet(reached))


def _return(frame: Frame, statement: ast.Return, state: State) -> None:
    frame.returned.append(NONE if statement.value is None else frame.evaluate(statement.value, state))
    if statement.value is not None:
        frame.leaves(statement.value, state)
    frame.exits.append(state.copy())
    state.alive = False


def _raise(_frame: Frame, _statement: ast.Raise, state: State) -> None:
    state.alive = False


def _assert(frame: Frame, statement: ast.Assert, state: State) -> None:
    if isinstance(statement.test, ast.Constant) and not statement.test.value:
        state.alive = False
        return
    frame.evaluate(statement.test, state)
    frame.decided(statement.test)
    assume(frame, statement.test, state, truth=True)


def _delete(frame: Frame, statement: ast.Delete, state: State) -> None:
    for target in statement.targets:
        if isinstance(target, ast.Name):
            state.locals.pop(target.id, None)
        elif isinstance(target, ast.Attribute):
            owner = frame.evaluate(target.value, state)
            if any(isinstance(one, SelfValue) for one in owner):
                write(frame, target, target.attr, NOTHING, state, WriteForm.DELETED)
                state.attributes.pop(target.attr, None)


def _function(frame: Frame, statement: ast.FunctionDef | ast.AsyncFunctionDef, state: State) -> None:
    scope = frame.scope.child(statement)
    closure = {**frame.closure, **state.locals}
    trails = {**frame.closure_trails, **state.trails}
    state.locals[statement.name] = frozenset({FunctionValue(scope, closure, owner=frame.owner, trails=trails)})


def _class(frame: Frame, statement: ast.ClassDef, state: State) -> None:
    symbols = frame.inference.project.lookup(frame.scope, statement.name)
    value = value_of_symbols(frame, symbols)
    state.locals[statement.name] = frozenset(one for one in value if isinstance(one, ClassValue)) or UNKNOWN


def _import(frame: Frame, statement: ast.Import, state: State) -> None:
    for alias in statement.names:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        file = frame.inference.project.file(name, frame.scope.file.root)
        symbol = FileSymbol(file) if file is not None else External(name)
        state.locals[alias.asname or name] = value_of_symbols(frame, (symbol,))


def _import_from(frame: Frame, statement: ast.ImportFrom, state: State) -> None:
    origin = frame.scope.file.absolute(statement.module or "", statement.level)
    for alias in statement.names:
        if alias.name != "*":
            symbols = frame.inference.project.imported(origin, alias.name, frame.scope.file.root)
            state.locals[alias.asname or alias.name] = value_of_symbols(frame, symbols)


STATEMENTS: dict[type[ast.AST], Handler] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Break: _jump,
    ast.Continue: _jump,
}
if hasattr(ast, "TryStar"):
    STATEMENTS[ast.TryStar] = _try
