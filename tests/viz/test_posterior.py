"""The ridge of posterior histograms: shapes, values, and that its element takes them."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.viz.base.live import Live
from otlab.viz.base.rows import FLOOR, low_row, nice_span, rows_height
from otlab.viz.base.tokens import DARK, LIGHT
from otlab.viz.ot import posterior
from otlab.viz.ot.histograms import DrawHistogram
from tests.viz.markup import HOSTILE, Markup

NAMES = ("*C-ONS", "AL", "I_BR")
MEANS, SDS = np.array([-0.08, 0.53, -0.45]), np.array([0.10, 0.13, 0.14])


def drawn(n=4000, k=3, seed=1):
    rng = np.random.default_rng(seed)
    means, sds = np.resize(MEANS, k), np.resize(SDS, k)
    chains = [rng.normal(means, sds, (n, k)) for _ in range(2)]
    histogram = DrawHistogram(k)
    histogram.update(chains)
    return histogram, chains


def layers(k=3, **options):
    histogram, _ = drawn(k=k)
    return posterior.ridge_data(histogram, span=(-1.0, 1.0), **options), histogram


def test_every_layer_has_columns_of_one_length():
    data, _ = layers(runs=np.zeros((7, 3)))
    assert {label: {len(v) for v in columns.values()} for label, columns in data.items()} == {
        "baselines": {3},
        "bars": {len(data["bars"]["left"])},
        "outline": {0},
        "intervals": {3},
        "medians": {3},
        "runs": {21},
    }


def test_bars_are_the_histogram():
    data, histogram = layers()
    edges, counts = histogram.bins(-1.0, 1.0, 72)
    bars = data["bars"]
    for row in range(3):
        base = 2 - row
        own = bars["bottom"] == base
        seen = counts[row][counts[row] > 0]
        np.testing.assert_allclose((bars["top"] - bars["bottom"])[own] / 0.6, seen / seen.max())
        middles = (bars["left"] + bars["right"])[own] / 2
        np.testing.assert_allclose(middles, ((edges[:-1] + edges[1:]) / 2)[counts[row] > 0], atol=1e-12)


def test_medians_and_intervals():
    data, histogram = layers()
    standard_errors = 1.2533 * SDS / np.sqrt(histogram.n)
    assert (np.abs(data["medians"]["x"] - MEANS) < 4.5 * standard_errors).all()
    np.testing.assert_allclose(data["intervals"]["x1"] - data["intervals"]["x0"], 2 * 1.96 * SDS, rtol=0.08)


def test_rows_follow_the_order():
    data, _ = layers(order=(1, 0, 2))
    assert data["medians"]["x"].argmax() == 0
    assert data["medians"]["y"].tolist() == sorted(data["medians"]["y"], reverse=True)


def test_all_marks_stay_in_their_row():
    data, _ = layers(runs=np.zeros((2, 3)))
    for row, base in enumerate([2, 1, 0]):
        for y in (data["runs"]["y1"][2 * row], data["bars"]["top"][data["bars"]["bottom"] == base].max()):
            assert base + FLOOR < y < base + 1 + FLOOR


def test_outline_shares_the_scale_of_its_row():
    histogram, chains = drawn()
    wide = DrawHistogram(3)
    wide.add(MEANS + 2 * (chains[0] - MEANS))
    data = posterior.ridge_data(histogram, None, wide, span=(-1.5, 1.5))
    outline, bars = data["outline"], data["bars"]
    assert np.isnan(outline["x"]).sum() == 3
    top = np.nanmax(outline["y"][outline["y"] >= 2]) - 2
    assert 0.2 < top < 0.45
    assert (bars["top"] - bars["bottom"]).max() == pytest.approx(0.6)


def test_nothing_drawn_yet():
    empty = DrawHistogram(3)
    data = posterior.ridge_data(empty, span=posterior.ridge_span(empty))
    assert len(data["bars"]["left"]) == 0
    assert np.isnan(data["medians"]["x"]).all()
    assert "–" in posterior.labels_html(NAMES, empty)
    assert posterior.ridge_text(NAMES, empty) == "No posterior draws yet."
    assert len(posterior.traces_data([], empty)["traces"]["x"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 3, 30])
def test_the_element_takes_the_data(k):
    histogram, chains = drawn(200, k)
    ridge = Live(posterior.ridge_element(k), posterior.ridge_colors(), LIGHT)
    for label, columns in posterior.ridge_data(histogram, np.zeros((4, k)), span=(-1, 1)).items():
        ridge.push(label, **columns)
    assert ridge.glyph("bars").fill_color == LIGHT["gibbs"]
    ridge.recolor(DARK)
    assert ridge.glyph("bars").fill_color == DARK["gibbs"]
    assert (ridge.figure.y_range.start, ridge.figure.y_range.end) == (FLOOR, k + FLOOR)
    assert ridge.figure.min_height == rows_height(k, row=low_row(k))
    lines = Live(posterior.traces_element(k), posterior.TRACE_COLORS, LIGHT)
    for label, columns in posterior.traces_data(chains, histogram).items():
        lines.push(label, **columns)


def test_traces_are_the_last_sweeps_of_every_chain():
    histogram, chains = drawn(500)
    data = posterior.traces_data(chains, histogram, sweeps=50, order=(2,))["traces"]
    lines = data["y"].reshape(1, 2, 51)
    assert np.isnan(lines[..., -1]).all()
    for c, chain in enumerate(chains):
        assert np.corrcoef(lines[0, c, :-1], chain[-50:, 2])[0, 1] > 0.999


def test_a_short_trace_ends_at_the_right():
    histogram, chains = drawn(20)
    data = posterior.traces_data(chains, histogram, sweeps=50)["traces"]
    assert np.nanmin(data["x"]) == 30
    assert np.nanmax(data["x"]) == 49


def test_labels_of_four_constraints_have_room_beside_their_number():
    names = ["*Ct", "Max-Pre-V", "Max-Final", "Max"]
    assert posterior.label_width(names[:3]) == 112
    assert posterior.label_width(names) == 142
    assert posterior.label_width(["A", "B", "C", "D"]) == 112


def test_long_names_have_more_room_up_to_a_limit():
    widths = [posterior.label_width(["x" * n]) for n in (3, 12, 14, 100)]
    assert widths == sorted(widths)
    assert widths[0] == 112
    assert widths[-1] == posterior.label_width(["x" * 200]) == 188


def test_labels_and_sentence():
    histogram, _ = drawn(20_000)
    markup = Markup(posterior.labels_html(NAMES, histogram, order=(1, 0, 2)))
    assert markup.text.startswith("AL0.53 ±\u20090.13*C-ONS−0.08")
    assert posterior.ridge_text(NAMES, histogram).startswith(
        "Posterior medians and 95 % intervals after 40,000 draws: AL 0.53"
    )


def test_hostile_names_stay_text():
    histogram, _ = drawn(50)
    markup = Markup(posterior.labels_html([HOSTILE] * 3, histogram))
    assert not any("onclick" in attributes for _, attributes in markup.elements)
    assert len(markup.all("b")) == 3  # the medians


def test_the_axis_stays_while_it_fits():
    assert nice_span(np.array([-0.7, 0.7]), before=(-1.0, 1.0)) == (-1.0, 1.0)
    assert nice_span(np.array([-0.6, 1.2]), before=(-1.0, 1.0))[1] >= 1.2
    low, high = nice_span(np.array([0.1, 0.12]), before=(-1.0, 1.0))
    assert -0.1 < low < 0.1
    assert 0.12 < high < 0.3


@pytest.mark.parametrize("values", [[], [np.nan], [3.0], [3.0, 3.0], [-1e4, 1e4]])
def test_any_values_make_an_axis(values):
    low, high = nice_span(np.array(values))
    assert low < high
    finite = [v for v in values if np.isfinite(v)]
    assert all(low <= v <= high for v in finite)
