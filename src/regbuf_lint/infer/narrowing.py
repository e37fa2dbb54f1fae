"""What a condition says about names and attributes on the branch that it guards."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.index.scopes import is_type_checking
from regbuf_lint.index.tree import of_kind
from regbuf_lint.infer.annotations import annotated
from regbuf_lint.infer.builtin_types import BUILT_IN, type_name
from regbuf_lint.infer.class_tests import is_certain, is_of_other_kind, is_tensor_subclass
from regbuf_lint.infer.dimensions import as_numbers
from regbuf_lint.infer.locations import left_out_as
from regbuf_lint.infer.references import ExternalValue, SelfValue
from regbuf_lint.infer.state import State, meet
from regbuf_lint.infer.targets import shared_attribute
from regbuf_lint.model.class_view import AttributeState
from regbuf_lint.model.value import (
    NAMELESS,
    NONE,
    TENSOR_KINDS,
    Alternative,
    Buffer,
    Literal,
    NoneValue,
    Parameter,
    Submodule,
    Tensor,
    Unknown,
    Unset,
    Value,
    held,
    is_number,
    is_only,
    may_be,
    shared_left_out,
    tensors,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import TypeIs

    from regbuf_lint.infer.frame import Frame


_SAME = (ast.Is, ast.Eq, ast.In)
_OTHER = (ast.IsNot, ast.NotEq, ast.NotIn)
_ANY_MODULE = Submodule()
_SET_ELSEWHERE = AttributeState(frozenset({Buffer(), Unknown("somebody else has set it")}))


def assume(frame: Frame, test: ast.expr, state: State, *, truth: bool) -> bool:
    """Narrow ``state`` to where ``test`` is true (or false); False where that cannot be."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return assume(frame, test.operand, state, truth=not truth)
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is truth:
            return all(assume(frame, operand, state, truth=truth) for operand in test.values)
        return _first_that_decides(frame, test, state, truth=truth)
    if isinstance(test, ast.Constant):
        return bool(test.value) is truth
    if is_type_checking(test):
        return not truth
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compare(frame, test, state, truth=truth)
    if isinstance(test, ast.Call):
        return _call(frame, test, state, truth=truth)
    if isinstance(test, (ast.Name, ast.Attribute)):
        return _truthiness(frame, test, state, truth=truth)
    return True


def with_default(frame: Frame, test: ast.expr, taken: Value, other: Value) -> tuple[Value, Value]:
    """The values of two branches of a test, where one of them stands in for an argument or a setting.

    In ``theta if theta is not None else torch.arange(180)`` the argument that may be left out is a tensor too: what
    follows has to work with either. So it is in ``torch.tensor(theta) if isinstance(theta, list) else theta``, where no
    number is made a tensor, beside which others may be numbers. And it is a number where a number stands in for it,
    whatever the test asks.
    """
    may_be_made = not is_number(taken) and not is_number(other) and _asks_for_no_tensor(frame, test)
    if may_be_made or _asks_for_none(test):
        taken, other = _as_stand_in(taken, other), _as_stand_in(other, taken)
    return as_numbers(taken, other), as_numbers(other, taken)


def _as_stand_in(value: Value, stand_in: Value) -> Value:
    """What an argument is where a tensor stands in for it."""
    return _as_tensors(value) if is_only(stand_in, Tensor) else value


def give_default(frame: Frame, test: ast.expr, then: State, otherwise: State) -> None:
    """``if theta is None: theta = torch.arange(180)``, where the branches end; likewise for ``self.theta``.

    What else the branches give another value, as in ``if theta is None: self.angles = torch.arange(180)`` with ``else:
    self.angles = angles``, has to work with either value in what follows, too. An argument that the test asks about,
    and for which a Parameter stands in, may be a Parameter that is to be shared.
    """
    if frame.from_start and (name := _name_asked_for(test)):
        _give_what_others_set(name, (then, otherwise))
    _give_each_other(frame, test, then, otherwise)
    asked = _asked_about(_without_not(test))
    if asked is None:
        return
    taken, other = _current(frame, asked, then), _current(frame, asked, otherwise)
    if taken is None or other is None:
        return
    for state, value in zip((then, otherwise), with_default(frame, test, taken, other), strict=True):
        _replace(frame, asked, value, state)


