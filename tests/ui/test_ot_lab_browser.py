"""The OT lab in a real browser."""

from __future__ import annotations

import io
import re
import threading
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from otlab.ot import read, to_csv
from otlab.ui.documents.archive import read_archive
from tests.ui.browser import PATIENCE
from tests.ui.layout import assert_cards_fit, assert_fine
from tests.ui.ot_page import (
    DRAWS,
    button,
    cell,
    column,
    drag,
    load,
    point_at,
    run_to_the_end,
    thirty,
    type_into,
)
from tests.ui.waiting import until

# The server runs in this process: what Bokeh only remarks on must not become an error there.
pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:reference already known")]


def test_an_edited_table_survives_a_reload_and_goes_into_the_link(opened, visit):
    page, _ = opened()
    type_into(page, 2, "c_0", "4")
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("document="))
    page.reload()
    expect(column(page, "c_0")).to_have_text(["1", "2", "4"])
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(column(page, "c_0")).to_have_text(["1", "2", "0"])
    page.get_by_role("button", name="Redo", exact=True).click()
    page.goto(page.url.partition("?")[0])  # as the lab's name in the bar does
    expect(page.get_by_text("Your edited table is back")).to_be_visible()
    expect(column(page, "c_0")).to_have_text(["1", "2", "4"])
    second = visit().open(page.url)  # another page of the same document
    for each in (page, second):
        expect(each.get_by_text("This document is open in another page too.")).to_be_visible()
    button(second, "Open a copy").click()
    for each in (page, second):
        expect(each.get_by_text("This document is open in another page too.")).to_have_count(0)
    expect(second).not_to_have_url(page.url)
    expect(column(second, "c_0")).to_have_text(["1", "2", "4"])
    button(page, "Copy link").click()
    expect(page.get_by_text("It holds your table, these settings and this seed.")).to_be_visible()
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert "document=" not in link
    other = visit().open(link)
    expect(column(other, "c_0")).to_have_text(["1", "2", "4"])
    expect(other).not_to_have_url(re.compile("data="))
    expect(other).to_have_url(re.compile("document="))
    load(page, "large.csv", to_csv(thirty(500)).encode())
    expect(page.get_by_text("large.csv is loaded")).to_be_visible()
    chosen = page.get_by_role("combobox", name="Your table").locator("option:checked")
    expect(chosen).to_have_text("large.csv")  # the bar knows of it, too
    button(page, "Copy link").click()
    expect(page.get_by_text("not your table: that is too large")).to_be_visible()
    assert "data=" not in page.evaluate("() => navigator.clipboard.readText()")
    with page.expect_download() as download:
        page.locator(".toast", has_text="too large").get_by_role("button", name="Save as file").click()
    assert download.value.suggested_filename == "large.otlab"
    assert read_archive(download.value.path().read_bytes()).summary.called == "large.csv"
    page.keyboard.press("Control+Z")
    expect(page.get_by_role("combobox", name="Example")).to_have_value("ilokano_reduplication")
    page.get_by_role("tab", name="Learn").click()
    page.get_by_role("combobox", name="Example").select_option("spanish_diminutive")
    replaced = page.locator(".toast", has_text="Spanish diminutives is open in place of your edited Ilokano")
    replaced.get_by_role("button", name="Undo").click()
    expect(column(page, "c_0")).to_have_text(["1", "2", "4"])
    expect(page.get_by_role("combobox", name="Example")).to_have_value("ilokano_reduplication")


def test_faults_of_a_file_leave_the_other_cards_of_the_data_tab_their_room(opened):
    page, _ = opened(size=(1280, 800))
    load(page, "faulty.csv", b"input,candidate,frequency,A,B\n" + b"a,b,1.5x,-1,x\n,,-3,y,1\na,d,2,1,2\n" * 3)
    expect(page.get_by_text("faulty.csv was not loaded")).to_be_visible()
    names = page.locator(".tabulator-cell[tabulator-field='Constraint']")
    expect(names).to_have_text(["*C-ONS", "AL", "I_BR"])
    within = """names => names.length === 3 && names.every(name => name.getBoundingClientRect().bottom
      <= name.closest(".tabulator").getBoundingClientRect().bottom + 1)"""
    until(lambda: names.evaluate_all(within))  # the table is drawn anew when its room changes


