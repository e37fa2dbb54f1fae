"""Where the project is found; ``[project.urls]`` sets it, and ``scripts/write_addresses.py`` writes it here."""

REPOSITORY = "https://github.com/regbuf-lint/regbuf-lint"
DOCUMENTATION = "https://regbuf-lint.github.io/regbuf-lint/"
RULE_PAGE = f"{DOCUMENTATION}rules/{{code}}/"
SETTINGS_SCHEMA = f"{DOCUMENTATION}regbuf-lint.schema.json"