def _give_each_other(frame: Frame, test: ast.expr, then: State, otherwise: State) -> None:
    """Let what both branches have given a value, attributes and locals, stand in for each other as in a choice."""
    for name, one in then.attributes.items():
        other = otherwise.attributes.get(name, one)
        if other is not one:
            taken, left = with_default(frame, test, one.value, other.value)
            then.attributes[name] = _or_shared(frame, test, replace(one, value=taken), left)
            otherwise.attributes[name] = _or_shared(frame, test, replace(other, value=left), taken)
    for name, ours in then.locals.items():
        theirs = otherwise.locals.get(name, ours)
        if theirs is not ours:
            then.locals[name], otherwise.locals[name] = with_default(frame, test, ours, theirs)


def _or_shared(frame: Frame, test: ast.expr, kept: AttributeState, made: Value) -> AttributeState:
    """What a branch keeps of the arguments that a test asks about, or a Parameter where the other branch makes one."""
    if not is_only(made, Parameter) or not is_only(kept.value, Tensor):
        return kept
    asked = {node.id for node in of_kind(test, ast.Name)}
    if not all(one.argument in asked for one in tensors(kept.value)):
        return kept
    if frame.recorder is not None:
        frame.recorder.may_be_parameter(kept.writes)
    return replace(kept, value=kept.value | {Parameter()})


def _without_not(test: ast.expr) -> ast.expr:
    """What a test asks, be it whether that is so or is not."""
    return test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test


def _asked_about(test: ast.expr) -> ast.expr | None:
    """What a comparison or a call asks about; None for any other test."""
    if isinstance(test, ast.Call):
        return test.args[0] if test.args else None
    return test.left if isinstance(test, ast.Compare) else None


def _give_what_others_set(name: str, ends: Sequence[State]) -> None:
    """Where paths meet, what others may have put where ``if not hasattr(self, "theta")`` puts a tensor is one, too.

    That holds for an object that was followed from the start of its construction.
    """
    written = next((known for end in ends if (known := end.attribute(name)).writes), None)
    for end in ends:
        if written is not None and end.attributes.get(name) is _SET_ELSEWHERE:
            end.attributes[name] = written


def _name_asked_for(test: ast.expr) -> str:
    """``x`` for ``hasattr(self, "x")`` and ``not hasattr(self, "x")``; empty for any other test."""
    test = _without_not(test)
    name = test.args[1] if isinstance(test, ast.Call) and len(test.args) > 1 else None
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""


