"""The minimalist-grammar lab."""
