"""Compiled inner loops of the taggers."""
