"""Parsing of sentences: chart, packed forest, probabilities and diagnosis."""
