"""Facts about the project from ``ast``: names, imports, classes, functions, and what a name means across files."""
