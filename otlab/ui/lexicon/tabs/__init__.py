"""Tabs of the lexicon lab and the cards on them."""