def test_figures_of_many_learners_leave_the_picture_its_room(opened):
    page, lab = opened(size=(1280, 800))
    lab.settings.param.update(sweeps=200, runs=2, trials=200)
    more = ["exact", "mle", "hg", "maxent-online", "edcd", "maxent-bayes"]
    lab.runner.enable(["gibbs", "gla", "maxent", *more])
    button(page, "Run").click()
    card = page.locator(".ot-card", has_text="Predicted against observed")
    expect(card.locator("span.ot-exact")).to_be_attached()
    expect(page.get_by_text("done", exact=True)).to_be_visible()
    assert card.locator("canvas").first.bounding_box()["width"] > 80
    assert_fine(page)


def test_everything_is_found_by_role_and_name(opened):
    page, _ = opened()
    for name in (
        "Run",
        "Step",
        "Stop",
        "Reset",
        "Draw again",
        "Candidate",
        "Constraint",
        "Input",
        "Undo",
        "Redo",
    ):
        expect(button(page, name)).to_be_visible()
    for name in ("Sweeps", "Seed", "Chains", "Sample size", "Noise", "Bound"):
        expect(page.get_by_role("textbox", name=name)).to_be_visible()
    expect(page.get_by_role("combobox", name="Example")).to_be_visible()
    expect(page.get_by_role("group", name="Learner")).to_be_visible()
    expect(page.get_by_role("grid", name="Violations")).to_be_visible()
    tabs = [page.get_by_role("tab").nth(k).inner_text() for k in range(6)]
    assert tabs == ["Learn", "Forms", "Compare", "Rank", "Typology", "Data"]


def test_cards_without_a_result_say_so_while_the_run_is_prepared(opened, monkeypatch):
    page, lab = opened()
    go_on, rows = threading.Event(), lab.runner.runner.rows
    row = rows["gibbs"]

    def slow():
        make = row.plan()
        return lambda: go_on.wait(60) and make()

    monkeypatch.setitem(rows, "gibbs", replace(row, plan=slow))
    lab.runner.runner.enabled.intersection_update({"gibbs"})
    card = page.locator(".empty", has_text="to see the posterior")
    rest, begun = card.get_by_text("Press Run to see"), card.get_by_text("The run is being prepared")
    expect(rest).to_be_visible()
    expect(begun).to_be_hidden()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(begun).to_be_visible()
    expect(rest).to_be_hidden()
    go_on.set()
    expect(card).to_be_hidden()


def test_histograms_come_and_move_while_the_run_goes_on(opened):
    """How soon and how often is measured by ``python -m benchmarks lab``."""
    page, _ = opened()
    page.get_by_role("textbox", name="Sweeps").fill("1000000")
    page.get_by_role("textbox", name="Sweeps").press("Enter")
    button(page, "Run").click()
    draws = page.get_by_text(DRAWS)
    for _ in range(4):
        shown = draws.inner_text()
        expect(draws).not_to_have_text(shown)
    button(page, "Stop").click()


def test_a_picture_is_saved_and_its_data_copied(opened):
    page, lab = opened()
    run_to_the_end(page)
    menu = button(page, "Save or copy: Posterior of the ranking values")
    saved = {}
    for ending in ("png", "svg"):
        menu.click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=f"Save {ending.upper()}").click()
        assert download.value.suggested_filename == lab.state.file_name(
            "Posterior of the ranking values", ending
        )
        saved[ending] = download.value.path().read_bytes()
    card = page.locator(".ot-card").filter(has=menu)
    card.hover(trial=True)  # its size has come to rest
    width = card.bounding_box()["width"]
    picture = Image.open(io.BytesIO(saved["png"])).convert("RGB")
    assert picture.width == 2 * round(width)
    assert picture.height > 200
    assert len(picture.getcolors(1 << 24)) > 20
    drawn = saved["svg"].decode()
    assert all(f">{text}</text>" in drawn for text in ("*C-ONS", "Gibbs", "0"))
    menu.click()
    page.get_by_role("menuitem", name="Copy data").click()
    page.get_by_role("menuitem", name="Copied").wait_for()
    header, *rows = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert header.startswith("bars row\tbars left\tbars right\tbars height\tintervals row")
    assert {row.split("\t")[0] for row in rows} >= {"*C-ONS", "AL", "I_BR"}


@pytest.mark.walk
def test_an_edit_marks_the_pictures_and_changes_the_next_run(opened):
    page, lab = opened()
    run_to_the_end(page)
    before = lab.state.learnt_values
    type_into(page, 2, "c_0", "1")
    expect(page.get_by_text("from the old table").first).to_be_visible()
    button(page, "Run").click()
    expect(page.get_by_text("from the old table")).to_have_count(0)
    expect(page.get_by_text("done", exact=True)).to_be_visible()
    assert abs(lab.state.learnt_values - before).max() > 0.3


