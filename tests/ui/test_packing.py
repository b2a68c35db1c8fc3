"""What was edited survives a load, a reload and a link: names, snapshots, undo. No browser."""

from __future__ import annotations

import json
from pathlib import PurePath

import pytest

from otlab.discovery.corpus import Corpus
from otlab.errors import InputError
from otlab.ui import packing
from otlab.ui.documents.store import open_store
from otlab.ui.documents.writer import writer
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.lexicon.texts import corpus_text
from otlab.ui.mg.lab import MGLab
from otlab.ui.ot.lab import OTLab
from otlab.ui.server import uploads, warm
from otlab.ui.tagging import document as tagging_document
from otlab.ui.tagging.lab import TaggingLab
from tests.ui.page import one, page, send, sent, shown_text

TABLE = b"input,candidate,frequency,Max,Dep\nap,ap,3,0,0\nap,a,1,1,0\n"
TAGGED = b"the/DT dog/NN barks/VB\na/DT cat/NN sleeps/VB\n" * 12
LEXICON = (
    b"@start c\n@convention seed\nmary :: d\nsleeps :: =d v\n\xce\xb5 :: =v c\n@sentence 1 | mary sleeps\n"
)
TEXT = "ðə dɔɡ\nðə kæt\nə dɔɡ\n".encode()


@pytest.fixture(autouse=True)
def _cold(monkeypatch):
    """Compile nothing behind the tests' back."""
    monkeypatch.setattr(warm.kernels, "start", lambda: None)


def edit_ot(lab):
    lab.state.document.type(0, "c_0", "3")


def edit_mg(lab):
    lab.state.edit(0, "features", lab.state.entries[0].features + " -zz")
    lab.state.set_count(("mary", "sleeps"), 7)
    lab.changed()


def edit_lexicon(lab):
    text = lab.state.grammar_text.replace("Phone", "Sound")
    send(lab.runner, {"kind": "text", "value": text + "\n"}, "GrammarBox")


def edit_tagging(lab):
    lab.open_file("my.txt", TAGGED)


EDITS = {OTLab: edit_ot, MGLab: edit_mg, LexiconLab: edit_lexicon}
FILES = {
    OTLab: ("my table.csv", TABLE),
    TaggingLab: ("my.txt", TAGGED),
    MGLab: ("my.mg", LEXICON),
    LexiconLab: ("my.txt", TEXT),
}


def paged(kind, **query):
    """A lab with its page, the bar of the page and the messages that the bar was sent."""
    lab = kind()
    lab.layout = page(lab, **query)
    lab.bar = one(lab.layout, "AppBar")
    lab.sent = sent(lab.bar)
    return lab


def arrive(lab, document):
    """Let the browser say which document its tab had open."""
    send(lab.bar, {"kind": "arrived", "document": document})


def undo(lab):
    send(lab.bar, {"kind": "undo", "key": lab.sent[-1]["key"]})


def content(lab):
    """What is open, as text."""
    return json.dumps([lab.example, lab.own_name, lab.to_dict()["document"]], ensure_ascii=False)


@pytest.mark.slow
@pytest.mark.parametrize("kind", EDITS)
def test_edits_go_into_the_link_and_come_back_elsewhere(kind):
    lab = paged(kind)
    assert not lab.edited
    assert lab.bar.kept == ""
    EDITS[kind](lab)
    assert lab.edited == lab.bar.edited == (kind is not LexiconLab)
    assert 0 < len(lab.bar.kept) < packing.LINK_MOST
    other = paged(kind, data=lab.bar.kept)
    assert content(other) == content(lab)
    assert other.edited == lab.edited
    assert other.bar.kept == lab.bar.kept


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_a_file_has_its_name_on_the_page_and_comes_back(kind):
    lab, (name, data) = paged(kind), FILES[kind]
    lab.open_file(name, data)
    assert (lab.example, lab.own_name, lab.bar.own) == ("", name, name)
    assert lab.state.source_name == name
    assert (
        lab.state.file_name("ranking values", "csv")
        == f"{PurePath(name).stem.replace(' ', '_')}_ranking_values.csv"
    )
    assert not lab.edited
    other = paged(kind)
    arrive(other, lab.document)
    assert content(other) == content(lab)
    assert other.sent[-1]["toast"] == f"{name} is back"
    assert other.sent[-1]["action"] == "Start over"
    undo(other)
    assert (other.example, other.own_name) == (paged(kind).example, "")


