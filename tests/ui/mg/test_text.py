"""The boxes of the grammar lab in which lexicon and corpus are edited as text."""

import json
import re
from pathlib import Path

import pytest
from panel.io.resources import DIST_DIR

from otlab.mg.io.read import loads
from otlab.samples import load_sample
from otlab.ui.mg import tabs
from otlab.ui.mg.lab import MGLab
from otlab.ui.mg.state import MGState
from tests.ui.page import component, control, press, send


def test_a_lexicon_is_pasted_as_text_whole_or_not_at_all(shown):
    lab, view, _ = shown
    box = view.lexicon
    press(box, "Edit as text")
    assert "with :: =d n= n" in component(box).text["text"]
    send(box, {"kind": "apply", "text": "@start c\na :: c d\nb :: =x +\n"})
    assert [f["line"] for f in component(box).text["faults"]] == [2, 3]
    assert len(lab.lexicon) == 12
    send(box, {"kind": "apply", "text": "mary :: d\nslept :: d= v\n"})
    assert set(component(box).text["categories"]) == {"d", "v"}
    send(box, {"kind": "apply", "text": "mary :: d\nslept :: d= v\n", "start": "v"})
    assert lab.lexicon.texts == ("mary :: d", "slept :: d= v")
    assert lab.lexicon.start == ("v",)
    assert not component(box).opened
    lab.undo()
    assert len(lab.lexicon) == 12


def test_a_corpus_is_pasted_as_text_whole_or_not_at_all(shown):
    lab, view, _ = shown
    corpus = view.corpus
    press(corpus, "Edit as text")
    text = component(corpus).text["text"]
    assert text.startswith("what did you see | 6\n")
    assert "did you see what | 0\n" in text
    send(corpus, {"kind": "apply", "text": "you see you | often\n| 2\nyou see you"})
    assert [f["line"] for f in component(corpus).text["faults"]] == [1, 2]
    assert sum(lab.state.counts.values()) == 17
    send(corpus, {"kind": "apply", "text": "you see you?\nyou see you | 2\nwhat did you see\n"})
    assert dict(lab.state.counts) == {("you", "see", "you"): 3, ("what", "did", "you", "see"): 1}
    assert not component(corpus).opened
    assert [row["count"] for row in corpus.rows] == [3, 1]
    press(corpus, "Edit as text")
    send(corpus, {"kind": "apply", "text": "20 you see you\n3 what did you see\n"})
    assert dict(lab.state.counts) == {("you", "see", "you"): 20, ("what", "did", "you", "see"): 3}
    assert "the number that each line begins with is read as the count" in corpus.card.remark
    press(corpus, "Edit as text")
    send(corpus, {"kind": "apply", "text": "20 you see you\nwhat did you see\n"})
    (fault,) = component(corpus).text["faults"]
    assert fault["hint"] == "if it is a count, write: you see you | 20"
    lab.undo()
    lab.undo()
    assert sum(lab.state.counts.values()) == 17


@pytest.mark.parametrize("card", ["lexicon", "corpus"])
def test_text_that_was_typed_is_kept_until_it_is_applied_or_cancelled(shown, card):
    lab, view, _ = shown
    box = getattr(view, card)
    press(box, "Edit as text")
    component(box).draft = "john slept"  # as the browser sends it
    view.derivation.choose(("you", "see", "you"))
    press(box, "Edit as text")  # back to the table
    assert not component(box).opened
    press(box, "Edit as text")
    assert (component(box).opened, component(box).draft) == (True, "john slept")
    lab.state.set_start(["v"])
    lab.undo()
    assert (component(box).opened, component(box).draft) == (True, "john slept")
    send(box, {"kind": "cancel"})
    press(box, "Edit as text")
    assert component(box).draft is None
    component(box).draft = "john slept"
    press(box, "Edit as text")
    lab.state.edit(0, "phon", "whom")
    lab.state.set_count(("you", "see", "you"), 7)
    press(box, "Edit as text")  # another text is to be edited now
    assert component(box).draft is None


def test_no_row_is_added_behind_the_text(shown):
    _, view, _ = shown
    adds = control(view.lexicon, "Item")
    press(view.lexicon, "Edit as text")
    assert adds.disabled
    press(view.lexicon, "Edit as text")
    assert not adds.disabled


