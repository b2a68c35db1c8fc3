"""Functions of the four systems refuse an option that they do not have by the name the user called."""

from __future__ import annotations

import pytest

from otlab import discovery, ot, tagging
from otlab.errors import InputError


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (
            lambda text: tagging.fit_gibbs(text, sweeps=3),
            "fit_gibbs has no option 'sweeps'; write iterations",
        ),
        (lambda text: tagging.fit_vb(text, runs=3), "fit_vb has no option 'runs'; write chains"),
        (lambda text: tagging.fit_em(text, stats=3), "fit_em has no option 'stats'; did you mean states?"),
        (lambda text: tagging.fit_em(text, prior=3), "fit_em has no option 'prior'"),
        (lambda text: tagging.make_learner("vb", text, state=3), "no option 'state'; did you mean states?"),
        (lambda text: tagging.compare(text, [2], sweeps=3), "compare has no option 'sweeps'"),
        (lambda _: discovery.discover(discovery.Corpus.from_text("a b\n"), chains=3), "write restarts"),
        (lambda _: ot.bootstrap(ot.read("ilokano"), "maxent", rng=3), "write seed"),
    ],
)
def test_the_option_and_the_one_that_was_meant_are_named(call, named):
    """No class inside otlab is named, of which the user knows nothing."""
    text = tagging.Corpus.from_sentences([[("a", "X"), ("b", "Y")]] * 4)
    with pytest.raises(InputError) as caught:
        call(text)
    assert named in str(caught.value)
    assert "__init__" not in str(caught.value)


def test_taggers_take_the_settings_of_the_command_line_by_their_names():
    corpus = tagging.simulate_hmm(400, 1, tags=3, types=20)
    shared = {"states": 3, "iterations": 4, "seed": 1}
    named = tagging.fit_vb(corpus, **shared, emission_prior=0.02, init="jitter")
    own = tagging.fit_vb(corpus, **shared, prior=tagging.Prior(0.02, 0.1), start=tagging.Jitter(0.1))
    assert named.view.objective.tolist() == own.view.objective.tolist()
    with pytest.raises(InputError, match=r"fit_vb: .*emission_prior"):
        tagging.fit_vb(corpus, emission_prior=-1)
