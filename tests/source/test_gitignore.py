"""What gitignore-style patterns say of a path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from regbuf_lint.source.gitignore import compile_patterns

PARTS = ("a", "b", "ab", "*", "**", "a*", "?", "[ab]", "[!a]", r"\#a", r"\!b", "a b", "a.py")
NAMES = ("a", "b", "ab", "#a", "!b", "a b", "a.py", "x")


@pytest.mark.parametrize(
    ("patterns", "path", "expected"),
    [
        ((), "a.py", None),
        (("# a comment", ""), "a.py", None),
        (("a.py",), "deep/a.py", True),
        (("/a.py",), "deep/a.py", None),
        (("build/",), "build/", True),
        (("build/",), "build", None),
        (("*.py", "!keep.py"), "keep.py", False),
        (("!keep.py", "*.py"), "keep.py", True),
        (("a/**/b",), "a/x/y/b", True),
        (("a/*",), "a/b/", True),
        (("[ab].py",), "b.py", True),
        ((r"\#a",), "#a", True),
    ],
)
def test_what_patterns_say(patterns: tuple[str, ...], path: str, *, expected: bool | None) -> None:
    assert compile_patterns(patterns).verdict(path) is expected


def test_what_is_no_pattern_raises() -> None:
    with pytest.raises(ValueError, match="bad character range z-a"):
        compile_patterns(("a.py", "[z-a].py"))


def test_expressions_of_patterns_warn_nobody(recwarn: pytest.WarningsRecorder) -> None:
    assert compile_patterns(("[[]a]", "x")).verdict("[a]")
    assert not recwarn.list


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "!", "/"]), st.lists(st.sampled_from(PARTS), min_size=1, max_size=3)).map(
            lambda of: of[0] + "/".join(of[1])
        ),
        max_size=5,
    ),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)
def test_names_and_one_search_for_all_other_patterns_change_no_answer(
    patterns: list[str], parts: list[str], end: str
) -> None:
    path = "/".join(parts) + end
    expected = GitIgnoreSpec.from_lines(patterns).check_file(path).include
    assert compile_patterns(tuple(patterns)).verdict(path) is expected
