"""A tag dictionary that is opened in the tagging lab, for a text without tags."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.tagging.dictionary import TagDictionary
from otlab.ui.source import Source
from otlab.ui.tagging.lab import TaggingLab
from tests.ui.page import shown_text
from tests.ui.tagging.helpers import finished, view_of

TEXT = b"the dog barks\na cat sleeps\nthe cat barks\na dog sleeps\n" * 5
DICTIONARY = b"# of this text\nthe D\na D\ndog N\ncat N\nbarks V N\n"


@pytest.fixture
def lab():
    lab = TaggingLab()
    lab.layout = lab.main()
    lab.open_file("plain.txt", TEXT)
    lab.settings.param.update(states=3, iterations=3, runs=1)
    view_of(lab).go("Data")
    yield lab
    lab.close()


def given(lab, data=DICTIONARY):
    zone = view_of(lab).tab("Data").dictionary_zone
    zone.open(Source("tags.txt", data))
    assert zone.wait()


@pytest.mark.slow
def test_words_have_only_the_states_of_their_tags_which_name_the_states(lab):
    given(lab)
    assert lab.settings.dictionary == "file"
    finished(lab)
    result = lab.state.result
    assert [result.name(k) for k in range(3)] == ["D", "N", "V"]
    mask = TagDictionary.parse(DICTIONARY.decode()).mask(lab.corpus, 3)
    assert mask[lab.corpus.words, result.view.labels].all()
    free = lab.corpus.vocabulary.index("sleeps")
    assert mask[free].all(), "it is not in the dictionary"


def test_undo_closes_it_and_redo_opens_it(lab):
    given(lab)
    lab.undo()
    assert (lab.state.dictionary, lab.settings.dictionary) == ("", "none")
    lab.redo()
    assert (lab.state.dictionary, lab.settings.dictionary) == (DICTIONARY.decode(), "file")


def test_it_is_saved_with_the_document(lab):
    given(lab)
    again = TaggingLab()
    again.from_dict(lab.to_dict())
    assert again.state.dictionary == DICTIONARY.decode()
    assert again.settings.dictionary == "file"
    again.close()


def test_all_faults_of_a_dictionary_are_shown_with_its_name(lab):
    given(lab, b"the D\ndog\nthe N\n")
    shown = shown_text(view_of(lab).tab("Data"))
    for words in ("tags.txt", "has no tag", "is given twice"):
        assert words in shown
    assert lab.state.dictionary == ""
    with pytest.raises(InputError, match="the tag dictionary is empty"):
        TagDictionary.parse("# nothing\n", "tags.txt")


def test_without_one_the_run_says_where_to_open_it(lab):
    lab.settings.dictionary = "file"
    lab.runner.run()
    assert lab.runner.wait(60)
    assert "no tag dictionary is open; open one on the Data tab" in str(
        lab.runner.runner.failures or lab.runner.runner.refused
    )
    assert np.all([not result.views for result in lab.state.results.values()])


def test_undo_to_a_text_without_one_leaves_another_choice_alone(lab):
    given(lab)
    lab.settings.dictionary = "gold"
    lab.undo()
    assert (lab.state.dictionary, lab.settings.dictionary) == ("", "gold")
