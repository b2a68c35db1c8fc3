"""Badges, states, recognised files, addresses, labs: the house without a browser."""

from __future__ import annotations

import base64
import html
import re
import socket
from types import SimpleNamespace

import numpy as np
import panel as pn
import param
import pytest
from bokeh.document import Document
from bokeh.models import ImportedStyleSheet
from panel.io.state import set_curdoc

from otlab.errors import Fault, InputError
from otlab.html import Markup
from otlab.inference.diagnostics import Trust, assess
from otlab.ui import Card, from_chains, swatch
from otlab.ui.components.badge import badge
from otlab.ui.components.cards import Html
from otlab.ui.components.icons import ICONS, icon
from otlab.ui.components.placeholders import empty, faults
from otlab.ui.components.theme import ALIAS, THEME
from otlab.ui.fields import link_texts
from otlab.ui.glossary import GLOSSARY, define, term
from otlab.ui.ot.lab import OTLab
from otlab.ui.server import memory, serving, uploads, warm
from otlab.ui.server.file_detection import lab_of_file, refused, taken_for
from otlab.ui.server.home import DropZone, home_page
from otlab.ui.server.registry import labs
from otlab.viz.base.tokens import DARK, LIGHT
from tests.ui.page import component, send, sent, shown_text
from tests.ui.page import page as open_page
from tests.ui.toy import ToyLab


@pytest.fixture(autouse=True)
def _cold(monkeypatch):
    """Compile nothing behind the tests' back."""
    monkeypatch.setattr(warm.kernels, "start", lambda: None)


def trust(rhat, ess):
    return Trust(np.array([1.0, rhat]), np.array([ess, 900.0]), np.array([900.0, 900.0]))


@pytest.mark.parametrize(
    ("rhat", "ess", "words", "kind"),
    [
        (1.002, 2140, "Converged", "good"),
        (1.01, 200, "Keep running", "warn"),
        (1.09, 2000, "Not converged", "bad"),
        (1.01, 46, "Not converged", "bad"),
    ],
)
def test_the_badge(rhat, ess, words, kind):
    report = from_chains(trust(rhat, min(ess, 900)))
    assert (report.badge.text, report.badge.kind) == (words, kind)
    assert bool(report.advice) == (words == "Not converged")


def test_the_advice_says_how_long():
    report = from_chains(trust(1.09, 46), draws_per_second=1.35)
    assert report.advice == (
        "Smallest ESS is 46 (needs 100), largest R-hat 1.09 (needs 1.05). "
        "At this speed ESS 100 takes about 40 s more."
    )


def test_two_modes_are_never_converged():
    assert from_chains(trust(1.0, 900), two_modes=True).badge == badge("Two modes")
    assert from_chains(trust(13.9, 4), two_modes=True).badge == badge("Not converged")
    assert from_chains(assess(np.zeros((4, 2, 1))), two_modes=True).badge == badge("Too early to say")


def test_what_is_not_known_is_a_dash():
    assert [stat.value for stat in from_chains(None).stats] == ["–", "–"]


def words(view):
    """All HTML below a view."""
    return "".join(pane.object for pane in view.select(pn.pane.HTML))


def test_every_fault_is_listed_with_its_cure_and_names_are_escaped():
    error = InputError([Fault("<b>1,5", "write 1 or 2", "x.csv", 3, 5), Fault("6 values", "", "x.csv", 7)])
    text = words(faults(error, "x.csv"))
    assert "x.csv was not loaded: 2 problems" in text
    assert "line 3, column 5" in text
    assert "line 7" in text
    assert "Write 1 or 2" in text
    assert "&lt;b&gt;1,5" in text


def test_an_empty_card_offers_its_actions():
    pressed = []
    view = empty("No tableau yet", "Type one.", ("Start from Ilokano", lambda: pressed.append(1)))
    (start,) = [w for w in view.select() if getattr(w, "label", "") == "Start from Ilokano"]
    start.param.trigger("clicks")
    assert pressed == [1]


def test_a_card_changes_its_head_only():
    card = Card(Markup("<b>Al</b>, drawn"), remark="a < b", legend=[swatch("gibbs", "Gibbs")])
    body = card.body
    card.remark, card.stale = "12,720 draws", "of the previous table"
    text = words(card.body)
    assert card.body is body
    assert "12,720 draws" in text
    assert "of the previous table" in text


