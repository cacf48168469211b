"""Learners of structure, one a file: what each asks of a table, and what it makes of the answers."""
