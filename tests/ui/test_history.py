"""Undo and redo: a stack of documents and the words of each edit."""

from hypothesis import given
from hypothesis import strategies as st

from otlab.ui.history import History


class Page:
    def __init__(self):
        self.text = ""
        self.history = History(lambda: self.text, lambda text: setattr(self, "text", text))

    def type(self, more):
        self.history.record(f"{more} typed")
        self.text += more


def test_undo_and_redo_travel_through_the_edits():
    page = Page()
    page.type("a")
    page.type("b")
    assert (page.history.last, page.history.next) == ("b typed", "")
    assert (page.history.undo(), page.text) == ("b typed", "a")
    assert (page.history.last, page.history.next) == ("a typed", "b typed")
    assert (page.history.redo(), page.text) == ("b typed", "ab")


def test_an_edit_after_undo_forgets_what_was_undone():
    page = Page()
    page.type("a")
    page.history.undo()
    page.type("b")
    assert not page.history.can_redo
    assert (page.history.redo(), page.text) == ("", "b")


def test_another_document_has_no_past():
    page = Page()
    page.type("a")
    page.history.clear()
    assert (page.history.undo(), page.text) == ("", "a")


def test_only_the_newest_edits_are_kept():
    page = Page()
    for _ in range(History.DEPTH + 5):
        page.type("x")
    while page.history.undo():
        pass
    assert page.text == "x" * 5


@given(st.lists(st.sampled_from("abUR"), max_size=40))
def test_history_agrees_with_a_list_of_versions(actions):
    page, versions, at = Page(), [""], 0
    for action in actions:
        if action == "U":
            page.history.undo()
            at = max(0, at - 1)
        elif action == "R":
            page.history.redo()
            at = min(len(versions) - 1, at + 1)
        else:
            page.type(action)
            versions[at + 1 :] = [versions[at] + action]
            at += 1
        assert page.text == versions[at]