def test_a_title_that_is_no_markup_is_text():
    name = "<img src=x onerror=hit()> heard as b"
    card = Card("A title")
    card.title = name
    assert "&lt;img" in words(card.body)
    assert "<img" not in words(card.body)
    assert card.menu.title == name  # which names the files that are saved
    card.title = Markup("<b>Al</b>, drawn")
    assert "<h2><b>Al</b>, drawn</h2>" in words(card.body)
    assert card.menu.title == "Al, drawn"


def test_html_that_was_escaped_already_is_not_escaped_again():
    as_text, as_markup = Html("<b>a &lt; b</b>"), Html()
    as_markup.show(Markup("<b>a &lt; b</b>"))
    assert as_markup.get_root().text == as_text.get_root().text


def test_every_term_has_one_sentence_and_ends_it():
    for entry in GLOSSARY.values():
        assert re.fullmatch(r"[A-Z0-9].*\.", entry.meaning, re.S), entry
    assert "Effective sample size" in term("ess", "Smallest ESS")


def test_icons_are_drawn_in_the_colour_of_the_text():
    assert all(
        "currentColor" in svg and "http" not in svg.replace("http://www.w3.org", "") for svg in ICONS.values()
    )
    assert 'width="28"' in icon("upload", 28)


def test_the_theme_knows_every_token_in_both_modes():
    for mode, tokens in (("light", LIGHT), ("dark", DARK)):
        assert THEME[mode]["palette"]["ot"] == tokens
    assert all(f"--ot-{name}:" in ALIAS for name in LIGHT)


@pytest.mark.parametrize(
    ("name", "head", "route"),
    [
        ("a.mg", b"", "mg_lab"),
        ("A.CSV", b"Input,Output,Frequency,A\n", "ot_lab"),
        ("b.xlsx", b"", "ot_lab"),
        ("c.conllu.gz", b"\x1f\x8b", "tagging_lab"),
        ("d.wav", b"RIFF", "lexicon_lab"),
        ("d.ogg", b"OggS", "lexicon_lab"),
        ("d.aiff", b"FORM", "lexicon_lab"),
        ("d.zip", b"PK\x03\x04 u000.WAV", "lexicon_lab"),
        ("f.txt", b'File type = "ooTextFile"\nObject class = "OTGrammar 2"\n', "ot_lab"),
        ("f.OTGrammar", b'"ooTextFile"\n"OTGrammar 2"\n<OptimalityTheory>\n', "ot_lab"),
        ("both.txt", b'"ooTextFile"\n"Collection"\n2\n"OTGrammar 2"\n', "ot_lab"),
        ("w.txt", '"ooTextFile"\n"OTGrammar"\n2\n'.encode("utf-16"), "ot_lab"),
        ("a.TextGrid", b'"ooTextFile"\n"TextGrid"\n', ""),
        ("f.gz", b"\x1f\x8b\x08", ""),
        ("letter.docx", b"PK\x03\x04 word/document.xml", ""),
        ("misnamed.txt", b"PK\x03\x04 xl/workbook.xml", "ot_lab"),
        ("photo.png", b"\x89PNG\r\n\x1a\n\0\0", ""),
        ("doc.pdf", b"%PDF-1.7\n", ""),
        ("notes.txt", b"Dear Ann,\nthank you for the tableaux. I shall try them, soon.\nYours, Bob\n", ""),
        ("bias.txt", b"Onset\t0\t1\nNoCoda\t0\t1\n", ""),
        ("noise.bin", bytes(range(256)), ""),
        ("lexicon.csv", b"phon,features\nwhat,d -wh\n", "mg_lab"),
        ("lexicon.py", b"lex = [(['the'],[('sel','N'),('cat','D')])]\n", "mg_lab"),
        ("king.pl", b"[praise]::[=d,vt,-v].\nstartCategory(c).\n", "mg_lab"),
        ("g.txt", "\t\t\tC1\tC2\nin\tout\t1\t0\t1\n".encode("utf-16"), "ot_lab"),
        ("pasted table", b"in\tout\t1\t0\t1\n\tout2\t0\t1\t0\n", "ot_lab"),
        ("h.txt", b"what :: d -wh\ndid :: =v c\n", "mg_lab"),
        ("i.txt", b"The_DT dog_NN barks_VBZ ._.\n", "tagging_lab"),
        ("j.txt", b"yu want tu si 6bUk\n", "lexicon_lab"),
        ("k.txt", "niño mañana\n".encode("latin-1"), "lexicon_lab"),
        ("empty.txt", b"", ""),
        ("words.tsv", b"the\tDT\ndog\nbarks\tVBZ\n", "tagging_lab"),
        ("pos.csv", b"word,tag\nthe,det\ndog,noun\n", "tagging_lab"),
        ("ud.txt", b"# sent_id = 1\n1\tle\tle\tDET\t_\t_\t2\tdet\t_\t_\n", "tagging_lab"),
        ("train.txt", b"EU NNP B-NP\nsends VBZ B-VP\n\nAnn NNP B-NP\n", "tagging_lab"),
        ("ca01", b"\n\n\tThe/at town/nn council/nn met/vbd ./.\n", "tagging_lab"),
        ("wsj.txt", b"[ The/DT board/NN ]\nmet/VBD ./.\n\n=======\n", "tagging_lab"),
        ("fr.txt", b"Le\tDET:ART\tle\nchat\tNOM\tchat\n.\tSENT\t.\n", "tagging_lab"),
        ("cvc.txt", b"b O l\nk E t\n\nt I p\ns E t\n", "lexicon_lab"),  # phones in SAMPA
        ("heads.txt", b"# title: Some words.\n# source: mine\nb O l\nk E t\n\nt I p\ns E t\n", "lexicon_lab"),
        ("bias.txt", b"Onset\t0\t1\nNoCoda\t0\t1\nMax\t1\t0\n", ""),
    ],
)
def test_files_are_recognised(name, head, route):
    assert lab_of_file(name, head) == route


