"""The opposite of a condition, as one would write it."""

from __future__ import annotations

import libcst as cst

_OPPOSITES: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.Is: cst.IsNot,
    cst.IsNot: cst.Is,
    cst.In: cst.NotIn,
    cst.NotIn: cst.In,
    cst.Equal: cst.NotEqual,
    cst.NotEqual: cst.Equal,
}
_NEEDS_NO_PARENTHESES = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Comparison)


def opposite(test: cst.BaseExpression) -> cst.BaseExpression:
    """A condition that holds where the other does not."""
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return inner
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=operator) as only]) if (
            type(operator) in _OPPOSITES
        ):
            return test.with_changes(comparisons=[only.with_changes(operator=_OPPOSITES[type(operator)]())])
    if not isinstance(test, _NEEDS_NO_PARENTHESES) and not test.lpar:
        test = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), test)