@pytest.mark.parametrize("kind", [OTLab, MGLab])
def test_an_example_over_edits_can_be_undone_with_all_that_belongs_to_it(kind):
    lab = paged(kind)
    lab.settings.param.update(seed=77)
    EDITS[kind](lab)
    before, kept = content(lab), lab.bar.kept
    other = next(e for e in lab.examples() if e != lab.example)
    lab.choose(other)
    assert content(lab) != before
    assert lab.bar.kept == ""
    assert "is open in place of your edited" in lab.sent[-1]["toast"]
    undo(lab)
    assert content(lab) == before
    assert lab.settings.seed == 77
    assert (lab.bar.example, lab.bar.kept, lab.edited) == (lab.example, kept, True)


def test_undo_by_key_takes_away_the_message_that_offered_it():
    lab = paged(OTLab)
    EDITS[OTLab](lab)
    lab.choose(next(e for e in lab.examples() if e != lab.example))
    lab.bar._handle_msg({"kind": "keys", "value": "undo"})
    assert [message["toast"] for message in lab.sent[-1:]] == [""]
    assert lab.edited


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_a_file_over_a_file_can_be_undone(kind):
    lab, (name, data) = paged(kind), FILES[kind]
    lab.open_file(name, data)
    before = content(lab)
    lab.choose(next(iter(lab.examples())))
    assert lab.own_name == ""
    undo(lab)
    assert content(lab) == before


def test_nothing_is_asked_or_kept_where_nothing_was_edited():
    lab = paged(OTLab)
    lab.choose("spanish_diminutive")
    assert lab.sent == []
    assert lab.bar.kept == ""
    assert not lab.state.document.history.can_undo, "Undo must not lead into another example"


def test_a_pasted_table_is_named_and_undo_brings_the_example_back():
    lab = paged(OTLab)
    was = lab.example
    assert (
        lab.state.document.paste(0, "input", "Input\tOutput\tFrequency\tA\tB\nx\ty\t1\t0\t1\n\tz\t2\t1\t0\n")
        == ""
    )
    assert (lab.example, lab.own_name) == ("", "pasted table")
    lab.state.document.history.undo()
    assert (lab.example, lab.own_name) == (was, "")


@pytest.mark.slow
def test_a_link_to_another_example_offers_what_was_kept():
    edited = paged(OTLab)
    edit_ot(edited)
    lab = paged(OTLab, example="spanish_diminutive")
    arrive(lab, edited.document)
    assert lab.example == "spanish_diminutive"
    assert lab.sent[-1]["action"] == "Bring it back"
    undo(lab)
    assert content(lab) == content(edited)


def test_the_typed_sentence_is_kept_and_is_no_edit():
    lab = paged(MGLab)
    view = lab.main()
    assert view is not None
    lab.state.sentence = ("mary", "slept")
    lab.changed()
    assert not lab.edited
    assert packing.unpack(lab.bar.kept)["document"]["sentence"] == ["mary", "slept"]


def test_what_is_too_large_is_not_kept_and_said_so(monkeypatch):
    lab = paged(TaggingLab)
    monkeypatch.setattr(tagging_document, "MOST_LINKED_WORDS", 10)
    lab.open_file("my.txt", TAGGED)
    assert (lab.bar.kept, lab.bar.own) == ("", "my.txt")


