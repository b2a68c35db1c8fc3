"""Learning of phone-like units from sound.

::

    folder --audio, features, tiers--> Speech        frames of all utterances, gold times
    Speech --learners.phone_loop-----> UnitsView     units, their Gaussians, posteriors of each frame
    UnitsView --decode---------------> segments      units with their start and end times
    segments --scores, zerospeech----> agreement with gold phones and words; class files
"""
