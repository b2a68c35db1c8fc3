"""What a lab leaves in a saved notebook is small, and unpacks to what Panel wrote."""

import base64
import gzip
import json
import re

import holoviews as hv
import pytest
from bokeh.document import Document
from IPython import display
from panel.config import panel_extension
from panel.io.notebook import LOAD_MIME, render_model
from panel.io.resources import set_resource_mode
from panel.viewable import Viewer

from otlab.ui import MGLab
from otlab.ui.server import notebook_size
from otlab.ui.server.notebook_size import compacted, packed_script
from tests.ui.toy import ToyLab

PACKED = re.compile(r'\("([A-Za-z0-9+/=]{40,})"\)')


def unpacked(text):
    return gzip.decompress(base64.b64decode(PACKED.search(text)[1])).decode()


def whole(part, texts):
    if isinstance(part, str):
        return texts[int(part[1:])] if part.startswith("\x01") else part
    if isinstance(part, list):
        return [whole(each, texts) for each in part]
    return {k: whole(v, texts) for k, v in part.items()} if isinstance(part, dict) else part


def document_of(html):
    texts, value = json.loads(unpacked(html))
    return whole(value, texts)


def written(document):
    begin = '<div id="x"></div><script type="application/javascript">(function(root) {'
    return f"{begin}\n  var docs_json = {json.dumps(document)};\n  draw(docs_json)\n}})(window);</script>"


def test_a_document_is_compressed_and_its_repeated_texts_are_there_once():
    script = "x" * 5000 + "</script> é"
    document = {"a": {"esm": script, "n": [1, 2.5, None, True]}, "b": [{"esm": script}], "c": "\x010"}
    html = compacted(written(document))
    assert document_of(html) == document
    assert set(json.loads(unpacked(html))[0]) == {script, "\x010"}
    assert "(async function(root) {" in html
    assert html.endswith(";\n  draw(docs_json)\n})(window);</script>")


@pytest.mark.parametrize("html", ["", "<b>text</b>", "var docs_json = 3"])
def test_other_html_is_left_as_it_is(html):
    assert compacted(html) == html


def test_a_script_is_unpacked_and_run():
    script = "window.answer = 'é' + 42"
    assert unpacked(packed_script(script)) == script


@pytest.mark.parametrize("holoviews_first", [False, True])
def test_panels_scripts_are_loaded_from_this_computer_and_compressed(monkeypatch, holoviews_first):
    published, loaded = [], []
    scripts = {"application/javascript": "x" * 200_000, LOAD_MIME: ""}

    def extension(*_names, inline):
        assert inline
        display.publish_display_data(dict(scripts))
        display.publish_display_data({"text/html": "<b>"})

    monkeypatch.setattr(notebook_size, "in_cell", lambda: True)
    monkeypatch.setattr(panel_extension, "_loaded", False)
    monkeypatch.setattr(hv.extension, "_loaded", holoviews_first)
    monkeypatch.setattr(notebook_size.pn, "extension", extension)
    monkeypatch.setattr(notebook_size, "load_notebook", lambda inline: loaded.append(inline))
    monkeypatch.setattr(display, "publish_display_data", published.append)
    before = display.publish_display_data
    notebook_size.load_scripts()
    assert unpacked(published[0]["application/javascript"]) == scripts["application/javascript"]
    assert published[1] == {"text/html": "<b>"}
    assert loaded == [True] * holoviews_first, "HoloViews has asked the network for its own"
    assert display.publish_display_data is before
    monkeypatch.setattr(panel_extension, "_loaded", True)
    notebook_size.load_scripts()
    assert len(published) == 2, "what was loaded before is used"


def test_only_html_of_a_cell_is_compressed(monkeypatch):
    lab, html = ToyLab(), written({"a": "x" * 500})
    for bundle in ({"text/plain": "ToyLab"}, ({"text/plain": "ToyLab"}, {})):
        monkeypatch.setattr(Viewer, "_repr_mimebundle_", lambda *_, bundle=bundle: bundle)
        assert notebook_size.mimebundle(lab) is bundle
    monkeypatch.setattr(Viewer, "_repr_mimebundle_", lambda *_: ({"text/html": html}, {}))
    shown, _ = notebook_size.mimebundle(lab)
    assert document_of(shown["text/html"]) == {"a": "x" * 500}


@pytest.mark.slow
def test_the_cell_of_a_lab_takes_a_small_part_and_unpacks_to_what_panel_wrote():
    lab = MGLab()
    with set_resource_mode("inline"):
        document = Document()
        model = lab.__panel__().get_root(document)
        document.add_root(model)
        html = render_model(model)[0]["text/html"]
    small = compacted(html)
    assert len(small) < min(len(html) / 5, 1_000_000)
    original, _ = json.JSONDecoder().raw_decode(html[html.index("var docs_json = ") + 16 :])
    assert document_of(small) == original
    lab.close()
