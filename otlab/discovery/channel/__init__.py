"""The noisy channel between source strings and the phones that came out: edits, pairs, E-step."""
