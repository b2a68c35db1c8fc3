"""Studies on taggers: Table 1 of Johnson (2007), merged states, simulated corpora."""