@pytest.mark.parametrize(
    ("name", "head", "message"),
    [
        (
            "w.PairDistribution",
            b'"ooTextFile"\n"PairDistribution"\n',
            "no violations: open its",
        ),
        ("w.Sound", b'"ooTextFile"\n"Sound 2"\n', "w.Sound is a Praat Sound file. Nothing was loaded."),
        ("bias.txt", b"Onset\t0\t1\nNoCoda\t0\t1\n", "or give it to 'otlab learn --prior'"),
        ("photo.png", b"\x89PNG", "photo.png is a picture. Nothing was loaded."),
        ("a.TextGrid", b'"ooTextFile"\n"TextGrid"\n', "pack it with its recording into a ZIP file"),
        ("my.docx", b"PK\x03\x04 word/", "my.docx is a Word document. Nothing was loaded."),
        ("notes.txt", b"Dear Ann,\nmany thanks, dear.\n", "notes.txt reads like ordinary prose"),
        ("noise.bin", bytes(range(256)), "noise.bin is in no format"),
    ],
)
def test_what_no_lab_opens_is_said_in_one_sentence(name, head, message):
    assert lab_of_file(name, head) == ""
    assert message in refused(name, head)


@pytest.mark.parametrize(
    ("name", "head", "said"),
    [
        ("train.txt", b"EU NNP B-NP\nsends VBZ B-VP\n\nAnn NNP B-NP\n", "a text to tag, columns by blanks"),
        ("pos.csv", b"word,tag\nthe,det\ndog,noun\n", "a text to tag, columns by commas"),
        ("my.csv", b"Input,Output,Count,A\nx,y,1,0\n", "tableaux"),
        ("ud.txt", b"# sent_id = 1\n1\tle\tle\tDET\t_\t_\t2\tdet\t_\t_\n", "a text to tag, CoNLL-U"),
        (
            "talk.txt",
            b"j u ;eword w a n t ;eword\nt u ;eword\n",
            "a phonemic text, phones by blanks, words by ;eword",
        ),
        ("u.wav", b"RIFF", "recorded sound"),
        ("d.zip", b"PK\x03\x04 u000.WAV", "recorded sound"),
        ("h.txt", b"what :: d -wh\ndid :: =v c\n", "a minimalist lexicon"),
        ("pasted table", b"in\tout\t1\t0\t1\n\tout2\t0\t1\t0\n", "tableaux"),
        ("words.gr", b"Utterance -> Word+\n", "a grammar of words"),
        ("spr.csv", b"subj,item,word_pos,word,RT\n1,1,1,mary,310\n1,1,2,sle", "a table of reading times"),
        ("mine.tsv", b"sentence\tword\tms\n1\tmary\t310\n", "a table of reading times"),
        ("items.csv", b"Word,Input,Output,Count,Time\nbad,bad,bat,1,1\nbed,bed,bet,2,1\n", "tableaux"),
    ],
)
def test_what_a_dropped_file_is_taken_for_is_said(name, head, said):
    route = lab_of_file(name, head)
    assert taken_for(name, head, route).startswith(said)
    title = next(entry.title for entry in labs() if entry.route == route)
    sentence = uploads.opening(name, head, uploads.address_of(name, head))
    assert sentence.startswith(f"{name} is taken for {said}")
    assert sentence.endswith(f"It opens in the {title} lab.")


