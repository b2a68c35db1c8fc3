"""The sample of speakers and words is what its script generates, and its counts are as told."""

import numpy as np

from otlab.ot import read
from otlab.samples import sample_path


def test_the_sample_is_what_its_seed_makes(make_speakers):
    assert make_speakers.generated() == sample_path("speakers_and_words").read_text(encoding="utf-8")


def test_thirty_speakers_say_twelve_words():
    groups = read("speakers_and_words").groups
    assert repr(groups) == "<Groups: 30 speakers, 12 items, 1,440 tokens>"
    assert (np.bincount(groups.speaker, groups.count) == 48).all()
    of_word = dict(zip(groups.items, np.bincount(groups.item, groups.count), strict=True))
    assert (of_word["just"], of_word["mist"]) == (360, 60)
