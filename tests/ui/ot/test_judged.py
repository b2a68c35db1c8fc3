"""What candidates that were forgotten are judged by in the OT lab, and what is said of those generated."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import read
from otlab.ui.ot.forms import generate
from otlab.ui.ot.forms.generate import Added, added_words
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.state import OTState
from tests.ui.ot.helpers import finished

TABLE = read("dutch_final_devoicing")


def judged(state):
    """Return what candidates are judged by, and whether two voiced obstruents are worse than none."""
    words, penalty = generate.judged_by(state)
    return words, penalty(np.array([0, 0, 2])) > penalty(np.array([0, 0, 0]))


def test_candidates_are_judged_by_what_is_shown_learnt_or_ranked():
    lab = OTLab(TABLE)
    assert judged(lab.state) == ("the strata of RCD", True)
    lab.state.set_strata(((0, 1), (2,)))
    assert judged(lab.state) == ("your strata", True)
    lab.settings.param.update(trials=200, runs=1, weight_sd=1.0)
    for name, words in (("gla", "the ranking values of GLA"), ("maxent", "the weights of MaxEnt")):
        lab.runner.enable([name])
        lab.runner.reset()
        finished(lab)
        fit, violations = lab.state.fits[name], np.array([[0, 1, 0], [0, 0, 2]])
        said, penalty = generate.judged_by(lab.state)
        assert said == words
        best = np.argmin(violations @ fit.mean) if name == "maxent" else int(fit.mean[2] < fit.mean[1])
        assert min((0, 1), key=lambda n: penalty(violations[n])) == best
    lab.state.choose(np.array([1.0, 0.0, -1.0]))
    assert judged(lab.state) == ("the ranking values as dragged", True)
    lab.close()


def test_where_no_ranking_fits_candidates_wait_for_a_learner():
    with pytest.raises(InputError, match="no ranking fits the table; run a learner"):
        generate.judged_by(OTState(read("inconsistent_demo")))


def test_inputs_with_too_many_candidates_are_named():
    added = Added(TABLE, TABLE, 2, ("a", "b", "c", "d"))
    assert added_words(added).startswith("2 candidates added; a, b, c and others: more than the first ")
    assert added_words(added._replace(new=0, capped=("a",))).startswith("a: more than the first ")
