"""Tabs of the OT lab and the cards on them."""
