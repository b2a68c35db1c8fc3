"""Columns that count themselves in the OT lab: the grid, the Forms tab, documents and exports."""

from threading import Event
from time import sleep

import numpy as np
import pytest

from otlab import load_sample
from otlab.errors import Interrupted
from otlab.ot import Tableau, read
from otlab.ot.analysis.check import check
from otlab.ot.formulas import with_formula
from otlab.ot.io.read import read_bytes
from otlab.ot.io.write import to_csv
from otlab.ui.documents.encoding import dumps, loads
from otlab.ui.ot.document import Document
from otlab.ui.ot.forms import generate
from otlab.ui.ot.forms.counts import counted_html, fault_html, marks_of
from otlab.ui.ot.forms.operations import GenSettings
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.downloads import download
from otlab.ui.ot.tabs.forms.check import CheckCard
from otlab.ui.ot.tabs.forms.columns import ColumnRow
from tests.ui.page import control, parts, press, send, sent, shown_text, waited
from tests.ui.waiting import until

DEVOICING = {
    "*VoicedCoda": "*[-son,+voice].",
    "Ident-IO(voice)": "Ident[voice]",
    "*VoicedObstruent": "*[-son,+voice]",
}


def dutch(counted=True) -> Tableau:
    tableau = read("dutch_final_devoicing")
    for name, formula in DEVOICING.items() if counted else ():
        tableau = with_formula(tableau, name, formula)
    return tableau


def opened(tableau, tab="Forms"):
    lab = OTLab(tableau)
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go(tab)
    return lab, view.tab(tab)


def column(lab, k):
    return lab.tableau.violations[:, k].tolist()


# -- document ------------------------------------------------------------------


def test_counted_cells_follow_every_edit_and_typed_ones_stay():
    document = Document(dutch())
    document.type(1, "candidate", "bedbed")
    assert document.tableau.violations[1].tolist() == [1, 0, 4]
    document.type(0, "c_0", "3")
    document.type(0, "candidate", "bet")
    assert document.tableau.violations[0].tolist() == [3, 1, 1]
    assert document.tableau.formulas.typed == {(0, 0)}
    document.use_count(0, 0)
    assert document.tableau.violations[0, 0] == 0
    document.history.undo()
    assert document.tableau.violations[0, 0] == 3


def test_a_number_typed_as_it_is_counted_leaves_the_cell_counted():
    document = Document(dutch())
    document.type(0, "c_0", "1")
    assert document.tableau.formulas.typed == frozenset()
    assert not document.history.can_undo


def test_added_and_moved_rows_and_columns_are_counted():
    document = Document(dutch())
    row = document.add_candidate()
    document.type(row, "candidate", "be.dad")
    document.move_candidate(row, -row)
    document.move_constraint(2, -2)
    assert document.tableau.constraints[0] == "*VoicedObstruent"
    assert document.tableau.violations[0].tolist() == [3, 1, 0]


def test_a_wrong_formula_points_at_its_character_and_changes_nothing():
    document = Document(dutch(counted=False))
    before = document.tableau
    (fault,) = document.count_column(0, "*[+voise]")
    assert (fault.formula, fault.at) == ("*[+voise]", 2)
    assert document.tableau is before
    assert "*[+voise]\n  ^ " in fault_html([fault]).unescape()


def test_known_as_follows_its_column_and_is_in_files():
    document = Document(dutch(counted=False))
    assert document.know_column(1, "Ident[voice]") == ()
    document.move_constraint(1, -1)
    document.rename_constraint(0, "Faith")
    again = read_bytes(to_csv(document.tableau).encode(), "t").tableau
    assert again.formulas.known_as == ("Ident[voice]", "", "")
    assert again.formulas.texts == ("", "", "")