def _asks_for_none(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        return False
    compared = test.comparators[0]
    return isinstance(compared, ast.Constant) and compared.value is None


def _asks_for_no_tensor(frame: Frame, test: ast.expr) -> bool:
    """Whether a test asks for an instance of a class that is none of tensors."""
    test = _without_not(test)
    if not isinstance(test, ast.Call) or len(test.args) != 2:  # noqa: PLR2004  of isinstance
        return False
    if not _is_called(frame, test, "builtins.isinstance", State()):
        return False
    classes = (annotated(frame.inference, frame.scope, one) for one in _alternatives(test.args[1]))
    return not any(may_be(one, *TENSOR_KINDS) for one in classes)


def _as_tensors(value: Value) -> Value:
    """What may be nothing but arguments, tensors and None, its arguments taken as tensors; any other value as it is.

    An argument that defaults to a number is one where it is not None.
    """
    given = (one for one in value if not isinstance(one, (Tensor, NoneValue)))
    if not all(isinstance(one, Unknown) and one.argument and not one.number for one in given):
        return value
    return frozenset(Tensor(fresh=False, argument=one.argument) if isinstance(one, Unknown) else one for one in value)


def _first_that_decides(frame: Frame, test: ast.BoolOp, state: State, *, truth: bool) -> bool:
    """A false ``and`` (or a true ``or``): one operand decides, and all before it did not."""
    decided = []
    before = state.copy()
    for operand in test.values:
        branch = before.copy()
        if assume(frame, operand, branch, truth=truth):
            decided.append(branch)
        if not assume(frame, operand, before, truth=not truth):
            break
    if not decided:
        return False
    state.become(meet(decided))
    return True


def _compare(frame: Frame, test: ast.Compare, state: State, *, truth: bool) -> bool:
    operator, other = test.ops[0], test.comparators[0]
    asked = _asked_for_class(frame, test.left, state)
    if asked is not None:
        is_one = isinstance(operator, _SAME if truth else _OTHER)
        return not is_one or of_class(frame, asked, other, state, truth=True)
    is_none = isinstance(other, ast.Constant) and other.value is None
    if not is_none or not isinstance(operator, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        frame.compared(test, state, truth=truth)
        return True
    wants_none = isinstance(operator, (ast.Is, ast.Eq)) is truth
    value = _current(frame, test.left, state)
    if value is None:
        return True
    if wants_none:
        possible = any(isinstance(one, (NoneValue, Unset)) or _is_open(one) for one in value)
        _replace(frame, test.left, NONE, state)
        return possible
    rest = _not_none(value)
    _replace(frame, test.left, rest, state)
    return bool(rest)


def _not_none(value: Value) -> Value:
    """What a value is where it is not None."""
    return frozenset(replace(one, present=True) if _is_open(one) else one for one in without(value, NoneValue))


def truthy(value: Value) -> Value:
    """What a value is where it counts as true."""
    return frozenset(one for one in _not_none(value) if not (isinstance(one, Literal) and not one.value))


def _is_open(one: Alternative) -> TypeIs[Unknown]:
    """Whether an alternative may be anything, None too."""
    return isinstance(one, Unknown) and not one.present


def _call(frame: Frame, test: ast.Call, state: State, *, truth: bool) -> bool:
    callee = frame.evaluate(test.func, state)
    names = {one.name for one in callee if isinstance(one, ExternalValue)}
    if not test.args:
        return True
    if "builtins.hasattr" in names and len(test.args) > 1:
        return _hasattr(frame, test.args[0], test.args[1], state, truth=truth)
    if "builtins.isinstance" in names:
        return of_class(frame, test.args[0], test.args[-1], state, truth=truth)
    value = _current(frame, test.args[0], state)
    if value is not None and names & {"torch.is_tensor", "torch.overrides.is_tensor_like"}:
        return _keep_tensors(frame, test.args[0], value, state, truth=truth)
    return True


def _asked_for_class(frame: Frame, node: ast.expr, state: State) -> ast.expr | None:
    """``x`` for ``type(x)`` and ``x.__class__``, None for any other expression."""
    if isinstance(node, ast.Attribute) and node.attr == "__class__":
        return node.value
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    return node.args[0] if _is_called(frame, node, "builtins.type", state) else None


def _is_called(frame: Frame, node: ast.Call, name: str, state: State) -> bool:
    """Whether a function of some name is called."""
    return any(isinstance(one, ExternalValue) and one.name == name for one in frame.evaluate(node.func, state))


def _hasattr(frame: Frame, owner: ast.expr, key: ast.expr, state: State, *, truth: bool) -> bool:
    """``hasattr(self, "x")``: false only where nothing has set ``x``, true wherever everything has."""
    name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
    if not name or not any(isinstance(one, SelfValue) for one in frame.evaluate(owner, state)):
        return True
    known = state.attribute(name)
    rest = without(known.value, Unset)
    if not rest:
        return not truth or _is_set_elsewhere(frame, name, state)
    if name not in state.attributes:
        return True
    if not truth:
        state.attributes[name] = AttributeState()
        return may_be(known.value, Unset)
    state.attributes[name] = replace(known, value=rest)
    return True


def _is_set_elsewhere(frame: Frame, name: str, state: State) -> bool:
    """Whether an attribute that nothing followed so far has set may be there; if so, it may be a buffer."""
    if frame.symbol is None or frame.inference.defines(frame.symbol, name):
        return True
    if frame.from_start and frame.inference.is_all_known(frame.symbol):
        return False
    state.attributes[name] = _SET_ELSEWHERE
    return True


def of_class(frame: Frame, node: ast.expr, named: ast.expr, state: State, *, truth: bool) -> bool:
    """Narrow ``state`` to where ``node`` is (or is not) an instance of what is named; False where that cannot be."""
    value = _current(frame, node, state)
    if value is None:
        return True
    classes = _alternatives(named)
    if all(is_of_other_kind(frame.inference, frame.scope, one) for one in classes):
        open_ones = frozenset(one for one in value if not is_certain(one))
        if truth and not open_ones:
            return False
        value = open_ones if truth else value
        if any(is_tensor_subclass(frame.inference, frame.scope, one) for one in classes):
            return not truth or _keep_tensors(frame, node, value, state, truth=True)
    allowed = [annotated(frame.inference, frame.scope, one) for one in classes]
    every = frozenset(one for value in allowed for one in value)
    if all(isinstance(one, TENSOR_KINDS) for one in every) and any(isinstance(one, Tensor) for one in every):
        return _keep_tensors(frame, node, value, state, truth=truth)
    if every and all(isinstance(one, Parameter) for one in every):
        return _keep_parameters(frame, node, value, state, truth=truth)
    if any(isinstance(one, (*TENSOR_KINDS, Unknown)) for one in every):
        return True
    names = frozenset(one.id if isinstance(one, ast.Name) else "?" for one in classes)
    if truth:
        rest = frozenset(one for one in without(value, *TENSOR_KINDS, NoneValue) if _may_be_instance(one, names))
        unknown = frozenset(one for one in rest if isinstance(one, Unknown) or one == _ANY_MODULE)
        if unknown:
            left_out = shared_left_out(one for one in unknown if isinstance(one, Unknown))
            rest = (rest - unknown) | frozenset(left_out_as(one, left_out) for one in every)
        _replace(frame, node, rest or every, state)
        return True  # who asks does not believe the annotation
    rest = frozenset(one for one in value if type_name(one) not in names)
    _replace(frame, node, rest or value, state)
    return bool(rest)


def matches(frame: Frame, subject: ast.expr, pattern: ast.pattern, state: State) -> bool:
    """Narrow ``state`` to where what ``match`` looks at fits a pattern; False where that cannot be."""
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return matches(frame, subject, pattern.pattern, state)
    if isinstance(pattern, ast.MatchClass):
        return of_class(frame, subject, pattern.cls, state, truth=True)
    if isinstance(pattern, ast.MatchOr) and all(isinstance(one, ast.MatchClass) for one in pattern.patterns):
        named = [one.cls for one in pattern.patterns if isinstance(one, ast.MatchClass)]
        return of_class(frame, subject, ast.Tuple(named, ast.Load()), state, truth=True)
    return True


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """The classes that ``isinstance`` asks for: one, a tuple of them, or ``A | B``."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [one for item in node.elts for one in _alternatives(item)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [node]


def _may_be_instance(one: Alternative, names: frozenset[str]) -> bool:
    name = type_name(one)
    return name not in BUILT_IN or not names <= BUILT_IN or name in names


def _keep_tensors(frame: Frame, node: ast.expr, value: Value, state: State, *, truth: bool) -> bool:
    if not truth:
        rest = without(value, *TENSOR_KINDS)
        _replace(frame, node, rest, state)
        return bool(rest)
    kept = frozenset(one for one in value if isinstance(one, TENSOR_KINDS))
    if may_be(value, Unknown):
        kept |= {Tensor(fresh=False, argument=NAMELESS)}
    _replace(frame, node, kept, state)
    return bool(kept)


def _keep_parameters(frame: Frame, node: ast.expr, value: Value, state: State, *, truth: bool) -> bool:
    if not truth:
        rest = without(value, Parameter)
        _replace(frame, node, rest, state)
        return bool(rest)
    kept = frozenset(one for one in value if isinstance(one, Parameter))
    if any(isinstance(one, Unknown) or (isinstance(one, Tensor) and one.argument) for one in value):
        kept |= {Parameter()}
    _replace(frame, node, kept, state)
    return bool(kept)


def _truthiness(frame: Frame, test: ast.expr, state: State, *, truth: bool) -> bool:
    value = _current(frame, test, state)
    if value is None and isinstance(test, ast.Name) and not _may_count_as(frame.name(test.id, state), truth=truth):
        return frame.inference.project.has_behind_dot(frame.scope.file, test.id)
    if not value:
        return True
    if truth:
        rest = truthy(value)
        _replace(frame, test, rest, state)
        return bool(rest)
    return _may_count_as(value, truth=truth)


def _may_count_as(value: Value, *, truth: bool) -> bool:
    """Whether a value may count as true, or as false."""
    return not all(isinstance(one, Literal) and bool(one.value) is not truth for one in value)


def _current(frame: Frame, node: ast.expr, state: State) -> Value | None:
    """The value of a name or of an attribute of the object under construction; None for anything else."""
    if isinstance(node, ast.NamedExpr):
        node = node.target
    if isinstance(node, ast.Name):
        return state.locals.get(node.id)
    if isinstance(node, ast.Attribute) and _is_self(frame, node, state) and node.attr in state.attributes:
        return state.attributes[node.attr].value
    return None


def _replace(frame: Frame, node: ast.expr, value: Value, state: State) -> None:
    if isinstance(node, ast.NamedExpr):
        node = node.target
    if isinstance(node, ast.Name):
        attribute, before = shared_attribute(frame, node, state), state.locals.get(node.id, value)
        state.locals[node.id] = value
        if attribute is not None and attribute in state.attributes:
            known = state.attributes[attribute]
            left = frozenset(one for one in known.value if held(frozenset({one}), alias=attribute) <= value)
            state.attributes[attribute] = replace(known, value=left | (value - before))
    elif isinstance(node, ast.Attribute) and _is_self(frame, node, state):
        state.attributes[node.attr] = replace(state.attributes[node.attr], value=value)


def _is_self(frame: Frame, node: ast.Attribute, state: State) -> bool:
    return isinstance(node.value, ast.Name) and any(
        isinstance(one, SelfValue) for one in frame.name(node.value.id, state)
    )
