"""Helpers for the tests of the grammar lab."""


def tab_of(view, title):
    """A tab beside Induce, opened."""
    view.showing.open(title)
    return view.showing.tab(title)


def rows(view):
    return {f"{r['phon']} :: {r['features']}": r for r in view.lexicon.rows}
