"""Tests of the lexicon lab without a browser."""
