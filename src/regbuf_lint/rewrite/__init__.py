"""New text for old statements: libcst keeps comments, quotes and line breaks while a value moves into a call."""
