"""The noisy channel from source strings to the phones of a text: edits, pairs, E-step."""
