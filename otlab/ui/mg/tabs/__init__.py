"""Tabs of the grammar lab and the cards on them."""
