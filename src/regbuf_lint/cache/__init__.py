"""Results of earlier runs, and whether they still hold."""
