"""The command line: what it takes, what it runs, what it prints, how it exits."""