def test_shorthands_count_and_are_in_files():
    document = Document(dutch(counted=False))
    assert document.use_features("", "C", shorthands=(("C", "+labial"),)) == ()
    assert document.count_column(0, "*C") == ()
    assert document.tableau.violations[:, 0].tolist() == [1, 1, 1, 1]
    again = read_bytes(to_csv(document.tableau).encode(), "t").tableau
    assert again.formulas == document.tableau.formulas
    (fault,) = document.use_features("", "C", shorthands=(("C", "+labbial"),))
    assert "labbial" in fault.what


# -- the grid ------------------------------------------------------------------


def test_the_grid_marks_counted_typed_and_ambiguous_cells():
    tableau = dutch().with_cell(2, 0, 5)
    marks = marks_of(tableau, tableau.n_rows)
    assert marks.counted == ["c_0", "c_1", "c_2"]
    assert marks.special == {"2:c_0": {"typed": True, "readings": []}}
    assert ".tabulator-row:nth-child(3)" in marks.marks
    assert marks_of(dutch(counted=False), 4) == ("", [], {})


def test_only_rows_in_sight_and_columns_that_are_counted_are_marked():
    assert marks_of(dutch().with_cell(2, 0, 5), 2).special == {}
    known = Document(dutch(counted=False))
    assert known.know_column(1, "Ident[voice]") == ()
    assert marks_of(known.tableau, 4) == ("", [], {})


def test_a_cell_tells_the_places_that_were_counted():
    text = counted_html(dutch(), 0, 2)
    assert text.count("<mark>") == 2
    assert "*[-son,+voice]: 2" in text
    deleted = with_formula(Tableau.from_rows([("/pat/", "pa", 1, (0,))], ["Max"]), 0, "Max")
    assert "<mark>t</mark>/" in counted_html(deleted, 0, 0)


@pytest.mark.slow
def test_readings_are_told_and_one_can_be_picked():
    tableau = several_readings()
    (key,) = [key for key, cell in marks_of(tableau, tableau.n_rows).special.items() if cell["readings"]]
    row = int(key.split(":")[0])
    readings = marks_of(tableau, tableau.n_rows).special[key]["readings"]
    assert f"2 readings: {readings[0]} or {readings[1]}" in counted_html(tableau, row, 0)
    lab, tab = opened(tableau, "Learn")
    message = {"kind": "count-reading", "row": row, "field": "c_0", "reading": readings[1]}
    send(tab.violations, message, "GridKeys")
    assert lab.tableau.violations[row, 0] == readings[1]
    assert lab.tableau.formulas.typed == {(row, 0)}
    send(tab.violations, {"kind": "count-use", "row": row, "field": "c_0"}, "GridKeys")
    assert lab.tableau.violations[row, 0] == readings[0]
    lab.close()


def several_readings() -> Tableau:
    rows = [("abab", "ab", 1, (0,)), ("abab", "abab", 0, (0,))]
    return with_formula(Tableau.from_rows(rows, ["Contig"]), 0, "Contiguity")


def test_hovering_asks_for_the_places():
    lab, tab = opened(dutch(), "Learn")
    messages = sent(tab.violations, "GridKeys")
    send(tab.violations, {"kind": "count-hover", "row": 0, "field": "c_2"}, "GridKeys")
    assert messages == [{"kind": "tell", "row": 0, "field": "c_2", "text": counted_html(lab.tableau, 0, 2)}]
    lab.close()


def test_a_column_renamed_to_a_known_name_is_offered_and_counted_only_when_pressed():
    lab, tab = opened(dutch(counted=False), "Learn")
    send(tab.violations, {"kind": "rename", "field": "c_0", "name": "NoCoda"}, "GridKeys")
    assert lab.tableau.formulas is None
    press(tab.violations, "Count it: NoCoda")
    assert lab.tableau.formulas.texts[0] == "NoCoda"
    assert column(lab, 0) == [1, 1, 1, 1]
    lab.undo()
    assert column(lab, 0) == [1, 0, 0, 1]
    lab.close()


