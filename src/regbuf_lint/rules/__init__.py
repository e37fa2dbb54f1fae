"""One file per rule: what it is, its documentation, how it finds and how it fixes."""
