"""Reasons why a plain tensor is no defect: one file each, found by name."""
