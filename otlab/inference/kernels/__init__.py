"""Compiled kernels that every system may use: random draws, digamma, the processor's modes."""