def test_a_cell_that_cannot_be_meant_is_put_back_with_the_reason(opened):
    page, lab = opened()
    type_into(page, 0, "c_0", "2.5")
    expect(page.get_by_role("alert")).to_have_text("2.5 is not a whole number: write 2 or 3. 1 was kept.")
    expect(cell(page, 0, "c_0")).to_have_text("1")
    expect(cell(page, 0, "c_0")).to_have_class(re.compile("faulty"))
    type_into(page, 0, "c_0", "**")
    expect(cell(page, 0, "c_0")).to_have_text("2")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert lab.tableau.violations[0, 0] == 2


def test_a_block_with_asterisks_is_pasted_and_undone_by_keys(opened):
    page, lab = opened()
    page.evaluate("navigator.clipboard.writeText('*\\t**\\n0\\t***\\n∗\\t\\n')")
    cell(page, 0, "c_0").click()
    page.keyboard.press("Control+V")
    expect(column(page, "c_0")).to_have_text(["1", "0", "1"])
    expect(column(page, "c_1")).to_have_text(["2", "3", "0"])
    page.keyboard.press("Control+Z")
    expect(column(page, "c_1")).to_have_text(["0", "0", "1"])
    page.keyboard.press("Control+Shift+Z")
    expect(column(page, "c_1")).to_have_text(["2", "3", "0"])
    assert lab.tableau.violations[:, :2].tolist() == [[1, 2], [0, 3], [1, 0]]
    type_into(page, 0, "c_1", "5")
    point_at(page, "Undo")
    expect(page.locator(".MuiTooltip-tooltip", has_text="Undo")).to_be_visible()
    page.mouse.click(*point_at(page, "Undo"))
    expect(column(page, "c_1")).to_have_text(["2", "3", "0"])
    page.mouse.click(*point_at(page, "Redo"))
    expect(column(page, "c_1")).to_have_text(["5", "3", "0"])


def test_columns_and_rows_have_menus_for_mouse_and_keys(opened):
    page, lab = opened()
    header = page.locator(".tabulator-col[tabulator-field='c_1']")
    header.focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Name").fill("Align_L")
    page.keyboard.press("Enter")
    expect(header).to_have_text("AlignL")
    header.click()
    page.get_by_role("menuitem", name="Move left").click()
    expect(page.locator(".tabulator-col[tabulator-field='c_0']")).to_have_text("AlignL")
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    page.locator(".tabulator-cell[tabulator-field='menu']").nth(1).click()
    page.get_by_role("menuitem", name="Remove candidate").click()
    expect(column(page, "candidate")).to_have_text(["bu.bwa.ja", "bub.wa.ja"])
    page.get_by_role("button", name="Undo", exact=True).last.click()
    expect(column(page, "candidate")).to_have_count(3)
    assert lab.tableau.constraints == ("Align_L", "*C-ONS", "I_BR")


def test_constraints_and_candidates_are_dragged(opened):
    page, lab = opened()
    drag(page, *(page.locator(f".tabulator-col[tabulator-field='{c}']") for c in ("c_0", "c_2")))
    expect(page.locator(".tabulator-col[tabulator-field='c_2']")).to_have_text("*C-ONS")
    assert lab.tableau.constraints == ("AL", "I_BR", "*C-ONS")
    handles = page.locator(".tabulator-cell[tabulator-field='menu']")
    drag(page, handles.nth(0), handles.nth(2))
    expect(column(page, "candidate")).to_have_text(["bwaj.bwa.ja", "bub.wa.ja", "bu.bwa.ja"])
    expect(page.get_by_role("menu")).to_have_count(0)
    page.keyboard.press("Control+Z")
    expect(column(page, "candidate")).to_have_text(["bu.bwa.ja", "bwaj.bwa.ja", "bub.wa.ja"])
    handles.nth(0).click()
    expect(page.get_by_role("menu")).to_have_count(1)


