"""Tabs of the tagging lab and the cards on them."""
