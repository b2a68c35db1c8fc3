"""Compiled inner loops of minimalist grammars."""
