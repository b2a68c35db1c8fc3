"""Words, edits and units of sound, learnt together.

::

    Speech --phone loop--> units --1-best--> tops t --word grammar--> words       the pipeline
    tops t --edits, units--> frames:  Gaussians and edits again                   the joint model:
    units --words, edits--> t' , kept only where the objective rises              round after round
"""
