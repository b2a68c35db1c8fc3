"""Ways of showing one derivation: trees, steps, exports."""
