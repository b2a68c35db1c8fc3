"""Phone-like units from sound.

::

    folder --audio, features, tiers--> Speech        frames of all utterances, gold times
    Speech --learners.phone_loop-----> UnitsView     units, their Gaussians, posteriors of each frame
    UnitsView --decode---------------> segments      which unit from when to when
    segments --scores, zerospeech----> agreement with gold phones and words; class files
"""
