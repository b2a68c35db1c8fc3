"""Learners of the probabilities of lexical items, from a parsed corpus."""
