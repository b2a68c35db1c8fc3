"""Compiled loops of the page that the labs do otherwise: a MaxEnt optimum and convergence without SciPy."""
