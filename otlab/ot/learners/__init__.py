"""Learners of ranking values and weights: Gibbs, GLA, MaxEnt."""