def test_a_column_renamed_to_a_formula_or_to_no_known_name():
    lab, tab = opened(dutch(counted=False), "Learn")
    send(tab.violations, {"kind": "rename", "field": "c_0", "name": "*[+nasal]"}, "GridKeys")
    assert control(tab.violations, "Count it: *[+nasal]").visible
    send(tab.violations, {"kind": "rename", "field": "c_0", "name": "Mine"}, "GridKeys")
    assert not [b for b in parts(tab.violations, "Button") if b.visible and b.label.startswith("Count it")]
    lab.close()


# -- the tab -------------------------------------------------------------------


def test_formulas_are_typed_counted_and_turned_back():
    lab, tab = opened(dutch(counted=False))
    control(tab, "*VoicedObstruent").value = "*[+voice"
    assert "^" in shown_text(tab.columns)
    assert lab.tableau.formulas is None
    control(tab, "*VoicedObstruent").value = "*[+voice,-son]"
    assert lab.tableau.formulas.known_as[2] == "*[+voice,-son]"
    assert column(lab, 2) == [2, 1, 0, 1]
    press(tab.columns.rows[2], "Count it")
    assert lab.tableau.formulas.texts[2] == "*[+voice,-son]"
    lab.state.document.type(0, "c_2", "7")
    assert "1 cell typed over" in shown_text(tab.columns)
    press(tab.columns.rows[2], "Use the count again")
    assert column(lab, 2)[0] == 2
    press(tab.columns.rows[2], "Type it")
    assert lab.tableau.formulas.texts[2] == ""
    assert lab.tableau.formulas.known_as[2] == "*[+voice,-son]"
    lab.close()


def test_another_formula_counts_a_counted_column_and_none_types_it():
    state, k = OTState(dutch()), 2
    row = ColumnRow(state, k)
    state.document.watch(lambda: row.show((), locked=False))
    row.show((), locked=False)
    row.field.value = "*[+nasal]"
    assert state.tableau.formulas.texts[k] == "*[+nasal]"
    assert state.tableau.violations[:, k].tolist() == [0, 0, 0, 0]
    row.field.value = "*[+nasaal]"
    assert "nasaal" in shown_text(row)
    assert state.tableau.formulas.texts[k] == "*[+nasal]"
    row.field.value = ""
    assert state.tableau.formulas.texts[k] == state.tableau.formulas.known(k) == ""
    assert "nasaal" not in shown_text(row)
    assert state.history.undo() == "*VoicedObstruent known as "


def test_a_large_table_is_checked_when_asked_and_its_first_cells_are_listed():
    rows = [("d", f"d{'a' * n}", 1, (0,)) for n in range(60)]
    state = OTState(Tableau.from_rows(rows, ["*[+voice,-son]"]))
    small, large = (CheckCard(state, list) for _ in range(2))
    small.draw(locked=False)
    assert "60 cells checked: 60 disagree" in shown_text(small)
    assert "and 20 more; they are listed as these are corrected" in shown_text(small)
    assert len([one for one in parts(small, "Button") if one.label == "Use the count"]) == 40
    state.document.put(
        Tableau.from_rows([(*row[:3], (0,) * 100) for row in rows], [f"C{k}" for k in range(100)]), ""
    )
    large.draw(locked=False)
    assert large.found is None
    press(large, "Check my table")
    assert large.found is not None
    assert shown_text(large).count("not checked") == 1  # one sentence about the hundred


def test_counts_are_used_in_cells_typed_over_a_counted_column():
    document = Document(dutch().with_cell(0, 2, 9))
    document.take_counts(check(document.tableau).cells)
    assert document.tableau == dutch()
    assert document.history.last == "Count used"


@pytest.mark.slow
def test_the_check_lists_a_wrong_cell_and_uses_the_count():
    wrong = dutch(counted=False).with_cell(0, 2, 1).with_cell(2, 2, 3)
    lab, tab = opened(wrong)
    press(tab.check, "Check my table")
    assert [(c.row, c.column, c.typed, c.counted) for c in tab.check.found.cells] == [
        (0, 2, 1, 2),
        (2, 2, 3, 0),
    ]
    assert "<mark>b</mark>e<mark>d</mark>" in shown_text(tab.check)
    press(tab.check, "Use all 2 counts of *VoicedObstruent")
    assert column(lab, 2) == [2, 1, 0, 1]
    assert "all agree" in shown_text(tab.check)
    lab.undo()
    assert column(lab, 2) == [1, 1, 3, 1]
    assert "2 disagree" in shown_text(tab.check)
    lab.close()


