"""Reads the text of an installed torch and makes the tables of its API from it."""
