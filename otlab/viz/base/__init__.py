"""Shared parts of all pictures: live plots, style, colours, numbers, names."""
