"""From paths to results: checking one file, fixing it until nothing changes, and many files at once."""
