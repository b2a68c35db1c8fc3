"""Learners of hidden Markov taggers: EM, MAP-EM, VB, Gibbs samplers."""
