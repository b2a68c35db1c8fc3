"""Tables of the Compare tab: differences of logits, and groups that are left out."""

from __future__ import annotations

from html import unescape

import numpy as np

from otlab.ot import Tableau, logit_uniformity
from otlab.ot.analysis.leave_group_out import GroupsLeftOut, LevelsCompared
from otlab.viz.ot.comparison import levels_html
from otlab.viz.ot.logits import logits_html


def of_d(differences, counts):
    rows = []
    for name, (d, n) in enumerate(zip(differences, counts, strict=True)):
        rows.append((f"x{name}", "a", n[0], [max(0, -x) for x in d]))
        rows.append((f"x{name}", "b", n[1], [max(0, x) for x in d]))
    return Tableau.from_rows(rows, ["Mark", "Faith"])


def test_each_difference_has_its_number_and_interval_and_the_best_model_is_bold():
    found = logit_uniformity(of_d([(1, -n) for n in (1, 2, 3)], [(95, 5), (50, 50), (5, 95)]))
    html = str(logits_html(found))
    first = found.contrasts[0]
    assert first.observed.low > 0
    assert f"{first.observed.value:.2f}" in html
    assert f"{first.observed.low:.2f} to {first.observed.high:.2f}" in html
    assert html.count("<svg") == 5 * len(found.contrasts)
    best = min(one.aicc for one in found.models)
    assert all((f"<b>{one.label}</b>" in html) == (one.aicc == best) for one in found.models)
    assert found.words() in unescape(html)


def test_a_difference_without_end_is_said_so():
    # In Stochastic OT "b" never wins in the second input: its violations bound it.
    found = logit_uniformity(of_d([(1, -1), (1, 0)], [(6, 4), (9, 1)]))
    html = str(logits_html(found))
    assert "∞" in html
    assert "a candidate that can never win was observed" in html


def test_who_gains_and_how_far_the_others_are_below():
    names, tokens = ("Ana", "Ben"), np.array([10.0, 10.0])
    each = {"speakers": [-2.0, -3.0], "none": [-5.0, -3.5]}
    models = tuple(
        GroupsLeftOut(levels, "speaker", names, tokens, np.array(elpd), np.array([0.2, 0.8]))
        for levels, elpd in each.items()
    )
    compared = LevelsCompared(of_d([(1, -1)], [(1, 1)]), "speaker", "maxent-mixed", 60, 1, models)
    assert compared.best is models[0]
    assert compared.below_best(models[1]) == (3.5, 2**0.5 * np.std([3.0, 0.5], ddof=1))
    html = str(levels_html(compared))
    assert "<b>Speakers</b>" in html
    assert "Ana 3.0, Ben 0.5" in html
    assert "−8.5" in html
    assert compared.words() in unescape(html)
