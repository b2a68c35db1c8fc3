"""The grid of the OT lab in a real browser, when the server is busy and when names are long."""

from __future__ import annotations

import re
import threading

import pytest
from playwright.sync_api import expect

from otlab.ot import Tableau
from otlab.ui.ot.document import Document
from otlab.ui.ot.tabs.grid import ViolationGrid
from otlab.ui.timers import call_on_page
from tests.ui.browser import PATIENCE
from tests.ui.layout import assert_fine
from tests.ui.ot_page import button, cell, column, run_to_the_end, type_into
from tests.ui.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:reference already known")]


@pytest.fixture
def busy(monkeypatch):
    """Let the server answer to what is added only when it is told to."""
    free = threading.Event()
    add = ViolationGrid.add

    def late(grid, *what):
        free.wait(PATIENCE / 1000)
        add(grid, *what)

    monkeypatch.setattr(ViolationGrid, "add", late)
    yield free
    free.set()


@pytest.fixture
def slow_cells(monkeypatch):
    """Let the server answer to what is typed into a cell only when it is told to."""
    free = threading.Event()
    type_ = Document.type

    def late(*what):
        free.wait(PATIENCE / 1000)
        return type_(*what)

    monkeypatch.setattr(Document, "type", late)
    yield free
    free.set()


def head(page, k):
    return page.locator(f".tabulator-col[tabulator-field='c_{k}']")


def name_box(page):
    return page.get_by_role("textbox", name="Name", exact=True)


def test_what_is_typed_before_a_constraint_is_there_becomes_its_name(opened, busy):
    page, lab = opened()
    button(page, "Constraint").click()
    page.keyboard.type("Id[d].p?")  # d, [, ], ., p and ? are shortcuts of the page
    expect(name_box(page)).to_have_value("Id[d].p?")
    expect(button(page, "Dark mode")).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("tab", name="Learn")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("dialog", name="Keyboard and help")).to_have_count(0)
    busy.set()
    expect(page.get_by_role("menu", name="Constraint Constraint 4")).to_be_visible()
    expect(name_box(page)).to_have_value("Id[d].p?")
    page.keyboard.type("!")
    page.keyboard.press("Enter")
    expect(head(page, 3)).to_have_text("Id[d].p?!")
    until(lambda: lab.tableau.constraints[-1] == "Id[d].p?!")


def test_enter_names_it_too_and_several_in_a_row_are_all_added(opened, busy):
    page, lab = opened()
    button(page, "Constraint").click()
    page.keyboard.type("never seen")
    button(page, "Constraint").click()  # before the first is there
    page.keyboard.type("dep")
    page.keyboard.press("Enter")
    page.keyboard.type("dd")  # goes nowhere
    busy.set()
    expect(head(page, 4)).to_have_text("dep")
    expect(button(page, "Dark mode")).to_have_attribute("aria-pressed", "false")
    until(lambda: lab.tableau.constraints[-2:] == ("Constraint 4", "dep"))
    busy.clear()
    button(page, "Candidate").click()
    page.keyboard.type("d.d")
    page.keyboard.press("Enter")
    busy.set()
    expect(column(page, "candidate").last).to_have_text("d.d")
    page.locator(".tabulator-cell[tabulator-field='menu']").nth(0).click()
    busy.clear()
    page.get_by_role("menuitem", name="Add a candidate here").click()
    page.keyboard.type("pd")
    busy.set()
    expect(page.locator(".tabulator-editing input")).to_have_value("pd")
    page.keyboard.press("Enter")
    expect(column(page, "candidate").last).to_have_text("pd")
    until(lambda: lab.tableau.candidates[-2:] == ("d.d", "pd"))


def test_a_name_that_is_left_with_esc_or_a_click_is_not_asked_for_again(opened, busy):
    page, lab = opened()
    button(page, "Full screen").click()
    button(page, "Constraint").click()
    page.keyboard.type("x")
    page.keyboard.press("Escape")
    expect(name_box(page)).to_have_count(0)
    busy.set()
    expect(head(page, 3)).to_have_text("Constraint 4")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(button(page, "Back to the lab")).to_be_visible()  # Esc was the box's
    busy.clear()
    button(page, "Constraint").click()
    cell(page, 0, "c_0").click()
    expect(name_box(page)).to_have_count(0)
    busy.set()
    expect(head(page, 4)).to_have_text("Constraint 5")
    expect(page.get_by_role("menu")).to_have_count(0)
    until(lambda: lab.tableau.n_constraints == 5)


