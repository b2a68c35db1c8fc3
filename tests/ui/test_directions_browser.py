"""Words of scripts that are read from the right, in every lab: their order, and where they begin."""

from __future__ import annotations

import pytest

from tests.ui.waiting import until

pytestmark = [pytest.mark.browser]

SENTENCES = (
    'הילד/NN קורא/VB "/PUNCT ספר/NN "/PUNCT ./PUNCT\nIBM/NN קונה/VB (/PUNCT שלום/NN )/PUNCT\nthe/DT dog/NN\n'
)
UTTERANCES = "הילד קורא ספר\nהילדה קוראת ספר\n"
TABLE = "input,candidate,count,Max,Dep\nשלום,(שלום).,3,0,1\nשלום,שלו,0,1,0\n"
LEFTS = "nodes => nodes.map(node => node.getBoundingClientRect().left)"


def load(page, text, name, zone):
    page.get_by_role("tab", name="Data", exact=True).click()
    file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    page.get_by_label(zone).set_input_files(file)
    page.get_by_text(name, exact=True).first.wait_for()


def run(page):
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("done", exact=True).first.wait_for(timeout=120_000)


def begins_right(parts):
    """Whether parts of a line are in order from the right."""
    lefts = parts.evaluate_all(LEFTS)
    return len(lefts) > 1 and lefts == sorted(lefts, reverse=True)


def assert_sentences(page, *, chips=False):
    """The first two sentences begin at the right edge, the third at the left one; arrows point to tags."""
    sentences = page.locator(".sentence:visible:has(.w)")

    def read():
        """Read all at once: a picture may be replaced between two questions."""
        found = sentences.evaluate_all(_SENTENCES)
        return found if len(found) > 2 and not (chips and not found[0]["chips"]) else None

    found = until(read, 20)
    for sentence in found[:2]:
        assert sentence["lefts"] == sorted(sentence["lefts"], reverse=True)
        assert abs(sentence["right"]) < 2
    assert found[2]["lefts"] == sorted(found[2]["lefts"])
    assert abs(found[2]["left"]) < 2
    assert all(state < tag for state, tag in found[0]["chips"])


_SENTENCES = """nodes => nodes.map(node => {
  const words = [...node.querySelectorAll(".w")].map(word => word.getBoundingClientRect())
  const line = node.getBoundingClientRect()
  const names = chip => [...chip.children].map(name => name.getBoundingClientRect().left)
  const chips = [...node.querySelectorAll(".s [dir=ltr]")].map(names)
  const [left, right] = [words[0].left - line.left, line.right - words[0].right]
  return { lefts: words.map(word => word.left), left, right, chips }
})"""


def test_tagged_sentences_and_words_of_states_are_read_from_the_right(visit, labs_url, tmp_path):
    page = visit((1280, 800)).open(f"{labs_url}/tagging_lab?iterations=5&runs=1&states=3")
    load(page, SENTENCES * 20, "sentences.txt", "Drop a corpus here")
    assert_sentences(page)
    page.get_by_label("States", exact=True).fill("3")
    page.keyboard.press("Tab")
    run(page)
    page.get_by_role("tab", name="Sentences", exact=True).click()
    assert_sentences(page, chips=True)
    page.get_by_role("tab", name="States", exact=True).click()
    context = page.locator(".kwic[dir=rtl]").first
    context.wait_for()
    assert begins_right(context.locator("> *"))
    assert page.locator(".words .word bdi").count() > 3
    page.get_by_role("tab", name="Data", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Result as a page").click()
    started.value.save_as(tmp_path / "result.html")
    assert "<bdi>קורא</bdi>" in (tmp_path / "result.html").read_text(encoding="utf-8")


def test_segmented_utterances_and_trees_are_read_from_the_right(visit, labs_url, tmp_path):
    page = visit((1280, 800)).open(f"{labs_url}/lexicon_lab?iterations=5")
    load(page, UTTERANCES * 10, "utterances.txt", "Drop a phonemic text here")
    page.get_by_role("tab", name="Segment", exact=True).click()
    run(page)
    line = page.locator(".utterance").first
    assert begins_right(line.locator(".phone"))
    cells, gloss = line.locator(".cells").bounding_box(), line.locator(".gloss").bounding_box()
    assert cells["x"] > gloss["x"]
    page.get_by_role("tab", name="Trees", exact=True).click()
    tree = page.locator("svg.tree").first
    tree.wait_for()
    phones = tree.locator(".phone")
    assert "".join(phones.all_text_contents()).startswith("הילד")
    assert begins_right(phones)
    page.get_by_role("tab", name="Data", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Result as a page").click()
    started.value.save_as(tmp_path / "result.html")
    page.goto(f"file://{tmp_path / 'result.html'}")
    assert begins_right(page.locator(".utterances li").first.locator(".phone"))


def test_forms_of_a_tableau_and_sentences_of_a_grammar_are_read_from_the_right(visit, labs_url):
    page = visit((1280, 800)).open(f"{labs_url}/ot_lab")
    load(page, TABLE, "table.csv", "Drop a file here")
    page.get_by_role("tab", name="Learn", exact=True).click()
    form = page.locator(".tabulator-cell[tabulator-field='candidate'] > *", has_text="(שלום).").first
    form.wait_for()
    until(lambda: first_letter_is_at_the_right(form), 20)  # once it is drawn
    until(
        lambda: first_letter_is_at_the_right(page.locator(".ot-form", has_text="(שלום).").first), 20
    )  # once it is drawn
    page = visit((1280, 800)).open(f"{labs_url}/mg_lab")
    page.get_by_label("Sentence", exact=True).fill("הילד ישן.")
    page.get_by_role("button", name="Add the sentence at the right").click()
    sentence = page.get_by_role("table", name="Corpus").get_by_role("button", name="הילד ישן.")
    until(lambda: first_letter_is_at_the_right(sentence), 20)  # once it is drawn


def first_letter_is_at_the_right(form):
    """Whether the first character of a text is to the right of its last one, a mark that has no direction."""
    return form.evaluate(
        """node => {
      const text = document.createTreeWalker(node, NodeFilter.SHOW_TEXT).nextNode()
      const range = document.createRange()
      const at = k => {
        range.setStart(text, k)
        range.setEnd(text, k + 1)
        return range.getBoundingClientRect().left
      }
      return at(0) > at(text.data.length - 1)
    }"""
    )