def test_the_grid_is_worked_by_keys_alone(opened):
    page, lab = opened()
    editing = page.locator(".tabulator-cell.tabulator-editing")
    cell(page, 0, "c_0").click()
    page.keyboard.press("Escape")
    expect(editing).to_have_count(0)
    expect(cell(page, 0, "c_0")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(cell(page, 1, "c_1")).to_be_focused()
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(cell(page, 1, "c_1")).to_have_text("4")
    expect(cell(page, 2, "c_1")).to_be_focused()
    page.keyboard.press("Delete")
    page.keyboard.press("ArrowUp")
    expect(cell(page, 2, "c_1")).to_have_text("0")
    expect(cell(page, 1, "c_1")).to_be_focused()
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menu", name="Row")).to_be_visible()
    page.get_by_role("menuitem", name="Move candidate to last").press("Enter")
    expect(column(page, "candidate")).to_have_text(["bu.bwa.ja", "bub.wa.ja", "bwaj.bwa.ja"])
    page.get_by_role("menuitem", name="Move candidate up").press("Enter")
    expect(column(page, "candidate")).to_have_text(["bu.bwa.ja", "bwaj.bwa.ja", "bub.wa.ja"])
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu", name="Row")).to_have_count(0)
    expect(cell(page, 1, "menu")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".tabulator-cell:focus")).to_have_count(0)
    assert lab.tableau.violations[:, 1].tolist() == [0, 4, 0]


def test_what_is_added_is_ready_to_be_named_at_any_size(opened):
    page, lab = opened("/thirty")
    button(page, "Full screen").click()
    grid = page.get_by_role("grid", name="Violations")
    until(lambda: grid.bounding_box()["height"] > 500)
    button(page, "Candidate").click()
    expect(page.locator(".tabulator-editing input")).to_be_focused()
    page.keyboard.type("new.form")
    page.keyboard.press("Enter")
    expect(column(page, "candidate").last).to_have_text("new.form")
    button(page, "Constraint").click()
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_be_focused()
    page.keyboard.type("StressToWeight")
    page.keyboard.press("Enter")
    expect(page.locator(".tabulator-col[tabulator-field='c_30']")).to_have_text("StressToWeight")
    expect(page.locator(".tabulator-col[tabulator-field='c_30']")).to_be_in_viewport()
    until(lambda: _offset_of_head(page, 30) == pytest.approx(0, abs=1.5))
    button(page, "Back to the lab").click()
    button(page, "Input").click()
    expect(page.locator(".tabulator-editing input")).to_be_focused()
    page.keyboard.type("tata")
    page.keyboard.press("Enter")
    expect(column(page, "input").last).to_have_text("tata")
    until(lambda: lab.tableau.inputs[-1] == "tata")


def _offset_of_head(page, k):
    """Return by how many pixels a constraint's head stands beside its cells."""
    places = [page.locator(f".tabulator-{kind}[tabulator-field='c_{k}']").first for kind in ("col", "cell")]
    head, cell = (place.bounding_box() for place in places)
    return head["x"] + head["width"] - cell["x"] - cell["width"] if head and cell else None


def test_a_block_pasted_to_no_cell_and_one_that_is_too_wide(opened):
    page, lab = opened()
    page.evaluate("navigator.clipboard.writeText('*\\t**\\n0\\t***\\n∗\\t\\n')")
    page.get_by_text("one draw, from").first.click()
    page.keyboard.press("Control+V")
    expect(column(page, "c_1")).to_have_text(["2", "3", "0"])
    page.evaluate("navigator.clipboard.writeText('1\\t2\\t3\\n')")
    cell(page, 0, "c_1").click()
    page.keyboard.press("Control+V")
    expect(page.get_by_role("alert")).to_have_text("The block is 1 column wider than the table.")
    button(page, "Add the constraint and paste").click()
    expect(column(page, "c_3")).to_have_text(["3", "0", "0"])
    expect(page.get_by_role("alert")).to_have_count(0)
    assert lab.tableau.n_constraints == 4
    pasted = page.locator(".toast", has_text="Cells pasted, with 1 new constraint")
    pasted.get_by_role("button", name="Undo").press("Enter")
    expect(button(page, "Keyboard and help")).to_be_focused()  # the last in the bar, before the page
    expect(column(page, "c_1")).to_have_text(["2", "3", "0"])
    assert lab.tableau.n_constraints == 3


def test_tab_leads_through_the_grid_and_out_of_it(opened):
    page, _ = opened()
    editing = page.locator(".tabulator-cell.tabulator-editing")
    button(page, "Full screen").focus()
    for _ in range(3):  # the heads of the constraints
        page.keyboard.press("Tab")
    expect(page.locator(".tabulator-col[tabulator-field='c_2']")).to_be_focused()
    page.keyboard.press("Tab")
    expect(cell(page, 0, "input")).to_be_focused()
    expect(editing).to_have_count(0)
    page.keyboard.press("Tab")
    expect(button(page, "Candidate")).to_be_focused()
    cell(page, 2, "c_2").click()
    expect(editing).to_have_count(1)
    page.keyboard.press("Tab")
    expect(editing).to_have_count(0)
    expect(button(page, "Candidate")).to_be_focused()


