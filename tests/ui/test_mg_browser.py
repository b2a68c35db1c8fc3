"""The grammar lab in a real browser."""

import pytest

from tests.ui.layout import assert_cards_fit, assert_fine, faults
from tests.ui.waiting import until

pytestmark = pytest.mark.browser


@pytest.mark.walk
def test_edit_parse_and_learn(visit, labs_url):
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    page.get_by_label("Sentence", exact=True).fill("you see the park with the telescope")
    expect(page.get_by_text("2 derivations")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    until(lambda: not [fault for fault in faults(page) if fault.endswith(" px")])  # no letter below 11 px
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("radio", name="X-bar", exact=True).click()
    expect(page.get_by_role("group", name="Derivation")).to_contain_text("VP")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("ELBO never fell")).to_be_visible()
    expect(page.get_by_text("done", exact=True)).to_be_visible()  # until then the share may still change
    share = page.get_by_role("radio", name="Reading 1").locator(".share")
    expect(share).not_to_have_text("50 %")
    page.get_by_role("button", name="Item", exact=True).click()
    page.keyboard.type("d[p]?.")  # at once; d, [, p, ], ? and . are shortcuts of the page
    expect(page.get_by_label("Item of row 13")).to_have_value("d[p]?.")
    expect(page.get_by_label("Item of row 13")).to_be_focused()
    expect(page.get_by_role("button", name="Dark mode")).to_have_attribute("aria-pressed", "false")
    page.get_by_label("Item of row 13").fill("who")
    page.get_by_label("Features of row 13").fill("d -q")
    expect(page.get_by_text("could never move").first).to_be_visible()
    page.get_by_label("Features of row 13").fill("d -wh")
    expect(page.get_by_text("could never move")).to_have_count(0)
    page.get_by_label("Sentence", exact=True).fill("who did you see")
    expect(page.get_by_text("1 derivation", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 1100, "height": 800})
    page.get_by_role("button", name="Dark mode").click()
    until(lambda: not [fault for fault in faults(page) if not fault.endswith(" px")])
    assert_cards_fit(page, 600, 820, 1100)


def test_a_long_sentence_typed_letter_by_letter(visit, labs_url):
    """Each letter is parsed; the page keeps up and ends with the whole sentence."""
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    field = page.get_by_label("Sentence", exact=True)
    field.fill("")
    field.press_sequentially("what did you see in the park with the telescope with you", delay=15)
    expect(page.get_by_text("5 derivations")).to_be_visible()
    _its_tree_fits_is_zoomed_and_dragged(page)
    _a_lexicon_is_pasted(page)
    _a_corpus_is_pasted(page)


_UNDER_THE_BUTTONS = """p => {
  const tools = p.parentNode.querySelector(".tools").getBoundingClientRect()
  const frame = p.getBoundingClientRect()
  return [...p.querySelectorAll("text")].filter(one => one.getClientRects().length)
    .map(one => one.getBoundingClientRect())
    .some(one => one.right > tools.left && one.left < tools.right
      && Math.max(one.top, frame.top) < tools.bottom && Math.min(one.bottom, frame.bottom) > tools.top)
}"""


_FITS = "p => p.scrollWidth <= p.clientWidth + 1 && p.scrollHeight <= p.clientHeight + 1"
_SMALLEST = """p => Math.min(...[...p.querySelectorAll("text")]
    .filter(one => one.getClientRects().length)
    .map(one => parseFloat(one.getAttribute("font-size")) * one.getScreenCTM().a))"""


@pytest.mark.parametrize("size", [(1440, 900), (1280, 800)])
def test_a_wide_tree_is_whole_on_the_full_screen_and_on_demand_in_the_card(visit, labs_url, size):
    """Its letters have 11 px or more unless all of it is asked for."""
    from playwright.sync_api import expect

    page = visit(size).open(labs_url + "/mg_lab?example=copy_ww")
    picture = page.get_by_role("group", name="Derivation")
    page.get_by_label("Sentence", exact=True).fill("a b b a a b b a")
    rest = page.get_by_text("Drag to see the rest of the tree")
    expect(rest).to_be_visible()
    until(lambda: picture.evaluate(_SMALLEST) >= 10.99)
    until(lambda: not picture.evaluate(_UNDER_THE_BUTTONS))
    page.get_by_role("button", name="Fit the whole tree").click()
    until(lambda: picture.evaluate(_FITS))
    expect(rest).to_be_hidden()
    until(lambda: not picture.evaluate(_UNDER_THE_BUTTONS))
    page.get_by_role("button", name="Larger letters").click()
    until(lambda: picture.evaluate(_SMALLEST) >= 10.99)
    page.get_by_role("button", name="Enlarge the derivation").click()
    until(lambda: picture.evaluate(_FITS))
    expect(rest).to_be_hidden()
    until(lambda: picture.evaluate(_SMALLEST) >= 10.99)
    until(lambda: not picture.evaluate(_UNDER_THE_BUTTONS))
    assert_fine(page)