@pytest.mark.slow
@pytest.mark.parametrize(
    "packed", ["x", "!", packing.pack({"lab": "mg_lab"}), packing.pack({"lab": "ot_lab", "example": "no"})]
)
def test_a_damaged_link_is_refused_and_changes_nothing(packed):
    before = content(paged(OTLab))
    lab = paged(OTLab, data=packed)
    assert content(lab) == before
    assert "Copy the whole link again" in shown_text(lab.layout)
    arrive(lab, packed)
    assert content(lab) == before


def test_the_refused_file_says_whose_table_is_shown():
    lab = paged(OTLab, file=uploads.keep("bad.csv", b"nothing"))
    html = shown_text(lab.layout)
    assert "not bad.csv" in html
    assert lab.state.source_name in html


def test_a_text_of_phones_reads_as_it_was_written():
    for text in ("ðə dɔɡ\nkæt\n", "ðədɔɡ\ntʃaː\n", "# separator: .\nd.o.g b.a\n"):
        corpus = Corpus.from_text(text)
        again = Corpus.from_text(corpus_text(corpus))
        assert again.symbols == corpus.symbols
        assert again.phones.tolist() == corpus.phones.tolist()
        assert (again.gold is None) == (corpus.gold is None)
        assert corpus.gold is None or again.gold.tolist() == corpus.gold.tolist()


def test_a_pack_too_long_is_empty(monkeypatch):
    monkeypatch.setattr(packing, "MOST", 10)
    assert packing.pack({"a": "b" * 10}) == ""
    with pytest.raises(InputError, match="the link is damaged"):
        packing.unpack("")


def test_a_link_that_holds_no_document_is_damaged():
    with pytest.raises(InputError, match="the link is damaged"):
        packing.unpack(packing.pack(["lab", "ot_lab"]))


@pytest.mark.parametrize("edited", [False, True])
def test_data_that_cannot_be_loaded_leave_what_is_open(edited):
    lab = paged(OTLab)
    if edited:
        EDITS[OTLab](lab)
    before, last = content(lab), lab.state.history.last

    def load():
        if edited:  # half of it is there
            lab.state.load_example("spanish_diminutive")
        raise InputError("the file cannot be read to its end")

    with pytest.raises(InputError, match="to its end"):
        lab.open_own("mine.csv", load)
    assert lab.state.history.last == last
    assert content(lab) == before
    EDITS[OTLab](lab)
    assert lab.document, "edits are saved again"


def test_a_link_to_an_example_that_there_is_no_more_changes_nothing():
    lab, other = paged(OTLab), paged(OTLab)
    EDITS[OTLab](other)
    before = content(lab)
    with pytest.raises(InputError, match="the link is damaged"):
        lab.from_dict({**other.to_dict(), "example": "withdrawn"})
    assert content(lab) == before


def test_an_earlier_document_that_was_deleted_meanwhile_is_not_brought_back():
    edited = paged(OTLab)
    edit_ot(edited)
    writer.flush(edited.document)
    lab = paged(OTLab, example="spanish_diminutive")
    arrive(lab, edited.document)
    assert lab.sent[-1]["action"] == "Bring it back"
    before = content(lab)
    open_store().delete(edited.document)
    undo(lab)
    assert (content(lab), lab.document) == (before, "")
    assert lab.sent[-1] == {"toast": "This document was deleted", "mark": "warn"}


@pytest.mark.slow
@pytest.mark.parametrize(("last", "loaded"), [("1,0", True), ("oops,0", False)])
def test_a_large_file_from_the_home_page_is_read_beside_the_page(last, loaded):
    rows = "".join(f"in{i},out{i},1,0,0\n" for i in range(12_000))
    data = f"input,candidate,frequency,Max,Dep\n{rows}end,end,1,{last}\n".encode()
    lab = paged(OTLab, file=uploads.keep("large.csv", data))
    page_text = shown_text(lab.layout)
    assert (lab.own_name == "large.csv") is loaded
    assert ("large.csv was not loaded" in page_text) is not loaded
