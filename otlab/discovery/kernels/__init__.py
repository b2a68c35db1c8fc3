"""Compiled inner loops of lexicon discovery."""
