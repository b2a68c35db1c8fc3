"""The repr of a result fits on one line and describes it."""

from __future__ import annotations

import pytest

import otlab
from otlab import discovery, mg, tagging
from otlab.inference import run
from otlab.ot import Gibbs


def of_ot():
    tableau = otlab.load_sample("ilokano")
    found = otlab.fit_gibbs(tableau, sweeps=20, chains=2, seed=5)
    yield found, "Fit by gibbs: 3 ranking values from ilokano_reduplication, seed 5"
    yield found.posterior, "ranking_value 2 × 18 × 3, seed 5"
    yield run(Gibbs(tableau), sweeps=7, seed=5), "Run of gibbs: sweep 0 of 7, 1 chain, seed 5"


def of_mg():
    theory = otlab.load_sample("attachment_wh")
    yield theory, "Lexicon attachment_wh: 12 items, categories d, n, v, i, c"
    yield theory.items[0], "<what :: d -wh>"
    yield mg.Grammar(theory, smc=False), "without the SMC"
    parse = mg.parse(theory, "you see the park with the telescope")
    yield parse, "'you see the park with the telescope': 2 derivations"
    yield parse.best(1)[0].derivation, "8 items"
    found = mg.induce(theory, iterations=3, seed=5)
    yield found, "Induction by vb: 12 items of attachment_wh, 17 sentences"
    yield found.corpus, "17 sentences parsed, 0 not"


def of_tagging():
    corpus = tagging.simulate_hmm(500, 1, tags=3, types=40)
    found = tagging.fit_em(corpus, states=3, iterations=2, seed=5)
    yield found, "Model by em: 3 states"
    yield found.view, "View of em: iteration 2, 3 of 3 states used"
    yield found.model, "seed 5"


def of_discovery():
    found = discovery.discover(otlab.load_sample("toy_phones"), iterations=2, seed=5)
    yield found, "run 1 of 1 by bigram, token F"
    yield found.view, "iteration 2,"


@pytest.mark.parametrize("results", [of_ot, of_mg, of_tagging, of_discovery])
def test_results_say_what_they_are_in_one_line(results):
    for result, expected in results():
        text = repr(result)
        assert expected in text
        assert "\n" not in text
        assert len(text) < 120
