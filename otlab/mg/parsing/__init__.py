"""From a sentence to its chart, packed forest, probabilities and diagnosis."""
