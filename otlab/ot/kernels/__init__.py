"""Compiled inner loops of Stochastic OT."""