def test_a_tree_is_whole_and_large_in_presenter_mode(visit, labs_url):
    """ELBO and probabilities make way for it; readings and lexicon still show what was learnt."""
    from playwright.sync_api import expect

    page = visit((1280, 800)).open(labs_url + "/mg_lab")
    picture = page.get_by_role("group", name="Derivation")
    page.get_by_role("heading", name="Lexicon").click()
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="ELBO")).to_be_hidden()
    until(lambda: picture.evaluate(_FITS) and picture.evaluate(_SMALLEST) >= 10.99)
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="ELBO")).to_be_visible()


_IN_SIGHT = """row => {
  const frame = row.closest(".scroll").getBoundingClientRect()
  return row.getBoundingClientRect().bottom <= frame.bottom + 1
}"""


def test_the_items_and_the_sentence_that_is_typed_are_in_sight(visit, labs_url):
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    items = page.get_by_role("table", name="Lexicon").locator("tr:has(td.phon)")
    expect(items).to_have_count(12)
    until(lambda: items.last.evaluate(_IN_SIGHT))
    page.get_by_label("Sentence", exact=True).fill("did you see what")
    until(lambda: page.locator("tr.starred.chosen + .note").evaluate(_IN_SIGHT))


def _its_letters_stay_readable_in_a_small_window(page, picture):
    from playwright.sync_api import expect

    page.locator("button.percent").click()
    page.set_viewport_size({"width": 900, "height": 560})
    until(lambda: not picture.evaluate(_FITS))
    assert picture.evaluate(_SMALLEST) >= 10.99
    expect(page.get_by_text("Drag to see the rest of the tree")).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    until(lambda: picture.evaluate(_FITS))
    expect(page.get_by_text("Drag to see the rest of the tree")).to_be_hidden()


def _its_tree_fits_is_zoomed_and_dragged(page):
    from playwright.sync_api import expect

    picture = page.get_by_role("group", name="Derivation")
    until(lambda: picture.evaluate(_FITS))
    for _ in range(6):
        page.get_by_role("button", name="Larger").click()
    until(lambda: not picture.evaluate(_FITS))
    before = picture.evaluate("p => p.scrollLeft")
    box = picture.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 150)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 150)
    page.mouse.up()
    until(lambda: picture.evaluate("p => p.scrollLeft") == pytest.approx(before + 40, abs=2))
    size = page.locator("button.percent")
    size.click()
    expect(size).to_have_text("Fit")
    until(lambda: picture.evaluate(_FITS))
    page.mouse.move(box["x"] + 200, box["y"] + 150)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    expect(size).to_contain_text("%")
    _its_letters_stay_readable_in_a_small_window(page, picture)
    page.get_by_label("Copy or save this tree").click()
    page.get_by_role("menuitem", name="Copy LaTeX (forest)").click()
    expect(page.get_by_text("Movement copied as LaTeX (forest)")).to_be_visible()
    assert "\\begin{forest}" in page.evaluate("navigator.clipboard.readText()")


def _a_lexicon_is_pasted(page):
    from playwright.sync_api import expect

    page.get_by_role("button", name="Edit as text").click()
    box = page.get_by_label("Lexicon as text")
    box.fill("mary :: d\nslept :: d= v d")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("nothing was changed")).to_be_visible()
    box.fill("mary :: d\nslept :: d= v")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("The text names no start category")).to_be_visible()
    page.get_by_role("button", name="v", exact=True).click()
    expect(page.get_by_text("2 items")).to_be_visible()
    page.get_by_label("Sentence", exact=True).fill("mary slept")
    expect(page.get_by_text("1 derivation", exact=True)).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("12 items")).to_be_visible()


def _a_corpus_is_pasted(page):
    from playwright.sync_api import expect

    page.get_by_role("button", name="Edit the corpus as text").click()
    page.get_by_label("Corpus as text", exact=True).fill("you see you | many")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 fault, nothing was changed")).to_be_visible()
    page.get_by_label("Corpus as text", exact=True).fill("you see you | 4\nwhat did you see?")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("5 sentences")).to_be_visible()


