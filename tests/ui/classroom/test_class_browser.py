"""A class in browsers: a teacher makes an exercise, two students guess, run and answer, all is revealed."""

from __future__ import annotations

import pytest

from tests.ui.axe import assert_accessible
from tests.ui.layout import assert_cards_fit, assert_fine
from tests.ui.ot_page import DRAWS


def posterior(page):
    """Return the card of the posterior, whose head is there while its content is hidden."""
    return page.locator(".ot-card").filter(has_text="Posterior of the ranking values")


@pytest.mark.browser
def test_a_teacher_and_two_students(visit, labs_url):
    from playwright.sync_api import expect

    teacher = visit()
    page = teacher.open(f"{labs_url}/ot_lab?sweeps=300&chains=2")
    for learner in ("GLA", "MaxEnt"):
        page.get_by_role("checkbox", name=learner, exact=True).uncheck()
    page.get_by_role("button", name="Make an exercise").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Make an exercise")
    question = dialog.get_by_label("Question")
    question.fill("Which constraint is the strongest?")
    box = question.bounding_box()
    page.mouse.move(box["x"] + 90, box["y"] + 9)  # text is marked, and the mouse leaves the dialog
    page.mouse.down()
    page.mouse.move(box["x"] - 200, box["y"] + 9, steps=3)
    page.mouse.up()
    expect(question).to_be_visible()
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    page.get_by_role("button", name="Make an exercise").click()
    expect(question).to_have_value("Which constraint is the strongest?")
    dialog.get_by_label("Answers to choose from").fill("AL\nNone")
    dialog.get_by_label("Learn: Posterior").check()
    dialog.get_by_label("Students guess").check()
    assert_accessible(page)
    dialog.get_by_role("button", name="Make the links").click()
    link = dialog.get_by_label("Link for students").input_value()
    page.goto(dialog.get_by_label("Your link").input_value())
    expect(page.get_by_text("No page is open yet")).to_be_visible()

    students = [visit(size=(1280, 800)).open(link) for _ in range(2)]
    students[0].get_by_label("Your name").fill("Ada")
    students[0].keyboard.press("Tab")
    expect(page.get_by_role("rowheader", name="Ada")).to_be_visible()
    for student in students:
        expect(student.get_by_role("button", name="Run", exact=True)).to_be_disabled()
        student.get_by_role("slider").first.press("End")
        student.get_by_role("button", name="This is my guess").click()
        expect(student.get_by_role("region", name="Your guess").get_by_role("status")).to_be_focused()
        student.get_by_role("button", name="Run", exact=True).click()
        expect(student.get_by_text("Of 100 words, your guess puts")).to_be_visible()
        expect(student.get_by_text("Hidden until your teacher reveals the answer.")).to_have_count(1)
        expect(posterior(student).get_by_text(DRAWS)).to_have_count(0)
        expect(posterior(student).locator("canvas:visible")).to_have_count(0)
    students[1].get_by_label("None", exact=True).check()
    students[1].get_by_label("Why?").fill("None is ever violated")
    students[1].get_by_label("Why?").press("Tab")
    students[1].get_by_role("button", name="Send").click()
    expect(page.get_by_text("None is ever violated")).to_be_visible()
    expect(page.get_by_text("2 open")).to_contain_text("1 answered")
    expect(page.get_by_text("from 2 pages")).to_have_count(2)
    for each in (page, *students):
        assert_accessible(each)
    assert_fine(page)
    assert_cards_fit(page, 1440, 1280)

    page.get_by_role("button", name="Project").click()
    expect(page.get_by_role("rowheader", name="page 1")).to_be_visible()
    expect(page.get_by_text("Ada")).to_have_count(0)
    page.get_by_role("button", name="Show names").click()
    expect(page.get_by_role("rowheader", name="Ada")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Leave")).to_be_hidden()
    page.get_by_role("button", name="Code to join").click()
    joining = page.get_by_role("dialog", name="Join with a code")
    expect(joining.locator("svg.qr")).to_be_visible()
    code = joining.locator(".code").inner_text()
    assert_accessible(page)
    page.keyboard.press("Escape")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Answers as CSV").click()
    assert "None is ever violated" in saved.value.path().read_text(encoding="utf-8")
    third = visit().context.new_page()
    third.goto(f"{labs_url}/join?code={code.lower()}")
    assert third.url.split("exercise=")[1].split("&")[0] == link.split("exercise=")[1]
    third.goto(f"{labs_url}/join?code=AAAAAA")
    expect(third.get_by_role("alert")).to_contain_text("No open exercise has this code")

    page.get_by_role("button", name="Reveal the answer").click()
    for student in students:
        expect(student.get_by_text("Your teacher has revealed the answer.")).to_be_visible()
        expect(student.get_by_text("Hidden until")).to_have_count(0)
        expect(posterior(student).get_by_text(DRAWS)).to_be_visible()  # what was hidden is there to be seen
        expect(posterior(student).locator("canvas:visible").first).to_be_visible()
    students[0].reload()
    expect(students[0].get_by_label("Your name")).to_have_value("Ada")


@pytest.mark.browser
def test_a_student_drags_a_ranking_and_sees_the_result_beside_it(visit, labs_url):
    from playwright.sync_api import expect

    page = visit().open(f"{labs_url}/ot_lab?sweeps=300&chains=2&learners=gibbs")
    page.get_by_role("button", name="Make an exercise").click()
    dialog = page.get_by_role("dialog", name="Make an exercise")
    dialog.get_by_label("Question").fill("Which is strongest?")
    dialog.get_by_label("Students guess").check()
    kinds = dialog.get_by_label("They guess")
    assert kinds.evaluate("choice => getComputedStyle(choice).backgroundImage") != "none"  # its arrow
    kinds.select_option("ranking")
    dialog.get_by_role("button", name="Make the links").click()
    link = dialog.get_by_label("Link for students").input_value()
    page = visit(size=(390, 844)).open(link)
    for name in ("Copy link", "Keyboard and help", "Run"):  # on a telephone
        box = page.get_by_role("button", name=name, exact=True).bounding_box()
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
    page = visit().open(link)
    guess = page.get_by_role("group", name="Your guess")
    handle = guess.get_by_role("slider", name="Ranking value of I BR")
    for _ in range(8):
        handle.press("Shift+ArrowRight")
    page.get_by_role("button", name="This is my guess").click()
    expect(guess.get_by_text("Your guess: IBR ≫ *C-ONS ≫ AL")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Your guess ranks 3 of 3 pairs of constraints")).to_be_visible()
    expect(page.get_by_role("group", name="Result").get_by_text("Result: AL ≫ *C-ONS ≫ IBR")).to_be_visible()
    page.keyboard.press("p")  # presenter mode: the bar with examples is gone, the name of the data is there
    expect(page.locator("b.naming")).to_have_text("Ilokano reduplication")
