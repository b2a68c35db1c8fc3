"""The Reading times tab of the grammar lab: the library's numbers, kept and undone."""

import csv
import io
import json

from otlab.mg.io.times import read_times
from otlab.mg.processing.reading_times import correlations, gains, predict_reading
from otlab.samples import load_sample, sample_times
from otlab.ui.components.file_zone import FileZone
from otlab.ui.mg.lab import MGLab
from tests.ui.mg.helpers import tab_of
from tests.ui.page import component, control, download, press, send, shown_text, waited

TIMES = "sentence,word,ms\n1,what,400\n1,did,310\n1,you,350\n1,see,420\n"


def times_tab(view):
    view.showing.go("Reading times")
    return tab_of(view, "Reading times")


def rows_of(tab):
    _, data = download(tab, "csv")
    return list(csv.DictReader(io.StringIO(data.decode())))


def test_the_example_shows_what_the_library_says(shown):
    lab, view, _ = shown
    tab = times_tab(view)
    assert "No reading times yet" in shown_text(tab)
    press(tab, "Show the example")
    assert lab.lexicon.name == "english_relative_clauses"
    assert ">Times: made up for this project; nobody has read these sentences.</p>" in shown_text(tab)
    found = predict_reading(load_sample("english_relative_clauses"), list(lab.state.reading_times.sentences))
    r = correlations(found)["surprisal"]
    assert f"{r.r:.2f} ({r.low:.2f} to {r.high:.2f})".replace("-", "−") in shown_text(tab)
    rows = rows_of(tab)
    assert [row["word"] for row in rows] == [p.word for p in found]
    assert "no prediction" not in shown_text(tab)
    assert [float(row["entropy_reduction"]) for row in rows] == [
        float(f"{p.entropy_reduction:.8g}") for p in found
    ]
    control(tab, "View").value = "table"
    assert shown_text(tab).count("<tr") == len(rows) + 1 + 4  # with both heads
    lab.undo()
    assert "No reading times yet" in shown_text(tab)


def test_two_lexicons_are_compared_word_by_word(shown):
    lab, view, _ = shown
    tab = times_tab(view)
    tab.show_example()
    other = load_sample("english_relative_clauses").with_alpha(1.0)
    without = other.with_items(i for i in other.items if i.text() != "met :: =acc V")
    lab.state.reading_times.compare_with("Without met", without)
    text = shown_text(tab)
    assert "Without met" in text
    assert "undecided" in text or "Better" in text
    assert "Without met: " in text
    assert "because no sentence of the grammar goes on with" in text
    mine, others = lab.state.reading_times.found
    gained = [row["surprisal gain ms"] for row in rows_of(tab)]
    expected = gains(mine, others)
    assert [g == "" for g in gained] == [e != e for e in expected]
    assert any(gained)
    press(tab, "Keep this version")
    assert "the same" in shown_text(tab)
    lab.undo()
    press(tab, "Remove Without met")
    assert len(lab.state.reading_times.found) == 1
    lab.undo()
    assert len(lab.state.reading_times.found) == 2


def test_times_are_typed_refused_whole_kept_and_undone(shown):
    lab, view, _ = shown
    tab = times_tab(view)
    tab.inputs.times.take("mine.csv", TIMES.encode())
    assert tab.inputs.times.wait()
    assert "mine.csv" in shown_text(tab)
    tab.inputs.times.take("bad.csv", b"1,what,fast\n1,did\n")
    assert tab.inputs.times.wait()
    assert "is not a time" in shown_text(tab)
    assert "mine.csv" in shown_text(tab), "the table that was open stays"
    lab.state.reading_times.compare_with("Object first", load_sample("figure1_object_first"))
    other = MGLab()
    other.from_dict(json.loads(json.dumps(lab.to_dict())))
    assert other.state.reading_times.inputs == lab.state.reading_times.inputs
    assert other.to_dict() == lab.to_dict()
    lab.undo()
    assert lab.state.reading_times.inputs.other is None
    lab.undo()
    assert lab.state.reading_times.inputs.text == ""
    lab.redo()
    assert lab.state.reading_times.inputs.text == TIMES


def test_predictions_follow_an_edit_of_the_lexicon(shown):
    lab, view, _ = shown
    tab = times_tab(view)
    tab.inputs.times.take("mine.csv", TIMES.encode())
    assert tab.inputs.times.wait()
    before = rows_of(tab)
    lab.state.set_alpha(3.0)
    lab.state.add_item("who :: d -wh")
    lab.state.edits += 1
    assert rows_of(tab) != before
    assert [p.surprisal for p in lab.state.reading_times.found[0]] == [
        p.surprisal for p in predict_reading(lab.state.grammar, read_times(TIMES), theta=lab.state.theta)
    ]