def test_escape_takes_back_what_was_typed_into_a_cell(visit, labs_url):
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    features = page.get_by_label("Features of row 2")
    features.click()
    page.keyboard.press("End")
    page.keyboard.type(" -q")
    expect(page.get_by_text("could never move").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(features).to_have_value("d")
    expect(features).to_be_focused()
    expect(page.get_by_text("could never move")).to_have_count(0)


def test_a_lexicon_is_typed_without_waiting_for_the_page(visit, labs_url):
    """Items and features, row after row; and a text that is half typed outlives a look at another tab."""
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    page.get_by_role("button", name="New", exact=True).click()
    expect(page.get_by_text("No grammar yet")).to_be_visible()
    page.get_by_label("Item of row 1").fill("maria")
    page.get_by_label("Features of row 1").fill("d -top")
    page.keyboard.press("Enter")
    for word, features in (("sieht", "=d d= v"), ("ihn", "d")):
        page.keyboard.type(word)
        page.keyboard.press("Tab")
        page.keyboard.type(features)
        page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("=v +top c")
    expect(page.get_by_label("Features of row 4")).to_have_value("=v +top c")
    expect(page.get_by_label("Features of row 2")).to_have_value("=d d= v")
    page.get_by_role("button", name="Item", exact=True).click()
    page.keyboard.type("dass")
    page.keyboard.press("Tab")
    page.keyboard.type("=v c")
    expect(page.get_by_label("Features of row 5")).to_have_value("=v c")
    expect(page.get_by_label("Start category")).to_have_value("c")
    page.get_by_label("Sentence", exact=True).fill("maria ihn sieht")
    expect(page.get_by_text("1 derivation", exact=True)).to_be_visible()

    page.get_by_role("button", name="Edit as text").click()
    page.get_by_label("Lexicon as text").fill("@start c\njohn :: d")
    page.get_by_role("tab", name="Generate", exact=True).click()
    expect(page.get_by_label("Lexicon as text")).to_have_count(0)
    page.get_by_role("tab", name="Induce", exact=True).click()
    expect(page.get_by_label("Lexicon as text")).to_have_value("@start c\njohn :: d")


# How far the cells of the tables in sight stick out of their card, at the right.
_STICKS_OUT = """() => {
  const tables = node => [...node.querySelectorAll("*")].flatMap(
    one => [...(one.matches("table") ? [one] : []), ...(one.shadowRoot ? tables(one.shadowRoot) : [])])
  const card = node => !node || node.matches?.(".ot-card") ? node : card(node.parentNode ?? node.host)
  const right = node => node.getBoundingClientRect().right
  return tables(document).filter(table => table.checkVisibility() && card(table)).flatMap(
    table => [...table.querySelectorAll("td, th")].map(cell => right(cell) - right(card(table))))
    .filter(out => out > 0)
}"""
_CUT = (
    "table => [...table.querySelectorAll('.sentence')].filter(s => s.scrollWidth > s.clientWidth + 1).length"
)
_EMPTY_COLUMN = """table => table.getBoundingClientRect().right
  - table.querySelector("td:nth-child(5)").getBoundingClientRect().right"""


def test_tables_are_whole_in_a_window_of_1100_px(visit, labs_url):
    from playwright.sync_api import expect

    page = visit(size=(1100, 800)).open(labs_url + "/mg_lab")
    corpus = page.get_by_role("table", name="Corpus")
    expect(corpus).to_be_visible()
    assert corpus.evaluate(_CUT) == 0
    assert abs(corpus.evaluate(_EMPTY_COLUMN)) < 2
    page.get_by_role("tab", name="Compare").click()
    page.get_by_label("Add a shipped lexicon").select_option(index=2)
    expect(page.get_by_role("button", name="Remove")).to_be_visible()  # its row moves the button below it
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("The ELBOs cover different sentences")).to_be_attached()
    assert page.evaluate(_STICKS_OUT) == []


_SLIDE_AND_TYPE = """
  for (const place of [10, 15, 20]) {
    range.value = place
    range.dispatchEvent(new Event("input", { bubbles: true }))
  }
  box.value = "2"
  box.dispatchEvent(new Event("input", { bubbles: true }))
  box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))
  box.value = "0.3"  // as the answer to an older place would, before the browser says that Enter changed it
  box.dispatchEvent(new Event("change", { bubbles: true }))
"""