def test_a_key_just_after_a_cell_was_drawn_anew_is_that_cells(opened):
    page, lab = opened()
    cell(page, 0, "c_0").click()
    page.keyboard.press("Escape")
    expect(cell(page, 0, "c_0")).to_be_focused()
    # The cell loses the focus as when it is drawn anew, and a key comes before anything else can happen.
    page.evaluate("""() => {
      let node = document.activeElement
      while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
      node.blur()
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "7", bubbles: true, composed: true }))
    }""")
    expect(page.locator(".tabulator-editing input")).to_have_value("7")
    page.keyboard.press("Enter")
    expect(cell(page, 0, "c_0")).to_have_text("7")
    until(lambda: lab.tableau.violations[0, 0] == 7)


def test_cells_typed_while_the_server_is_busy_with_the_first_all_arrive(opened, slow_cells):
    page, lab = opened()
    for row, text in enumerate(("7", "5", "9")):
        type_into(page, row, "c_0", text)
    slow_cells.set()
    until(lambda: lab.tableau.violations[:, 0].tolist() == [7, 5, 9])
    for row, text in enumerate(("7", "5", "9")):
        expect(cell(page, row, "c_0")).to_have_text(text)
    page.keyboard.press("Control+z")
    until(lambda: lab.tableau.violations[:2, 0].tolist() == [7, 5] and lab.tableau.violations[2, 0] != 9)


LATE = """() => {
  const [table] = Bokeh.index.query(view => view.model.type?.includes("DataTabulator") && view.tabulator)
  table.invalidate_render()
  table.model.source.patch({ c_0: [[0, "5"]] })
}"""


def test_a_cell_that_is_set_while_the_table_is_built_anew_is_drawn(opened):
    page, _ = opened()
    expect(cell(page, 0, "c_0")).to_have_text("1")
    page.evaluate(LATE)
    expect(cell(page, 0, "c_0")).to_have_text("5")


def test_a_cell_typed_after_a_constraint_was_added_on_a_busy_server_arrives(opened, slow_cells):
    page, lab = opened()
    type_into(page, 0, "c_0", "7")
    button(page, "Constraint").click()
    page.keyboard.press("Escape")
    type_into(page, 1, "c_0", "no number")
    type_into(page, 2, "c_0", "9")
    slow_cells.set()
    expect(head(page, 3)).to_have_text("Constraint 4")
    until(lambda: lab.tableau.violations[:, 0].tolist() == [7, 2, 9])
    for row, text in enumerate("729"):
        expect(cell(page, row, "c_0")).to_have_text(text)


LONG = [
    "Ident-IO(voice)",
    "StressToWeight",
    "*ComplexOnset",
    "Align(PrWd,L,Ft,L)",
    "Max-IO",
    "OCP(labial)",
    "NoCoda",
]


def test_long_names_take_two_lines_and_none_is_cut(opened):
    page, lab = opened()
    rows = [("pata", "pa.ta", 3, (0,) * 7), ("pata", "pat.a", 1, (1,) * 7)]
    load(lab, Tableau.from_rows(rows, LONG))
    expect(page.locator("[tabulator-field='c_6'].tabulator-col")).to_have_text("NoCoda")
    cut = """heads => heads.map(head => head.querySelector(".ot-c")).filter(name => {
        const shown = name.clientHeight
        name.style.webkitLineClamp = "unset"
        const whole = name.clientHeight
        name.style.webkitLineClamp = ""
        const head = name.closest(".tabulator-col")
        return whole > shown + 1 || name.getBoundingClientRect().right > head.getBoundingClientRect().right
      }).map(name => name.textContent)"""
    heads = page.locator(".tabulator-col[tabulator-field^='c_']")
    assert heads.evaluate_all(cut) == []
    style = "heads => heads.map(head => getComputedStyle(head.querySelector('.ot-c')).fontVariantCaps)"
    assert set(heads.evaluate_all(style)) == {"small-caps"}  # which keep the capitals of StressToWeight
    until(lambda: heads.evaluate_all("heads => heads.map(head => head.title)") == LONG)
    lines = heads.evaluate_all("heads => heads.map(head => head.querySelector('.ot-c').clientHeight)")
    assert lines[0] > 25  # two


