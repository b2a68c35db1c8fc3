"""Readers of tagged text."""
