"""What a notebook shows: tableaux, trees and tables of results, a progress bar, draws for ArviZ."""

from __future__ import annotations

import re
import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import otlab
from otlab import mg, ot, tagging
from otlab.errors import InputError
from otlab.inference import fit
from otlab.inference import notebook as cell
from otlab.inference.run import run
from otlab.ot import Gibbs
from otlab.viz import notebook
from tests.test_every_learner import SYSTEMS

SAMPLERS = {
    "ot": {"gibbs": "ranking_value", "exact": "ranking_value", "maxent-bayes": "weight"},
    "tagging": dict.fromkeys(
        ["gibbs", "gibbs-explicit", "gibbs-blocked", "gibbs-collapsed-blocked"], "log_joint"
    ),
    "mg": {"gibbs": "theta"},
    "discovery": {"mcmc": "log_joint"},
}


@cache
def fitted(system, name):
    data = SYSTEMS[system].data()
    entry = SYSTEMS[system].learners[name]
    settings = entry.settings(
        **{k: v for k, v in SYSTEMS[system].settings.items() if k in entry.settings.param}
    )
    return entry.fit(data, settings, steps=SYSTEMS[system].steps, seed=3)


@pytest.mark.parametrize(("system", "name"), [(s, n) for s, names in SAMPLERS.items() for n in names])
def test_every_sampler_leaves_inferencedata(system, name):
    found = fitted(system, name)
    group = found.to_inferencedata()["posterior"]
    values = group[SAMPLERS[system][name]]
    assert values.dims[:2] == ("chain", "draw")
    assert values.sizes["chain"] == found.chains
    assert values.sizes["draw"] > 0
    assert np.isfinite(values.to_numpy()).all()
    assert group.attrs["seed"] == 3


def test_learners_without_draws_say_so():
    for system, names in (("ot", ["gla", "maxent", "mle"]), ("tagging", ["em", "vb"]), ("mg", ["vb"])):
        for name in names:
            with pytest.raises(InputError, match="leaves no draws"):
                fitted(system, name).to_inferencedata()


def test_arviz_draws_its_plots_of_them():
    plots = pytest.importorskip("arviz_plots")
    draws = otlab.fit_gibbs(otlab.load_sample("ilokano"), sweeps=60, chains=2, seed=1).to_inferencedata()
    for plot in (plots.plot_dist, plots.plot_trace, plots.plot_forest):
        collection = plot(draws, backend="bokeh")
        assert collection.viz.children


def test_results_show_their_tables():
    found = otlab.fit_gibbs(otlab.load_sample("ilokano"), sweeps=60, chains=2, seed=1)
    html = found._repr_html_()
    assert html.count("<table") == 2
    assert all(f"<th>{name}</th>" in html for name in found.tableau.constraints)
    theory = otlab.load_sample("attachment_wh")
    assert "the :: =n d" in mg.induce(theory, iterations=2, seed=1)._repr_html_()
    corpus = tagging.simulate_hmm(300, 1, tags=3, types=30)
    assert "one_to_one" in tagging.fit_em(corpus, states=3, iterations=2, seed=1)._repr_html_()
    words = otlab.discovery.discover(otlab.load_sample("toy_phones"), iterations=2, seed=1)
    assert words.lexicon[0].string in words._repr_html_()


def test_a_tableau_shows_as_a_tableau():
    html = ot.read("ilokano")._repr_html_()
    assert re.findall(r"<th>(.*?)</th>", html) == ["/HRED-bwaja/", "freq", "*C-ONS", "AL", "I_BR"]


class Shell:
    """Keeps what is registered with it, as IPython does."""

    def __init__(self):
        from IPython.core.formatters import HTMLFormatter

        self.display_formatter = self
        self.formatters = {"text/html": HTMLFormatter()}


def test_a_parse_shows_as_trees():
    shell = Shell()
    notebook.register(shell)
    show = shell.formatters["text/html"]
    parse = mg.parse(otlab.load_sample("attachment_wh"), "you see the park with the telescope")
    html = show(parse)
    assert html.count("<svg") == parse.derivations == 2
    assert all(f">{word}<" in html for word in parse.words)
    assert show(parse.best(1)[0].derivation).count("<svg") == 1


def test_a_fit_in_a_cell_shows_how_far_it_is(monkeypatch):
    shown = []

    class Handle:
        def update(self, content):
            shown.append(content.data)

    def display(content, display_id):
        shown.append(content.data)
        return Handle()

    monkeypatch.setattr(cell, "in_cell", lambda: True)
    monkeypatch.setattr(cell, "SECONDS_BEFORE", 0)
    monkeypatch.setattr(cell, "SECONDS_BETWEEN", 0)
    monkeypatch.setattr("IPython.display.display", display)
    learner = Gibbs(ot.read("ilokano"))
    result = fit(learner, steps=50, seed=1)
    assert '<progress value="' in shown[0]
    assert "gibbs: 50 of 50 steps in" in shown[-1]
    shown.clear()
    watched = fit(learner, steps=50, seed=1, watch=lambda tick: None)
    assert not shown
    np.testing.assert_array_equal(result.mean, watched.mean)
    monkeypatch.setattr(cell, "SECONDS_BEFORE", 3600)
    fit(learner, steps=50, seed=1)
    assert not shown  # it ended before anybody could wonder


def test_a_notebook_is_told_how_trees_are_shown(monkeypatch):
    shell, told = object(), []
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(notebook, "register", told.append)
    otlab._register_in_notebook()
    assert told == [shell]


def test_outside_a_notebook_nothing_is_shown():
    with cell.cell_progress("gibbs") as show:
        started = run(Gibbs(ot.read("ilokano")), sweeps=2, seed=1)
        assert show(started.tick()) is None
    assert not cell.in_cell()


def test_a_result_is_shown_in_part_when_long():
    import pandas as pd

    html = cell.result_html("<Fit>", pd.DataFrame({"x": range(500)}), warnings=["a < b"])
    assert html.count("<tr") < 40
    assert "500 rows" in html
    assert "a &lt; b" in html