def test_two_pages_do_not_see_each_other(opened):
    one, _ = opened()
    other, _ = opened()
    type_into(one, 0, "c_0", "7")
    expect(cell(one, 0, "c_0")).to_have_text("7")
    expect(cell(other, 0, "c_0")).to_have_text("1")
    button(one, "Run").click()
    expect(button(other, "Run")).to_be_visible()


def test_stop_takes_effect_and_a_closed_page_ends_its_run(opened):
    page, lab = opened()
    lab.settings.param.update(sweeps=100_000_000)
    button(page, "Run").click()
    expect(page.get_by_text(DRAWS)).to_be_visible()
    jobs = list(lab.runner.runner.jobs.values())
    lab.runner.runner.stop()
    assert all(job.join(PATIENCE / 1000) for job in jobs)
    expect(button(page, "Run")).to_be_visible()
    button(page, "Run").click()
    expect(button(page, "Pause")).to_be_visible()
    page.close()
    until(lambda: not lab.runner.runner.alive)


@pytest.mark.parametrize("dark", ["0", "1"])
def test_thirty_constraints_and_ipa_fit_in_every_tab(opened, dark):
    page, _ = opened("/thirty")
    if dark == "1":
        button(page, "Dark mode").click()
    page.get_by_role("textbox", name="Sweeps").fill("300")
    page.get_by_role("textbox", name="Sweeps").press("Enter")
    button(page, "Run").click()
    expect(page.get_by_text(DRAWS)).to_be_visible()
    for size in ((1440, 900), (1280, 800)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        expect(page.get_by_text("higher ranked")).to_be_in_viewport(ratio=1)
    assert_cards_fit(page, 600, 820, 1100)
    for tab in ("Learn", "Compare", "Data"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(500)
        assert_fine(page)
    page.get_by_role("tab", name="Compare").click()
    expect(page.get_by_text("what none of their grammars fits.")).to_be_in_viewport(ratio=1)


def test_dragging_a_constraint_moves_the_bars_at_once_and_back(opened):
    page, lab = opened()
    run_to_the_end(page)
    bars = page.get_by_role("group", name="Candidate probabilities")
    before = bars.inner_text()
    slider = page.get_by_role("slider", name="Ranking value of AL")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    expect(bars).not_to_have_text(before)
    button(page, "Back to the posterior median").click()
    expect(button(page, "Back to the posterior median")).to_have_count(0)
    np.testing.assert_allclose(lab.state.values, lab.state.learnt_values)


def test_the_step_view_draws_one_value_at_a_time(opened):
    page, _ = opened()
    button(page, "Step view").click()
    expect(page.get_by_text("Observation 1 of 99")).to_be_visible()
    button(page, "Next draw").click()
    expect(page.get_by_role("img", name=re.compile("drawn: "))).to_be_visible()
    button(page, "Next observation").click()
    expect(page.get_by_text("Observation 2 of 99")).to_be_visible()
    page.get_by_role("radio", name="GLA").click()
    button(page, "Next trial").click()
    expect(page.get_by_text("the learner heard")).to_be_visible()
    assert_fine(page)


def test_a_file_is_dropped_and_its_faults_all_said(opened):
    page, lab = opened()
    page.get_by_role("tab", name="Data").click()
    chooser = page.locator("input[type=file]")
    bad = {
        "name": "bad.csv",
        "mimeType": "text/csv",
        "buffer": b"Input,Output,Frequency,A\nx,a,1,1.5\nx,b,-4,0\n",
    }
    chooser.set_input_files(bad)
    expect(page.get_by_role("alert")).to_contain_text("bad.csv was not loaded: 2 problems")
    expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)
    button(page, "Choose another file").click(trial=True)
    assert lab.tableau == read("ilokano")
    chooser.set_input_files(
        {**bad, "name": "good.csv", "buffer": b"Input,Output,Frequency,A\nx,a,1,1\nx,b,4,0\n"}
    )
    expect(page.get_by_text("good.csv is loaded.")).to_be_visible()
    with page.expect_download() as download:
        button(page, "CSV").click()
    assert download.value.suggested_filename == "good.csv"
