"""Behaviour-preserving rewrites of programs, one kind in each file."""

from __future__ import annotations

from rewrites.attributes_through_locals import ATTRIBUTES_THROUGH_LOCALS
from rewrites.base_pulled_out import BASE_WITH_CONSTRUCTOR, BASE_WITH_METHODS
from rewrites.choices_as_branches import CHOICES_AS_BRANCHES
from rewrites.forward_through_helper import FORWARD_THROUGH_HELPER
from rewrites.guard_clauses import GUARD_CLAUSES
from rewrites.imported_functions import IMPORTED_FUNCTIONS
from rewrites.inverted_branches import INVERTED_BRANCHES
from rewrites.module_aliases import MODULE_ALIASES
from rewrites.moved_statements import MOVED_STATEMENTS
from rewrites.renamed_arguments import RENAMED_ARGUMENTS
from rewrites.renamed_methods import RENAMED_METHODS
from rewrites.renamed_self import RENAMED_SELF
from rewrites.results_through_locals import RESULTS_THROUGH_LOCALS

REWRITES = (
    MODULE_ALIASES,
    IMPORTED_FUNCTIONS,
    RENAMED_SELF,
    RESULTS_THROUGH_LOCALS,
    ATTRIBUTES_THROUGH_LOCALS,
    FORWARD_THROUGH_HELPER,
    INVERTED_BRANCHES,
    RENAMED_ARGUMENTS,
    RENAMED_METHODS,
    MOVED_STATEMENTS,
    BASE_WITH_CONSTRUCTOR,
    BASE_WITH_METHODS,
    GUARD_CLAUSES,
    CHOICES_AS_BRANCHES,
)
"""In the order of the table."""
