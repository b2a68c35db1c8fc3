"""Joint learning of words, edits and units of sound.

::

    Speech --phone loop--> units --1-best--> source strings t --word grammar--> words    the pipeline

    t --edits, units--> frames:  new Gaussians and edits           the joint model, which
    units --words, edits--> t':  kept if the objective rises       repeats these two steps
"""
