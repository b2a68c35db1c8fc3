"""Compiled inner loops of violations that count themselves."""