def test_many_words_are_predicted_beside_the_page(shown):
    lab, view, _ = shown
    tab = times_tab(view)
    times = sample_times("english_relative_clauses").read_text()
    lab.choose("english_relative_clauses")
    long = ["the", "reporter", *["who", "met", "the", "reporter"] * 4, "admitted", "the", "error"]
    table = times + "".join(f"long,{word},{300 + 10 * n}\n" for n, word in enumerate(long))
    lab.state.reading_times.open_times("long.csv", table)
    assert "press Predict" in shown_text(tab)
    tab.task.start()
    assert waited(tab.task, 60)
    assert [p.word for p in lab.state.reading_times.found[0]][-3:] == ["admitted", "the", "error"]
    assert rows_of(tab)[-1]["tenure"] != ""
    lab.state.reading_times.compare_with("Other", load_sample("figure1_wh"))
    assert "press Predict" in shown_text(tab), "what belongs to other lexicons is not shown"


def test_nothing_is_predicted_without_reading_times(shown):
    _, view, _ = shown
    tab = times_tab(view)
    assert not tab.task.bar.visible
    send(tab, "start", "TaskBar")  # as a page could that was drawn before the table was removed
    (fault,) = tab.task.bar.state["fault"]["rows"]
    assert fault["what"] == "there are no reading times; open a table first"


def test_a_shipped_lexicon_is_chosen_for_comparison(shown):
    lab, view, _ = shown
    tab = times_tab(view)
    tab.inputs.times.take("mine.csv", TIMES.encode())
    assert tab.inputs.times.wait()
    send(tab.inputs.layout, {"name": "sample", "text": "figure1_wh"}, "SettingsForm")
    lexicon = load_sample("figure1_wh")
    assert lab.state.reading_times.inputs.other == (lexicon.title, lexicon)
    values = component(tab.inputs.layout, "SettingsForm").state["values"]
    assert values["sample"] == ""  # so that the same one can be chosen again
    assert lexicon.title in shown_text(tab)


def test_a_prediction_ends_when_the_lexicon_it_is_of_is_edited(shown):
    lab, view, _ = shown
    tab = times_tab(view)
    long = ["you", *["see", "the", "park", "with"] * 6, "you"]
    rows = "".join(f"{s},{word},300\n" for s in range(40) for word in (*long, *["in", "you"] * (s % 3)))
    lab.state.reading_times.open_times("long.csv", f"sentence,word,ms\n{rows}")
    tab.task.start()
    assert tab.task.runner.alive
    lab.state.add_item("who :: d -wh")
    lab.state.edits += 1
    assert waited(tab.task, 60)
    assert lab.state.reading_times.found == ()
    assert "press Predict" in shown_text(tab)


def test_a_corpus_is_averaged_told_and_read_again_by_another_column(shown):
    lab, view, _ = shown
    tab = times_tab(view)
    head = "# source: here\nsubj_nr\tsent_nr\tword_pos\tword\tRTfirstpass\tRTgopast\n"
    rows = "".join(
        f"{s}\t7\t{n}\t{word}\t{300 + 10 * n + s}\t{400 + 10 * n + s}\n"
        for s in (1, 3)
        for n, word in enumerate(["What", "did", "you", "see?"], 1)
    )
    tab.inputs.times.take("ucl.txt", (head + rows).encode("utf-16"))
    assert tab.inputs.times.wait()
    text = shown_text(tab)
    assert "the times of 2 subjects are averaged for each of 4 words" in text
    panel = component(tab.inputs.layout, "ReadAsPanel")
    assert "RTfirstpass the ms" in panel.sentence
    assert panel.note == "other columns of times: RTgopast"
    assert [p.ms for p in lab.state.reading_times.found[0]] == [312, 322, 332, 342]
    assert all(row["surprisal"] for row in rows_of(tab)), "capital and question mark are no other words"
    send(tab.inputs.layout, {"column": 5, "role": "ms"}, "ReadAsPanel")
    assert tab.inputs.times.wait()
    assert [p.ms for p in lab.state.reading_times.found[0]] == [412, 422, 432, 442]
    assert "Times: here." in shown_text(tab)
    send(tab.inputs.layout, {"column": 3, "role": "not used"}, "ReadAsPanel")
    assert tab.inputs.times.wait()
    assert "no column of words was found" in shown_text(tab)
    lab.undo()
    assert [p.ms for p in lab.state.reading_times.found[0]] == [312, 322, 332, 342]
    lab.undo()
    assert not panel.visible


def test_a_table_of_times_is_opened_as_a_file_of_the_lab_is(shown):
    lab, view, _ = shown
    before = lab.lexicon
    lab.open_file("spr.csv", TIMES.replace("ms", "RT").encode())
    assert lab.lexicon == before
    assert lab.state.reading_times.sentences == tuple(read_times(TIMES))
    assert "spr.csv" in shown_text(view.showing.shown)
    lab.undo()
    assert lab.state.reading_times.sentences == ()


def test_a_table_of_times_is_dropped_onto_the_data_tab(shown):
    lab, view, _ = shown
    view.showing.go("Data")
    zone = component(tab_of(view, "Data"), FileZone)
    zone.take("spr.csv", TIMES.encode())
    assert lab.state.reading_times.sentences == tuple(read_times(TIMES))
    assert "spr.csv" in shown_text(view.showing.shown)