def test_features_are_no_start_category(shown):
    lab, view, _ = shown
    send(view.lexicon, {"kind": "start", "value": "c, i c"})
    assert lab.lexicon.start == ("c", "i")
    send(view.lexicon, {"kind": "start", "value": "=v c"})
    assert component(view.lexicon).about["fault"] == ""  # c is there
    send(view.lexicon, {"kind": "start", "value": "=v"})
    assert component(view.lexicon).about["fault"].startswith("'=v' is not a category; write the name of one")


def test_prolog_pasted_into_the_text_box_is_told_by_its_looks(shown):
    lab, view, _ = shown
    text = "[mary]::[d].\n[slept]::[=d,v].\nstartCategory(v)."
    assert view.lexicon.apply(text)
    assert lab.lexicon.convention == "nondirectional"
    assert view.lexicon.apply("[(['a'],[('cat','c')])]", "c")
    assert lab.lexicon.texts == ("a :: c",)


def test_the_text_of_the_box_keeps_rows_with_faults(shown):
    lab, view, _ = shown
    send(view.lexicon, {"kind": "edit", "index": 0, "field": "features", "text": "d d"})
    assert "what :: d d" in lab.state.text()


def test_a_link_keeps_all_that_a_lexicon_says_of_itself():
    state = MGState()
    state.load(loads("# title: One\n# source: a book\n# what: what it shows\n@start c\nmaria :: c"))
    written = json.loads(json.dumps(state.written(state.contents())))
    other = state.read_back(written, "from a link")["lexicon"]
    assert (other.title, other.source, other.description) == ("One", "a book", "what it shows")


def test_a_lexicon_written_as_text_has_the_title_of_the_text_alone():
    state = MGState()
    state.load(load_sample("attachment_wh"))
    state.replace_lexicon(loads(state.text().replace("=n d", "=n d -k")))
    assert (state.base.title, state.base.name) == ("Attachment ambiguity with questions", "attachment_wh")
    state.replace_lexicon(loads("@start c\nmaria :: c"))
    assert (state.base.title, state.base.source, state.base.description, state.base.name) == ("",) * 4
    assert state.base.sentences


STABLER = "@start c\nMary :: d\nJohn :: d\nsees :: =d =d v\ne :: =v c\n"


def test_stablers_usual_notation_is_asked_about_and_read_by_two_clicks(shown):
    lab, view, _ = shown
    lab.new()
    box = view.lexicon
    press(box, "Edit as text")
    assert "@convention" not in component(box).text["text"]
    send(box, {"kind": "apply", "text": STABLER})
    questions = component(box).about["questions"]
    assert [q["what"] for q in questions] == [
        "'e' is read as a word.",
        "Every selector is written =x, so that all arguments follow their heads.",
    ]
    assert lab.state.parsed(("Mary", "sees", "John")).derivations == 0
    for question in questions:
        _, kind, value = question["choices"][0]
        send(box, {"kind": kind, "value": value})
    assert component(box).about["questions"] == []
    assert lab.state.parsed(("Mary", "sees", "John")).derivations == 1
    assert lab.state.base.convention == "nondirectional"
    lab.undo()
    lab.undo()
    assert len(component(box).about["questions"]) == 2


def test_a_notation_that_is_kept_is_not_asked_about_again(shown):
    lab, view, _ = shown
    lab.new()
    press(view.lexicon, "Edit as text")
    send(view.lexicon, {"kind": "apply", "text": STABLER.replace("e ::", "ε ::")})
    (question,) = component(view.lexicon).about["questions"]
    _, kind, value = question["choices"][1]
    send(view.lexicon, {"kind": kind, "value": value})
    assert component(view.lexicon).about["questions"] == []
    again = MGLab()
    again.from_dict(lab.to_dict())
    assert again.state.base.convention_given


def test_the_box_for_long_texts_is_among_panels_files():
    """Panel's folder names the release of Ace that it brings, which a newer Panel changes."""
    script = (Path(tabs.__file__).parent / "long_text.js").read_text(encoding="utf-8")
    (address,) = re.findall(r'const ACE = "static/extensions/panel/(.+)"', script)
    assert {"ace.js", "ext-searchbox.js"} <= {path.name for path in (DIST_DIR / address).iterdir()}
