"""The hidden Markov model: parameters, starts, E-step, M-step, decoding."""
