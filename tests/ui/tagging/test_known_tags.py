"""Known tags in the tagging lab: rows run with them, states have the tags' names, accuracy is shown."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.tagging import fit_em, fit_supervised, simulate_hmm
from otlab.ui.tagging.lab import TaggingLab
from otlab.ui.tagging.table_texts import table_csv, table_html, table_latex
from otlab.ui.tagging.trust import stats


@pytest.fixture
def lab():
    lab = TaggingLab(simulate_hmm(900, 1, tags=3, types=40))
    lab.settings.param.update(iterations=5, runs=2, states=3, precision="f64", seed=3)
    yield lab
    lab.close()


def test_rows_learn_from_the_tags_that_are_set(lab):
    lab.settings.known_tags = "25%"
    lab.runner.enable({"em", "supervised"})
    lab.runner.run()
    assert lab.runner.wait(60)
    em, counted = lab.results["em"], lab.results["supervised"]
    options = {"known_tags": "25%", "seed": 3}
    start = {"init": lab.settings.start, "jitter": lab.settings.jitter}
    fitted = fit_em(lab.corpus, states=3, iterations=5, chains=2, **options, **start)
    assert np.array_equal(em.views[1].objective, fitted.views[1].objective)
    assert em.accuracy[0] == fitted.accuracy(0)["marginal"].all
    values = {name: getattr(lab.settings, name) for name in ("emission_prior", "transition_prior")}
    exact = fit_supervised(lab.corpus, **options, **values).accuracy()["marginal"].all
    assert counted.accuracy.tolist() == [exact, exact]
    assert em.name(0) == lab.corpus.tagset[0]
    assert stats(em)[0].label == "Accuracy"
    lab.state.look_at("supervised")
    assert "Counted" in str(lab.runner.report.badge)
    assert ",25%," in table_csv(lab.state.table)


def test_supervised_counts_take_nine_tenths_if_nothing_is_set(lab):
    lab.runner.enable({"supervised"})
    lab.runner.run()
    assert lab.runner.wait(60)
    expected = fit_supervised(
        lab.corpus, emission_prior=lab.settings.emission_prior, transition_prior=lab.settings.transition_prior
    )
    assert lab.results["supervised"].accuracy[0] == expected.accuracy()["marginal"].all


def test_runs_whose_own_settings_differ_are_rows_of_their_own(lab):
    lab.settings.gibbs_kind = "pitman-yor"
    for discount in (0.5, 0.2, 0.2):
        lab.settings.discount = discount
        lab.settings.seed += 1
        lab.runner.enable({"gibbs"})
        lab.runner.run()
        assert lab.runner.wait(60)
    table = lab.state.table
    assert [row.others for row in table.rows] == ["", "discount 0.2"]
    assert [len(runs) for runs in table.rows.values()] == [2, 4]
    assert ',"discount 0.2",' in table_csv(table)
    assert "discount 0.2" in table_latex(table)
    assert "discount 0.2" in str(table_html(table))
