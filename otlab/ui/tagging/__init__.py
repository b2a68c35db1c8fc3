"""The tagging lab: EM, VB and Gibbs on tagged text, and the skew they find."""