def test_a_table_of_which_nothing_is_counted_is_not_said_to_agree():
    lab, tab = opened(read("ilokano"))
    assert "No cell can be checked yet" in shown_text(tab.check)
    assert "agree" not in shown_text(tab.check)
    lab.close()


def test_show_opens_the_grid_at_the_cell():
    lab, tab = opened(dutch(counted=False).with_cell(0, 2, 1))
    press(tab.check, "Check my table")
    (view,) = lab.showings
    view.go("Learn")
    view.go("Forms")
    messages = sent(view.tab("Learn").violations, "GridKeys")
    press(tab.check, "Show")
    assert {"kind": "point", "row": 0, "field": "c_2"} in messages
    lab.close()


def test_a_feature_table_a_segment_and_a_shorthand():
    lab, tab = opened(dutch())
    tab.features.zone.take("mine.txt", b"\tvoice\tsonorant\nb\t+\t-\nd\t+\t-\nt\t-\t-\np\t-\t-\ne\t+\t+\n")
    assert tab.features.zone.wait()
    assert len(lab.tableau.formulas.table.segments) == 5
    for name, text in (("Segment", "dː"), ("Like", "d"), ("But", "-voice")):
        control(tab.features, name).value = text
    press(tab.features, "Add the segment")
    assert lab.tableau.formulas.table.segments[-1] == "dː"
    press(tab.features, "Back to Hayes's table")
    assert lab.tableau.formulas.features == ""
    control(tab.features, "C").value = "+labial"
    assert lab.tableau.formulas.shorthands == (("C", "+labial"),)
    control(tab.features, "C").value = "+labbial"
    assert "labbial" in shown_text(tab.features)
    lab.close()


def test_tiers_are_dropped_and_a_wrong_file_is_refused():
    lab, tab = opened(dutch())
    tab.features.zone.take("Projections.txt", b"Vowel +syllabic\n")
    assert tab.features.zone.wait()
    assert list(lab.tableau.formulas.named_tiers) == ["Vowel"]
    tab.features.zone.take("bad.txt", b"\tvoice\nb\tx\n")
    assert tab.features.zone.wait()
    assert "no value of voice" in shown_text(tab.features)
    tab.features.zone.take("empty.txt", b"\n\n")
    assert tab.features.zone.wait()
    assert "write a header and a row per segment" in shown_text(tab.features)
    assert list(lab.tableau.formulas.named_tiers) == ["Vowel"]
    lab.close()


def run_task(tab, name):
    task = getattr(tab.gen, name)
    task.start()
    assert waited(task, 60)


@pytest.mark.slow
def test_candidates_are_generated_in_one_edit():
    one_row = Tableau.from_rows([("bed", "bed", 1, (1, 0, 2))], list(DEVOICING))
    for name, formula in DEVOICING.items():
        one_row = with_formula(one_row, name, formula)
    lab, tab = opened(one_row)
    tab.gen.settings.param.update(delete=False, change="voice")
    run_task(tab, "generate")
    assert set(lab.tableau.candidates) == {"bed", "ped", "bet"}
    lab.undo()
    assert lab.tableau.candidates == ("bed",)
    run_task(tab, "winners")
    assert "pet" not in lab.tableau.candidates
    assert np.array_equal(lab.tableau.violations[0], [1, 0, 2])
    lab.close()


