"""Every place where a text becomes markup: the list, whether each is harmless, and whether tests reach it."""
