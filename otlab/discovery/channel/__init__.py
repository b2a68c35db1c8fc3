"""The noisy channel between the words meant and the phones heard: edits, pairs, and learning with it."""
