"""Short codes, the QR code, and the class's answers as CSV."""

from __future__ import annotations

import base64
import csv
import io
import string

import pytest

from otlab.ui.classroom import board as boards
from otlab.ui.classroom import codes as codes_module
from otlab.ui.classroom.answers import as_text
from otlab.ui.classroom.board import board_of, link_of_code
from otlab.ui.classroom.codes import LENGTH, LETTERS, WrongCodes, new_code, typed_code
from otlab.ui.classroom.teacher import board_page, qr_svg
from tests.ui.classroom.helpers import made, pupil, type_in
from tests.ui.documents.helpers import CASES, paged
from tests.ui.page import one, page_at, send, sent


@pytest.fixture
def fresh(monkeypatch):
    """Begin without wrong codes."""
    counted = WrongCodes()
    monkeypatch.setattr(boards, "wrong_codes", counted)
    return counted


def test_a_code_has_six_letters_that_are_not_mistaken():
    codes = {new_code() for _ in range(200)}
    assert all(len(code) == LENGTH <= 6 and set(code) <= set(LETTERS) for code in codes)
    assert len(codes) > 190
    assert not set("ILOQUV") & set(LETTERS)
    assert set(LETTERS) <= set(string.ascii_uppercase)
    assert typed_code(next(iter(codes)).lower()) in codes


@pytest.mark.slow
def test_a_code_leads_to_the_students_link_while_the_board_is_open(store, fresh):
    exercise, board = made(paged(CASES["ot"]))
    other, _ = made(paged(CASES["ot"]))
    pupil("ot", other)
    page = page_at(board_page, board=board)
    shown = one(page, "BoardList").shown
    view = one(page, "BoardList").view
    assert link_of_code(shown["code"].lower()) == f"ot_lab?exercise={exercise}" == shown["link"]
    assert board not in link_of_code(shown["code"])
    assert link_of_code("") == link_of_code("ABCDEFGH") == ""
    kept = board_of(exercise, store)
    view.close()
    assert link_of_code(shown["code"]) == "", "no board is open"
    again = page_at(board_page, board=board)
    assert one(again, "BoardList").shown["code"] == shown["code"] == kept.code


def test_a_code_that_another_board_has_is_not_given_again(monkeypatch):
    drawn = iter("A" * LENGTH + "B" * LENGTH)
    monkeypatch.setattr(codes_module.secrets, "choice", lambda _: next(drawn))
    assert new_code({"A" * LENGTH}) == "B" * LENGTH


def test_wrong_codes_are_limited_in_a_minute(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(boards, "wrong_codes", WrongCodes(lambda: now[0]))
    _, board = made(paged(CASES["ot"]))
    page = page_at(board_page, board=board)
    code = one(page, "BoardList").shown["code"]
    wrong = next(each for each in (LETTERS[0] * 6, LETTERS[1] * 6) if each != code)
    for _ in range(59):
        assert link_of_code(wrong) == ""
    assert link_of_code(code)
    assert link_of_code(wrong) == ""
    assert link_of_code(code) == "", "sixty were wrong"
    now[0] = 61.0
    assert link_of_code(code)


def test_a_qr_code_is_a_picture_of_the_address():
    svg = qr_svg("http://10.0.0.5:5006/ot_lab?exercise=abc")
    assert svg.startswith("<svg")
    assert "viewBox" in svg
    assert qr_svg("http://10.0.0.5:5006/ot_lab?exercise=abd") != svg


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1"])
def test_a_formula_is_text_in_the_answers(text):
    assert as_text(text) == f"'{text}"


@pytest.mark.slow
def test_the_answers_are_saved_as_csv():
    exercise, board = made(paged(CASES["ot"]), choices="AL\nNone", predict=True)
    page = page_at(board_page, board=board)
    first, second = pupil("ot", exercise), pupil("ot", exercise)
    type_in(first, name="=Ada", answer="AL", why='it is "strict", so\nit wins')
    type_in(second, answer="@None")
    send(first.guess, {"kind": "guess", "guess": _even(first.guess.shown["groups"])})
    assert first.asked.shown["why"] == 'it is "strict", so\nit wins'
    messages = sent(page, "BoardList")
    send(page, {"kind": "answers"}, "BoardList")
    assert messages[-1]["name"] == "Which_constraint_answers.csv"
    data = base64.b64decode(messages[-1]["data"]).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(data, newline="")))
    assert [row["page"] for row in rows] == ["1", "2"]
    assert rows[0]["name"] == "'=Ada"
    assert rows[0]["why"] == 'it is "strict", so\nit wins'
    assert [row["answer"] for row in rows] == ["AL", "'@None"]
    heads = [head for head in rows[0] if head.startswith("guess ") and head != "guess against result"]
    assert heads
    assert all(0 <= float(rows[0][head]) <= 1 for head in heads)
    assert {rows[1][head] for head in heads} == {""}


def _even(groups):
    return [[1 / len(options)] * len(options) for _, options in groups]
