"""Readers and writers of lexicons."""