def test_alpha_is_slid_and_typed_under_one_name(visit, labs_url):
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    alpha, slider = page.get_by_label("Alpha"), page.get_by_label("sparse to uniform")
    expect(alpha).to_have_value("0.5")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("ELBO never fell")).to_be_visible()
    expect(page.get_by_text("done", exact=True)).to_be_visible()  # until then the share may still change
    share = page.get_by_role("radio", name="Reading 1").locator(".share")
    expect(share).not_to_have_text("50 %")
    before = share.text_content()
    slider.focus()
    for _ in range(25):
        slider.press("ArrowLeft")
    expect(alpha).not_to_have_value("0.5")
    until(lambda: 0.01 < float(alpha.input_value()) < 0.2)
    expect(share).not_to_have_text(before)
    alpha.fill("0.5")
    alpha.press("Enter")
    expect(share).to_have_text(before)
    expect(slider).to_have_value("57")
    # A value that is typed right after sliding is not replaced by a place that waited to be sent.
    slider.evaluate("(range, box) => { " + _SLIDE_AND_TYPE + " }", alpha.element_handle())
    page.wait_for_timeout(1500)  # a waiting place is sent after .4 s at the latest
    expect(alpha).to_have_value("2")
    expect(share).not_to_have_text(before)
    expect(slider).not_to_have_value("20")


# Texts of the lexicon's table that run into the next column, out of their row, or are cut off.
_NOT_WHOLE = """rows => rows.filter(row => row.querySelector("td.phon")).flatMap(row => {
  const cells = [...row.cells].slice(0, 3).map(cell => {
    const words = document.createRange()
    words.selectNodeContents(cell.querySelector(".pretty") ?? cell)
    return [words.getBoundingClientRect(), cell]
  })
  return cells.filter(([text, cell], at) => {
    const pretty = cell.querySelector(".pretty"), place = cell.getBoundingClientRect()
    const cut = pretty && (pretty.scrollWidth > pretty.clientWidth + 1)
    const next = cells[at + 1]?.[0]
    return cut || text.right > place.right + 1 || text.bottom > place.bottom + 1
      || (text.width > 0 && next?.width > 0 && text.right > next.left)
  }).map(([, cell]) => cell.textContent)
})"""


