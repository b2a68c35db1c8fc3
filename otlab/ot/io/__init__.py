"""Readers and writers of tableaux."""
