"""Pictures of Stochastic OT."""