# Where the parts of the lexicon's table are; only the marks of the intervals move.
_PLACES = """table => [...table.querySelectorAll("th, td")].map(cell => {
  const { x, y, width, height } = cell.getBoundingClientRect()
  return [x, y, width, height].map(Math.round)
})"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("example", ["english_np_movement", "naive_english_remnant", "german_nested"])
def test_categories_and_features_are_seen_in_full_at_1280_px(visit, labs_url, example, dark):
    """Beside the prior, and beside what was learnt, which takes its place without a jump."""
    from playwright.sync_api import expect

    opening = visit((1280, 800))
    opening.context.add_cookies([{"name": "otlab_dark", "value": str(int(dark)), "url": labs_url}])
    page = opening.open(f"{labs_url}/mg_lab?example={example}")
    table = page.get_by_role("table", name="Lexicon")
    rows = page.locator("tr:has(td.phon)")
    expect(rows.filter(visible=True).first).to_be_visible()
    for head in ("Prior", "Mean", "Alpha"):
        expect(page.get_by_role("columnheader", name=head, exact=True)).to_be_visible()
    assert rows.evaluate_all(_NOT_WHOLE) == []
    before = table.evaluate(_PLACES)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("ELBO never fell")).to_be_visible()
    for head in ("Posterior", "Mean", "Uses"):
        expect(page.get_by_role("columnheader", name=head, exact=True)).to_be_visible()
    assert rows.evaluate_all(_NOT_WHOLE) == []
    assert table.evaluate(_PLACES) == before


_ROOM_BELOW = """table => {
  const card = node => node.matches?.(".ot-card") ? node : card(node.parentNode ?? node.host)
  return card(table).getBoundingClientRect().bottom - table.getBoundingClientRect().bottom
}"""
_ONE_LINE = "legend => legend.clientHeight < 20 && legend.scrollWidth <= legend.clientWidth + 1"
_LABELS_CUT = """readings => [...readings.querySelectorAll(".detail")]
  .filter(one => one.scrollHeight > one.clientHeight + 1).map(one => one.textContent)"""


@pytest.mark.parametrize("dark", [False, True])
def test_lexicon_and_derivation_use_a_low_window_well(visit, labs_url, dark):
    from playwright.sync_api import expect

    opening = visit((1280, 800))
    opening.context.add_cookies([{"name": "otlab_dark", "value": str(int(dark)), "url": labs_url}])
    page = opening.open(labs_url + "/mg_lab?example=english_pp_attachment")
    items = page.get_by_role("table", name="Lexicon").locator("tr:has(td.phon)")
    expect(items).to_have_count(11)
    until(lambda: items.last.evaluate(_IN_SIGHT))
    assert page.locator(".legend:has(.token)").evaluate(_ONE_LINE)
    assert page.get_by_role("radiogroup", name="Readings").evaluate(_LABELS_CUT) == []
    views = page.get_by_role("radio", name="Movement", exact=True).bounding_box()
    title = page.get_by_role("heading", name="Derivation", exact=True).bounding_box()
    assert abs(views["y"] - title["y"]) < 12
    assert_fine(page)
    about = page.locator("#about")
    folded = about.bounding_box()["height"]
    page.get_by_role("button", name="More about this lexicon").click()
    until(lambda: about.bounding_box()["height"] > folded + 10)
    page.get_by_role("button", name="Less about this lexicon").click()
    until(lambda: about.bounding_box()["height"] == folded)


def test_a_corpus_is_as_high_as_its_sentences(visit, labs_url):
    page = visit((1280, 800)).open(labs_url + "/mg_lab?example=gender_induction")
    corpus = page.get_by_role("table", name="Corpus")
    until(lambda: corpus.get_by_role("row").filter(visible=True).count() == 5)
    assert corpus.evaluate(_ROOM_BELOW) < 20
    page.get_by_label("Sentence", exact=True).fill("le mer")
    before = corpus.bounding_box()["height"]
    page.get_by_role("button", name="Add the sentence at the right").click()
    until(lambda: corpus.bounding_box()["height"] > before + 20)
    assert corpus.evaluate(_ROOM_BELOW) < 20


def test_a_pool_is_pruned_and_theories_compared(visit, labs_url):
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    page.get_by_role("tab", name="Learn lexicon").click()
    page.get_by_label("Sentences", exact=True).select_option("200 generated")
    page.get_by_role("button", name="Learn and prune").click()
    expect(page.get_by_text("12 of the lexicon's 12 entries")).to_be_visible()
    page.get_by_label("Threshold", exact=True).fill("60")
    page.get_by_label("Threshold", exact=True).press("Enter")
    expect(page.get_by_text("pruned · lost").first).to_be_visible()
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("there is one theory only")).to_be_visible()
    page.get_by_label("Add a shipped lexicon").select_option(
        "Portelance et al. 2022, Figure 1 (subject selected first)"
    )
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("The ELBOs cover different sentences")).to_be_visible()
    expect(page.get_by_role("table", name="Differences")).to_contain_text("you see the park")


def test_the_question_for_a_start_category_pushes_nothing_out_of_its_card(visit, labs_url, tmp_path):
    from playwright.sync_api import expect

    path = tmp_path / "table.csv"
    path.write_text("item,features\nmary,d\nslept,d= v\n,=v c\n", encoding="utf-8")
    page = visit((1280, 800)).open(labs_url + "/mg_lab")
    page.get_by_role("tab", name="Data").click()
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("names no start category")).to_be_visible()
    assert_fine(page)
    page.get_by_role("button", name="c", exact=True).click()
    expect(page.get_by_text("3 items.")).to_be_visible()
    assert_fine(page)


def test_a_lexicon_of_five_thousand_lines_loads_with_progress(visit, labs_url, tmp_path):
    from playwright.sync_api import expect

    lines = ["@start c", "ε :: =v c", *(f"n{k} :: d\nsee{k} :: =d d= v" for k in range(2500))]
    path = tmp_path / "large.mg"
    path.write_text("\n".join(lines), encoding="utf-8")
    page = visit().open(labs_url + "/mg_lab")
    page.get_by_role("tab", name="Data").click()
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("5,001 items.")).to_be_visible()
    page.get_by_role("tab", name="Induce").click()
    page.get_by_label("Find an item").fill("see2499")
    expect(page.locator("td.phon")).to_have_count(1)
    page.get_by_label("Sentence", exact=True).fill("n1 see2499 n2")
    expect(page.get_by_text("1 derivation", exact=True)).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_reading_times_and_memory_fit_a_low_window(visit, labs_url, dark):
    from playwright.sync_api import expect

    opening = visit((1280, 800))
    opening.context.add_cookies([{"name": "otlab_dark", "value": str(int(dark)), "url": labs_url}])
    page = opening.open(labs_url + "/mg_lab")
    page.get_by_role("tab", name="Reading times").click()
    page.get_by_role("button", name="Show the example").click()
    expect(page.get_by_text("Times: made up for this project")).to_be_visible()
    page.get_by_role("button", name="Keep this version").click()
    expect(page.get_by_role("cell", name="the same", exact=True).first).to_be_visible()
    assert_fine(page)
    page.get_by_role("radio", name="Table", exact=True).click()
    expect(page.get_by_role("table", name="Words").get_by_role("row")).to_have_count(42)
    assert_fine(page)
    page.get_by_role("tab", name="Memory").click()
    expect(page.get_by_role("table", name="Verdicts")).to_be_visible()
    assert_fine(page)
