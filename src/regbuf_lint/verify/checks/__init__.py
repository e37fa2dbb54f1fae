"""What is verified, one file per check: what it looks at in the worker, and what it makes of that in the parent."""