SIX = [name for name in LONG if name != "NoCoda"]
FORM = "m (substituted, with a nasal)"
CUT = """cells => cells.map(cell => cell.firstElementChild)
  .filter(form => form.scrollWidth > form.clientWidth && getComputedStyle(form).textOverflow !== "ellipsis")
  .map(form => form.textContent)"""


def load(lab, tableau):
    """Open a table on the thread of the page, as everything that a page is told comes from there."""
    call_on_page(lab.document_served, lambda: lab.state.load(tableau))


BELOW = """rows => rows.slice(0, 3).map(row => {
  const room = row.closest(".tabulator-tableholder").getBoundingClientRect()
  return row.getBoundingClientRect().bottom - room.top - room.height
})"""
HIDDEN = """figure => {
  let hidden = 0
  for (let at = figure; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host) {
    if (/auto|scroll|hidden/.test(getComputedStyle(at).overflowY))
      hidden = Math.max(hidden, at.scrollHeight - at.clientHeight)
  }
  return hidden
}"""


def test_six_constraints_with_long_names_have_room_in_a_window_of_1100_px(opened):
    page, lab = opened(size=(1100, 800))
    rows = [("maN+p", FORM, 25, (0, 1) * 3), ("maN+p", "mp", 1, (1, 0) * 3), ("maN+b", FORM, 17, (0,) * 6)]
    load(lab, Tableau.from_rows(rows, SIX))
    expect(head(page, 5)).to_have_text(SIX[-1])
    until(lambda: max(page.locator(".tabulator-row").evaluate_all(BELOW)) <= 1)  # the third is whole
    assert page.locator(".tabulator-cell[tabulator-field='candidate']").evaluate_all(CUT) == []
    run_to_the_end(page)
    ticks = page.locator(".ot-card", has_text="Posterior of the ranking values").locator("canvas").first
    assert ticks.evaluate(HIDDEN) == 0


def test_names_with_many_capitals_are_whole_where_there_is_room(opened):
    page, lab = opened()
    names = ["NoCoda", "NOCODA", "NoGem", "MMMMMM", "WWW", "Max", "*C-ONS", "NasSub", "DoM", "Onset"]
    load(lab, Tableau.from_rows([("x", f"y{j}", 1, [j] * len(names)) for j in range(2)], names))
    button(page, "Full screen").click()
    expect(head(page, len(names) - 1)).to_have_text(names[-1])
    cut = "names => names.filter(name => name.scrollWidth > name.clientWidth).map(name => name.textContent)"
    assert page.locator(".tabulator-col-title:has(.ot-c)").evaluate_all(cut) == []


def with_constraints(page, lab, n):
    """Load a table of `n` constraints and run; return the posterior's card."""
    names = [f"{SIX[k % 6]}{k}" for k in range(n)]
    rows = [("pa", f"form {j}", 4 * (j == 0), (j > 0,) * n) for j in range(2)]
    load(lab, Tableau.from_rows(rows, names))
    expect(head(page, n - 1)).to_have_text(names[-1])
    run_to_the_end(page)
    return page.locator(".ot-card", has_text="Posterior of the ranking values")


@pytest.mark.parametrize("n", [7, 10, 12])
def test_up_to_twelve_constraints_are_seen_at_once_in_a_window_of_1100_px(opened, n):
    page, lab = opened(size=(1100, 800))
    card = with_constraints(page, lab, n)
    picture = card.locator("canvas").first
    assert picture.evaluate(HIDDEN) == 0
    assert picture.bounding_box()["width"] > 120
    labels = card.get_by_role("list", name="Median and standard deviation").get_by_role("listitem")
    assert labels.evaluate_all(CUT_LABELS) == [0] * n


CUT_LABELS = """rows => rows.map(row => {
  const name = row.querySelector(".ot-c")
  const room = row.getBoundingClientRect(), at = name.getBoundingClientRect()
  return Math.max(0, name.scrollWidth - name.clientWidth, room.top - at.top - 2, at.bottom - room.bottom - 2)
})"""


def test_the_axis_of_very_many_constraints_stays_in_sight(opened):
    page, lab = opened(size=(1100, 800))
    card = with_constraints(page, lab, 20)
    pictures = card.locator("canvas:visible")
    until(lambda: pictures.first.evaluate(HIDDEN) > 0)
    frame, axis = card.bounding_box(), pictures.last.bounding_box()
    assert frame["y"] < axis["y"]
    assert axis["y"] + axis["height"] < frame["y"] + frame["height"]
    assert axis["x"] == pytest.approx(pictures.first.bounding_box()["x"], abs=1)
    assert axis["width"] == pytest.approx(pictures.first.bounding_box()["width"], abs=1)