def test_a_forgotten_candidate_is_found_and_added():
    rows = [("bed", "bed", 0, (0, 0)), ("bed", "bet", 1, (0, 0))]
    voiced = with_formula(Tableau.from_rows(rows, ["Vcd", "Max"]), 0, "*[-son,+voice]")
    tableau = with_formula(voiced, 1, "Max")
    lab, tab = opened(tableau)
    tab.gen.settings.param.update(delete=False, change="voice")
    run_task(tab, "forgotten")
    assert tab.gen.found.found[0][1].candidate == "pet"
    assert "the strata of RCD" in shown_text(tab.gen)
    press(tab.gen, "Add")
    assert "pet" in lab.tableau.candidates
    there = lab.tableau
    press(tab.gen, "Add")
    assert lab.tableau is there
    run_task(tab, "generate")
    assert "1 candidate added" in shown_text(tab.gen)
    there = lab.tableau
    run_task(tab, "generate")
    tab.gen.generate.cancel()  # pressed as the work ended
    assert "No candidate is new" in shown_text(tab.gen)
    assert lab.tableau == there
    lab.state.load(read("ilokano"))
    press(tab.gen, "Add")
    assert lab.tableau == read("ilokano")
    assert "was changed meanwhile" in shown_text(tab.gen)
    lab.close()


def test_without_formulas_nothing_is_generated_and_the_page_says_why():
    lab, tab = opened(dutch(counted=False))
    run_task(tab, "generate")
    assert "have no formula" in str(tab.gen.generate.bar.state["fault"])
    run_task(tab, "forgotten")
    assert "have no formula" in str(tab.gen.forgotten.bar.state["fault"])
    assert "looked at" not in shown_text(tab.gen)
    lab.close()


# -- documents and exports -------------------------------------------------------


@pytest.fixture
def typed_over():
    return dutch().with_cell(0, 0, 4)


def test_the_operations_are_kept_with_the_document(typed_over):
    lab = OTLab(typed_over)
    assert "gen" not in lab.state.contents()
    lab.state.gen.param.update(insert="ʔ", depth=2)
    contents = lab.state.read_back(lab.state.written(lab.state.contents()), "t")
    other = OTLab("ilokano")
    other.state.gen.swap = True
    other.state.open_contents(contents)
    assert (other.state.gen.operations(), other.state.gen.depth) == ("delete,insert:ʔ", 2)
    lab.close()
    other.close()


@pytest.mark.parametrize("key", ["csv", "xlsx"])
def test_downloads_hold_the_formulas(typed_over, key):
    lab = OTLab(typed_over)
    name, data = download(lab.state, key)
    again = read_bytes(data, name).tableau
    assert again.formulas == typed_over.formulas
    assert again.violations.tolist() == typed_over.violations.tolist()
    lab.close()


def test_a_table_for_a_paper_has_the_counts(typed_over):
    lab = OTLab(typed_over)
    lab.state.document.type(0, "candidate", "bedddd")
    name, page = download(lab.state, "html")
    row = next(line for line in page.decode().split("<tr") if "bedddd" in line)
    assert name.endswith(".html")
    assert row.count("*") + row.count("∗") >= 5
    lab.close()


def test_contents_links_and_stored_values_hold_the_formulas(typed_over):
    lab = OTLab(typed_over)
    written = lab.state.written(lab.state.contents())
    assert lab.state.read_back(written, "t")["table"].formulas == typed_over.formulas
    assert loads(dumps(typed_over)).formulas == typed_over.formulas
    lab.close()


def test_a_cancel_ends_the_work_on_one_input(monkeypatch):
    begun, ended = Event(), []

    def endless(*args, go_on, **kwargs):
        begun.set()
        for _ in range(10_000):
            sleep(0.001)
            try:
                go_on()
            except Interrupted:
                ended.append(True)
                raise
        raise AssertionError("nothing ended the work")

    monkeypatch.setattr(generate, "with_candidates", endless)
    tableau = load_sample("final_devoicing_forms")
    runner = generate.adding(tableau, [0], GenSettings(), undominated=False)
    runner.start()
    assert begun.wait(20)
    runner.stop()
    until(lambda: ended)
    assert ended == [True]
