"""Random statements that a constructor or a method may consist of; all of them parse."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = st.sampled_from(["n", "x", "y", "torch", "nn", "self", "self.a", "self.b", "len", "undefined"])
LEAVES = NAMES | st.sampled_from(["1", "0.5", "None", "'a'", "[]", "{}", "()", "torch.ones(n)", "torch.rand(2)", "..."])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "@", "%", "==", "is", "in", "or", "and"]), inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("{}({})".format, NAMES, inner),
        st.builds("{}.{}({})".format, NAMES, st.sampled_from(["to", "append", "update", "split", "f"]), inner),
        st.builds("{}.{}".format, NAMES, st.sampled_from(["data", "shape", "T", "weight"])),
        st.builds("nn.Parameter({}, requires_grad={})".format, inner, inner),
        st.builds("({})[{}]".format, inner, inner),
        st.builds("[{}, *({})]".format, inner, inner),
        st.builds("{{'a': {}, **({})}}".format, inner, inner),
        st.builds("[{} for y in {} if {}]".format, inner, inner, inner),
        st.builds("f'{{{}}}_{{{}}}'".format, st.sampled_from(["n", "x"]), st.sampled_from(["n", "y"])),
        st.builds("(lambda y=0: {})".format, inner),
        st.builds("(y := {})".format, inner),
    ),
    max_leaves=6,
)
TARGETS = st.sampled_from(["self.a", "self.b", "y", "self.a, self.b", "self.a, *y", "self.a[0]", "y.a"])
SIMPLE = st.one_of(
    st.builds("{} = {}".format, TARGETS, EXPRESSIONS),
    st.builds("{} = {} = {}".format, TARGETS, TARGETS, EXPRESSIONS),
    st.builds("self.a: torch.Tensor = {}".format, EXPRESSIONS),
    st.builds("self.{} {}= {}".format, st.sampled_from("ab"), st.sampled_from("+*@"), EXPRESSIONS),
    st.builds("setattr(self, {}, {})".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("self.register_buffer({}, {})".format, st.sampled_from(["'a'", "'b'", "f'{n}'", "x"]), EXPRESSIONS),
    st.builds("return {}".format, EXPRESSIONS),
    st.sampled_from(
        ["del self.a", "pass", "raise ValueError", "self.f(x)", "super().__init__()", "self.a.requires_grad_()"]
    ),
    EXPRESSIONS,
)


def indented(head: str, body: list[str]) -> str:
    rows = [row for statement in body for row in statement.split("\n")]
    return "\n".join((head, *(f"    {row}" for row in rows)))


STATEMENTS: st.SearchStrategy[list[str]] = st.recursive(
    st.lists(SIMPLE, min_size=1, max_size=4),
    lambda inner: st.lists(
        st.one_of(
            SIMPLE,
            st.builds(indented, st.builds("if {}:".format, EXPRESSIONS), inner),
            st.builds(indented, st.builds("for {} in {}:".format, TARGETS, EXPRESSIONS), inner),
            st.builds(indented, st.builds("while {}:".format, EXPRESSIONS), inner),
            st.builds(indented, st.just("with torch.no_grad():"), inner),
            st.builds(lambda body: indented("try:", body) + "\nfinally:\n    pass", inner),
            st.builds(indented, st.just("def g(n):"), inner),
        ),
        min_size=1,
        max_size=4,
    ),
    max_leaves=8,
)
