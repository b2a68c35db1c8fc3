"""Learners of adaptor grammars, and choosing among their runs."""