def test_a_dropped_file_goes_to_its_lab_once():
    zone = DropZone()
    messages = sent(zone)
    send(zone, {"name": "my.csv", "data": base64.b64encode(b"a,b\n").decode()})
    address = messages[0]["open"]
    assert address.startswith("./ot_lab?file=")
    key = address.partition("file=")[2]
    assert uploads.fetch(key) == ("my.csv", b"a,b\n")
    assert uploads.fetch(key) is None


def test_a_file_nobody_reads_is_refused_in_words():
    zone = DropZone()
    send(zone, {"name": "cat.png", "data": base64.b64encode(b"").decode()})
    assert zone.message == "cat.png is in no format that a lab here reads. Nothing was loaded."


def test_old_files_are_forgotten_first():
    keys = [uploads.keep(f"{n}.csv", b"") for n in range(40)]
    assert uploads.fetch(keys[0]) is None
    assert uploads.fetch(keys[-1]) == ("39.csv", b"")


def test_home_shows_the_labs_that_are_there():
    text = words(home_page())
    for entry in labs():
        assert f'href="./{entry.route}"' in text
    assert "OT" in {entry.title for entry in labs()}


def test_routes_by_name_and_beginning():
    assert set(serving.routes()) == {"/", "classroom", *(entry.route for entry in labs())}
    assert set(serving.routes(["ot"])) == {"/", "classroom", "ot_lab"}
    with pytest.raises(InputError, match="no lab 'phonology'"):
        serving.routes(["phonology"])


def test_a_taken_port_is_refused_and_a_free_one_found():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} is in use; choose another"):
            serving.free_port("127.0.0.1", port)
    assert serving.free_port("127.0.0.1", None) >= serving.FIRST_PORT


def test_the_first_port_that_is_free_is_taken(monkeypatch):
    free = {serving.FIRST_PORT + 2}
    monkeypatch.setattr(serving, "_is_free", lambda _address, port: port in free)
    assert serving.free_port("127.0.0.1", None) == serving.FIRST_PORT + 2
    free.clear()
    with pytest.raises(InputError, match="no port from 5006 to 5105 is free; choose one with --port"):
        serving.free_port("127.0.0.1", None)


@pytest.mark.parametrize("port", [-1, 65536, 10**9])
def test_a_port_that_cannot_be_is_refused(port):
    with pytest.raises(InputError, match=f"there is no port {port}; choose one from 1 to 65535"):
        serving.free_port("127.0.0.1", port)


def test_only_our_own_pages_may_talk_to_the_server():
    assert serving.origins("127.0.0.1", 5006) == ["127.0.0.1:5006", "localhost:5006"]


def test_a_route_without_a_lab_is_a_page_that_says_so():
    assert "not installed" in words(serving.lab_page("phonology_lab"))


def test_a_lab_is_a_page_and_a_widget():
    lab = ToyLab()
    assert lab.page().get_root() is not None
    assert pn.panel(lab).get_root() is not None


def test_a_lab_turns_dark_everywhere():
    lab = ToyLab()
    page = lab.page()
    cell = lab.main()
    bar = component(page, "AppBar")
    send(bar, {"kind": "dark", "value": True})
    assert (lab.dark, page.dark_theme, bar.dark) == (True, True, True)
    assert len(lab.showings) == 2
    for showing in (*lab.showings, cell):
        assert showing.tab("Draws").live.glyph("bars").fill_color == DARK["gibbs"]


def test_an_example_is_chosen_once_and_only_if_known():
    lab = ToyLab()
    bar = component(lab.page(), "AppBar")
    send(bar, {"kind": "example", "value": "second"})
    assert (lab.example, bar.example) == ("second", "second")
    lab.choose("third")
    assert lab.example == "second"


