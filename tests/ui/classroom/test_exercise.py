"""Exercises: made of a lab's document, opened as a copy, locked and hidden as they specify."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from otlab.errors import InputError
from otlab.ui.classroom.board import board_of
from otlab.ui.classroom.classwork import RANKING, Guessing, distance_words
from otlab.ui.classroom.exercise import Exercise, exercise_of_board, load_exercise
from otlab.ui.classroom.guess import GuessCard
from otlab.ui.classroom.teacher import board_page
from otlab.ui.documents.store import Saved, Summary, open_store
from otlab.ui.tab import HIDDEN
from tests.ui.classroom.helpers import ASKED, made, pupil, runs, type_in
from tests.ui.documents.helpers import CASES, paged, saved
from tests.ui.page import one, page_at, send, shown_text


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_student_gets_a_copy_whose_locked_data_come_back(case):
    teacher = paged(CASES[case])
    CASES[case].edits[0](teacher)
    teacher.settings.seed = 5
    exercise, _ = made(teacher, own_seed=False)
    student = pupil(case, exercise)
    given = json.dumps(teacher.to_dict())
    assert json.dumps(student.to_dict()) == given
    assert student.document not in ("", teacher.document, exercise)
    CASES[case].edits[-1](student)
    student.changed()
    assert json.dumps(student.to_dict()) == given
    student.choose(list(student.examples())[-1])
    assert json.dumps(student.to_dict()) == given
    assert student.sent[-1] == {"toast": "The data are locked by the exercise", "mark": "warn"}


@pytest.mark.slow
def test_a_page_goes_on_in_its_copy(store):
    exercise, board = made(paged(CASES["ot"]))
    assert load_exercise(store, exercise).title == "Which constraint?"
    assert exercise_of_board(store, board)[0] == exercise
    student = pupil("ot", exercise)
    assert student.asked.shown["question"] == "Which one must be ranked highest?"
    saved(student)
    again = pupil("ot", exercise, document=student.document)
    assert again.document == student.document
    assert again.asked.shown["page"] == student.asked.shown["page"] == "page 1"
    other = pupil("ot", exercise)
    assert other.document != student.document
    assert other.asked.shown["page"] == "page 2"
    assert len({student.settings.seed, other.settings.seed, pupil("ot", exercise).settings.seed}) > 1


@pytest.mark.slow
def test_the_grid_of_locked_data_cannot_be_edited():
    exercise, _ = made(paged(CASES["ot"]), locked=["data"])
    student, free = pupil("ot", exercise), pupil("ot", made(paged(CASES["ot"]), locked=[])[0])
    grids = [next(iter(lab.showings)).tab("Learn").violations.grid for lab in (student, free)]
    assert [grid.fixed for grid in grids] == [True, False]
    assert "Locked by the exercise" in shown_text(student.layout)
    CASES["ot"].edits[0](free)
    assert free.state.edited


@pytest.mark.slow
def test_locked_settings_and_learners_cannot_be_changed():
    exercise, _ = made(paged(CASES["ot"]), locked=["settings", "learners"])
    student = pupil("ot", exercise)
    noise, learners = student.settings.noise, list(student.state.learners)
    send(student.runner.form, {"name": "noise", "text": "7"})
    send(student.runner, {"kind": "row", "name": "exact", "on": True}, "RunHead")
    assert student.settings.noise == noise
    assert student.state.learners == learners
    assert one(student.layout, "SettingsForm").locked
    assert all(row["locked"] for row in one(student.layout, "RunHead").state["rows"])
    CASES["ot"].edits[0](student)
    assert student.state.edited, "the data are free"


@pytest.mark.slow
def test_what_is_hidden_is_seen_once_it_is_revealed(store):
    teacher = paged(CASES["ot"])
    teacher.settings.param.update(sweeps=200, chains=2)
    send(teacher.bar, {"kind": "offer"})
    offer = teacher.sent[-1]["exercise"]
    assert "Learn: Posterior" in offer["hides"]
    assert "Compare" in offer["hides"]
    exercise, board = made(teacher, hidden=["Learn: Posterior", "Compare"])
    student, watched = pupil("ot", exercise), page_at(board_page, board=board)
    runs(student)
    assert shown_text(student.layout).count(HIDDEN) == 1
    assert "draws" not in shown_text(next(iter(student.showings)).tab("Learn").posterior.card)
    student.go("Compare")
    assert HIDDEN in shown_text(student.layout)
    send(watched, {"kind": "reveal"}, "BoardList")
    assert HIDDEN not in shown_text(student.layout)
    assert student.asked.shown["revealed"]
    student.go("Learn")
    assert "draws" in shown_text(next(iter(student.showings)).tab("Learn").posterior.card)
    send(watched, {"kind": "reveal"}, "BoardList")
    assert HIDDEN in shown_text(student.layout)


@pytest.mark.slow
def test_a_link_that_leads_nowhere_says_so(store):
    student = paged(CASES["ot"], exercise="nonsense")
    assert "this exercise is not on this computer" in shown_text(student.layout)
    exercise, board = made(paged(CASES["mg"]))
    assert "belongs to another lab" in shown_text(paged(CASES["ot"], exercise=exercise).layout)
    with pytest.raises(InputError, match="no exercise at this address"):
        exercise_of_board(store, exercise)
    later = {**load_exercise(store, exercise).to_dict(), "format": 99}
    store.save(Saved(Summary("later", "exercise"), later))
    with pytest.raises(InputError, match="later version"):
        load_exercise(store, "later")
    with pytest.raises(InputError, match="damaged"):
        Exercise.from_dict({"format": 1, "lab": "ot_lab"})
    assert [one.lab for one in store.recent(9)] == ["classroom"], "students' links are not listed"
    assert board == store.recent(9)[0].id


def test_without_a_store_no_exercise_is_made(monkeypatch):
    monkeypatch.setenv("OTLAB_DOCUMENTS", "off")
    lab = paged(CASES["ot"])
    send(lab.bar, {"kind": "offer"})
    assert "keeps no documents" in lab.sent[-1]["exercise"]["refused"]
    lab.sent.clear()
    send(lab.bar, {"kind": "exercise", "asked": ASKED})  # from a dialog that was open already
    assert "keeps no documents" in lab.sent[-1]["exercise"]["refused"]
    assert "There is no exercise at this address" in shown_text(page_at(board_page, board="any"))


def test_the_distance_of_a_guess_is_told_in_plain_words():
    two = Guessing("?", (("a", ("x", "y")), ("b", ("z", "w"))))
    assert "puts 25 on another candidate" in distance_words(two, [[1, 0], [1, 0]], [[0.5, 0.5], [1, 0]])
    assert distance_words(two, [[1, 0], [1, 0]], [[0.99, 0.01], [1, 0]]) == "Your guess is as good as right."
    one = Guessing("?", (("EM", ("x",)), ("VB", ("x",))), shares=False)
    sentence = distance_words(one, [[0.5], [0.3]], [[0.51], [0.6]])
    assert sentence == "Your guess for EM is right, for VB is 30 points too low."
    order = Guessing("?", (("A", ("A",)), ("B", ("B",)), ("C", ("C",))), kind=RANKING)
    sentence = distance_words(order, [[3], [2], [-5]], [[0.2], [0.1], [-0.3]])
    assert sentence == "Your guess ranks the constraints as the result does."


def test_a_guess_is_made_once_and_stands_alone_until_there_is_a_result():
    lab, made_guesses = paged(CASES["ot"]), []
    card = GuessCard(lab, lab.classwork.guessing(lab.state), made_guesses.append)
    ((_, candidates),) = card.shown["groups"]
    first, second = ([[float(k == n) for k in range(len(candidates))]] for n in (0, 1))
    send(card, {"kind": "guess", "guess": first})
    send(card, {"kind": "guess", "guess": second})  # from a second view of the page
    assert made_guesses == [first]
    assert card.compare() == "", "nothing has run"
    assert (card.shown["guess"], card.shown["truth"], card.shown["text"]) == (first, None, "")


def test_an_exercise_without_locks_leaves_the_choice_of_data():
    exercise, _ = made(paged(CASES["ot"]), locked=[])
    student = pupil("ot", exercise)
    other = next(name for name in student.examples() if name != student.example)
    student.choose(other)
    assert student.example == other
    assert not any(message.get("mark") == "warn" for message in student.sent)


def test_a_saved_document_replaces_no_locked_data():
    exercise, _ = made(paged(CASES["ot"]), own_seed=False)
    student, other = pupil("ot", exercise), paged(CASES["ot"])
    CASES["ot"].edits[0](other)
    given = json.dumps(student.to_dict())
    name, content = other.document_file()
    student.open_file(name, content())
    assert json.dumps(student.to_dict()) == given
    assert student.sent[-1] == {"toast": "The data are locked by the exercise", "mark": "warn"}


def test_locked_data_come_back_after_a_change_that_undo_does_not_know():
    exercise, _ = made(paged(CASES["lexicon"]), own_seed=False)
    student = pupil("lexicon", exercise)
    given = json.dumps(student.to_dict())
    student.state.grammar_text += "\n# mine"  # not as its field does, which records an edit
    student.changed()
    assert json.dumps(student.to_dict()) == given
    assert not student.state.history.can_undo
    assert student.sent[-1] == {"toast": "The data are locked by the exercise", "mark": "warn"}


@pytest.mark.slow
def test_a_guess_comes_before_the_run():
    teacher = paged(CASES["ot"])
    teacher.settings.param.update(sweeps=200, chains=2)
    exercise, _ = made(teacher, predict=True)
    student = pupil("ot", exercise)
    runs(student)
    assert student.runner.phase == "idle", "Run waits for the guess"
    assert "guess" in one(student.layout, "RunHead").state["held"]
    ((_, candidates),) = student.guess.shown["groups"]
    guess = [[1.0] + [0.0] * (len(candidates) - 1)]
    send(student.guess, {"kind": "guess", "guess": [[1.0]]})
    assert student.guess.guess is None, "a guess of another shape"
    send(student.guess, {"kind": "guess", "guess": guess})
    runs(student)
    assert student.runner.phase == "done"
    shown = student.guess.shown
    assert shown["guess"] == guess
    assert sum(shown["truth"][0]) == pytest.approx(1, abs=1e-3)
    assert shown["text"].startswith("Of 100 words, your guess puts ")
    saved(student)
    again = pupil("ot", exercise, document=student.document)
    assert again.guess.shown["guess"] == guess
    type_in(student, name=" Ada ", answer="*C-ONS")
    assert (student.asked.shown["name"], student.asked.shown["answer"]) == ("Ada", "*C-ONS")


@pytest.mark.slow
def test_a_ranking_is_guessed_by_dragging_and_compared_pair_by_pair():
    teacher = paged(CASES["ot"])
    teacher.settings.param.update(sweeps=200, chains=2)
    send(teacher.bar, {"kind": "offer"})
    (*_, (kind, label)) = teacher.sent[-1]["exercise"]["predict"]
    assert (kind, label) == ("ranking", "the ranking of the constraints")
    exercise, board = made(teacher, predict=True, guess=kind)
    student = pupil("ot", exercise)
    names = student.tableau.constraints
    assert [name["stem"] for name in student.guess.shown["line"]["names"]]
    guess = [[2.0], [1.0], [-99.0]]
    send(student.guess, {"kind": "guess", "guess": guess})
    bound = student.settings.bound
    mean = (2 + 1 - bound) / 3
    assert student.guess.guess == [[2 - mean], [1 - mean], [-bound - mean]], "within the bound, and centred"
    runs(student)
    learnt = [value for (value,) in student.guess.shown["truth"]]
    assert learnt == pytest.approx(student.state.learnt_values, abs=1e-4)
    both = zip((2, 1, -bound), learnt, strict=True)
    other = sum((a > b) != (x > y) for (a, x), (b, y) in combinations(both, 2))
    assert student.guess.shown["text"].startswith(f"Your guess ranks {other} of 3 pairs of constraints")
    (report,) = board_of(exercise, open_store()).guesses(kind)
    assert report.constraints
    assert list(report.values) == list(names)
    assert board