THEME = "() => document.querySelector('#global-styles-panel-mui').textContent"


def test_a_large_table_is_not_styled_anew_when_the_page_turns_dark(opened):
    page, lab = opened()
    rows = [(f"input {k}", f"form {k}", 1, (k % 3, 1)) for k in range(400)]
    load(lab, Tableau.from_rows(rows, ["A", "B"]))
    expect(column(page, "candidate").last).to_have_text("form 399")
    last = page.locator(".tabulator-row").last
    for part in (last, page.locator(".ot-one").last):  # rows of the grid, tableaux
        assert part.evaluate("part => getComputedStyle(part).contentVisibility") == "auto"
    sheets = "row => row.getRootNode().querySelectorAll('style, link').length"
    before, light = last.evaluate(sheets), page.evaluate(THEME)
    button(page, "Dark mode").click()
    until(lambda: page.evaluate(THEME) != light)  # which comes after the style sheets of the tables
    assert last.evaluate(sheets) == before


LIGHT = """table => [...table.querySelectorAll("*")].filter(part => {
  const [red, green, blue, alpha = 1] = getComputedStyle(part).backgroundColor.match(/[\\d.]+/g).map(Number)
  return alpha > 0 && red + green + blue > 3 * 128
}).map(part => part.className)"""


def test_no_part_of_the_grid_is_light_on_a_dark_page(visit, labs_url):
    page = visit().open(f"{labs_url}/ot_lab")
    table = page.locator(".tabulator").first
    expect(column(page, "candidate").first).to_be_visible()
    assert table.evaluate(LIGHT)  # the light page has light parts, so the test would see them
    button(page, "Dark mode").click()
    until(lambda: table.evaluate(LIGHT) == [])
    cell(page, 0, "candidate").dblclick()
    expect(table.locator("input")).to_be_focused()
    assert table.evaluate(LIGHT) == []


def test_a_row_of_settings_of_a_constraint_is_seen_whole_in_a_window_of_1280_px(opened):
    page, _lab = opened(size=(1280, 800))
    page.get_by_role("tab", name="Data").click()
    table = page.locator(".ot-card", has_text="Constraint by constraint").locator(".tabulator").first
    expect(table.locator(".tabulator-row")).to_have_count(3)
    until(lambda: max(table.locator(".tabulator-row").evaluate_all(BELOW)) <= 1)


def test_the_step_view_fits_a_window_of_1280_px_in_letters_that_can_be_read(opened):
    page, _lab = opened(size=(1280, 800))
    button(page, "Step view").click()
    button(page, "Next draw").click()
    expect(page.get_by_role("img", name=re.compile("drawn"))).to_be_visible()
    foot = page.locator(".ot-card", has=button(page, "Next draw")).bounding_box()
    assert foot["y"] + foot["height"] <= 800
    assert_fine(page)


def inside(page):
    """Count the candidates' cells that are wholly in sight in the grid."""
    return page.locator(".tabulator-tableholder").first.evaluate(
        """holder => {
          const frame = holder.getBoundingClientRect()
          const cells = [...holder.querySelectorAll("[tabulator-field='candidate']")]
          return cells.filter(cell => cell.getBoundingClientRect().bottom <= frame.bottom + 1).length
        }"""
    )


def test_a_longer_table_takes_the_room_that_pictures_can_spare(opened):
    page, _lab = opened("/thirty")
    expect(column(page, "candidate")).to_have_count(16)
    until(lambda: inside(page) >= 5)
    assert_fine(page)


def test_the_grid_is_larger_in_presenter_mode_and_its_menus_open_below_their_heads(opened):
    page, _lab = opened()
    before = cell(page, 0, "c_0").bounding_box()["height"]
    button(page, "Presenter mode").click()
    until(lambda: cell(page, 0, "c_0").bounding_box()["height"] > 1.2 * before)
    type_into(page, 0, "c_0", "4")
    expect(cell(page, 0, "c_0")).to_have_text("4")
    head(page, 0).click()
    menu, anchor = page.locator(".menu[role=dialog]").bounding_box(), head(page, 0).bounding_box()
    assert abs(menu["x"] - anchor["x"]) < 2
    assert 0 <= menu["y"] - anchor["y"] - anchor["height"] < 10
