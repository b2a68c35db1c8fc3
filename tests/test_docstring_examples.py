"""Each public function, and each class that holds data, shows in its docstring what it does.

pytest runs the examples (``--doctest-modules``); here it is only asked that they are there.
"""

from __future__ import annotations

import inspect

import pytest

from otlab import discovery, inference, mg, ot, tagging

# Their example is a file, and files are shown and read by tests in docs/file_formats.md and docs/guides.
FILES = {
    "otlab.ot": {"read_apriori", "read_bias", "read_praat", "read_with_warnings", "write_praat", "to_xlsx"},
    "otlab.tagging": {"read"},
    "otlab.mg": {"read", "write"},
    "otlab.discovery": {"read_speech"},
    "otlab.inference": {"check_interrupt"},  # is called in the middle of a learner's step
}
SHOWN = {
    "otlab.ot": {"Tableau", "ERC", "NormalPrior"},
    "otlab.tagging": {"Corpus", "Model"},
    "otlab.mg": {"Lexicon", "Derivation"},
    "otlab.discovery": {"Corpus"},
    "otlab.inference": {"Posterior"},
}


def has_example(thing):
    texts = [thing, *vars(thing).values()] if inspect.isclass(thing) else [thing]
    return any(">>>" in (inspect.getdoc(text) or "") for text in texts if callable(text) or text is thing)


@pytest.mark.parametrize("package", [ot, tagging, mg, discovery, inference], ids=lambda p: p.__name__)
def test_public_names_have_an_example(package):
    functions = {name for name in package.__all__ if inspect.isfunction(getattr(package, name))}
    assert functions
    wanted = (functions - FILES.get(package.__name__, set())) | SHOWN[package.__name__]
    assert {name for name in wanted if not has_example(getattr(package, name))} == set()


@pytest.mark.parametrize("method", [ot.Tableau.rank, ot.Tableau.typology, ot.Tableau.compare])
def test_the_short_ways_of_a_tableau_have_one(method):
    assert has_example(method)