def test_a_toast_can_be_undone_once():
    lab, undone = ToyLab(), []
    bar = component(lab.page(), "AppBar")
    messages = sent(bar)
    lab.toast("Constraint removed", lambda: undone.append(1))
    assert messages == [{"toast": "Constraint removed", "action": "Undo", "key": 0}]
    for _ in range(2):
        send(bar, {"kind": "undo", "key": 0})
    assert undone == [1]


def test_a_file_with_faults_is_shown_with_all_of_them_and_loads_nothing():
    lab = ToyLab()
    text = shown_text(open_page(lab, file=uploads.keep("bad.csv", b"1,5")))
    assert "bad.csv was not loaded: 2 problems" in text
    assert lab.example == "first"


def test_two_labs_share_nothing():
    one, other = ToyLab(), ToyLab()
    one.settings.param.update(seed=1)
    one.runner.step()
    assert other.settings.seed == 2005
    assert other.runner.phase == "idle"
    one.close()


def test_settings_without_fields_are_allowed():
    assert link_texts(param.Parameterized()) == {}


def test_a_lab_that_cannot_be_made_shows_a_page_of_ours(monkeypatch, caplog):
    def broken(self):
        raise ValueError("no such figure")

    monkeypatch.setattr(OTLab, "main", broken)
    page = words(serving.lab_page("ot_lab"))
    assert "The OT lab could not be opened" in page
    assert "ValueError: no such figure" in page
    assert "Traceback" not in page
    assert "Traceback" in caplog.text


def test_a_lab_whose_models_cannot_be_built_shows_a_page_of_ours(monkeypatch, caplog):
    def broken(self, *args):
        raise ValueError("no such glyph")

    monkeypatch.setattr(pn.widgets.Tabulator, "_get_model", broken)
    document = serving.lab_page("ot_lab").server_doc(Document())
    page = html.unescape("".join(str(model.text) for model in document.models if hasattr(model, "text")))
    assert "The OT lab could not be opened" in page
    assert "ValueError: no such glyph" in page
    assert "Traceback" in caplog.text


def test_a_page_without_a_page_of_errors_raises_its_error(monkeypatch):
    def broken(self, *args):
        raise ValueError("no such glyph")

    page = ToyLab().page()
    monkeypatch.setattr(pn.pane.Bokeh, "_get_model", broken)
    with pytest.raises(ValueError, match="no such glyph"):
        page.server_doc(Document())


def test_style_sheets_come_from_this_server_however_the_page_was_made():
    document = Document()
    with set_curdoc(document):
        root = ToyLab().page().get_root(document)
    addresses = {str(sheet.url) for sheet in root.select({"type": ImportedStyleSheet})}
    assert addresses
    assert not [url for url in addresses if url.startswith("http")]


def test_the_server_keeps_no_page_that_is_gone():
    """Panel's state lives as long as the server: what watches it is never collected."""

    def watchers():
        return list(pn.state.param.watchers.get("busy", {}).get("value", ()))

    before = watchers()
    page = ToyLab().page()
    assert watchers() == before
    assert not page.busy


def test_a_term_is_explained_once():
    """All labs live in one server: a key with two meanings would show one lab's words in another."""
    import otlab.ui.lexicon.lab
    import otlab.ui.mg.lab
    import otlab.ui.ot.lab
    import otlab.ui.tagging.lab  # noqa: F401  # their terms are defined by importing them

    elbo = GLOSSARY["elbo"]
    define("elbo", elbo.name, elbo.meaning, elbo.threshold)
    with pytest.raises(ValueError, match="already explains 'elbo'"):
        define("elbo", "ELBO", "Something else.")
    assert GLOSSARY["elbo"] == elbo


def test_imports_are_frozen_at_once_and_again_when_no_page_is_open(monkeypatch):
    done, destroyed = [], []
    for name in ("freeze", "unfreeze", "collect"):
        monkeypatch.setattr(memory.gc, name, lambda name=name: done.append(name))
    monkeypatch.setattr(type(pn.state), "on_session_destroyed", staticmethod(destroyed.append))
    monkeypatch.setattr(memory, "release_free_memory", lambda: None)
    pages = memory.OpenPages()
    document, context = Document(), SimpleNamespace()
    document._session_context = lambda: context
    with set_curdoc(document):
        pages.add()
    once = ["unfreeze", "collect", "freeze"]
    for _ in range(2):
        pages.imports_done()
        assert done == once
    for _ in range(2):
        destroyed[0](None)
        assert done == [*once, *once]
