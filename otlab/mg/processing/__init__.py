"""What a grammar predicts about reading: memory of a top-down parse, surprisal, entropy reduction."""
