"""Hasse diagrams: every line is drawn, higher constraints stand higher, nothing overlaps."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from otlab import ot
from otlab.ot.analysis.reduction import transitive_reduction
from otlab.viz.ot.hasse import hasse_svg

SVG = "{http://www.w3.org/2000/svg}"


def boxes(svg):
    """Return left, right and top of the box of each constraint."""
    root = ET.fromstring(svg)
    found = {}
    texts = [text for text in root.iter(f"{SVG}text") if text.text != "Not ranked"]
    for rect, text in zip(root.iter(f"{SVG}rect"), texts, strict=False):
        x, width, y = (float(rect.get(key)) for key in ("x", "width", "y"))
        found[text.text] = (x, x + width, y)
    return found


@st.composite
def orders(draw):
    names = [f"C{n}" * draw(st.sampled_from([1, 1, 20])) for n in range(draw(st.integers(1, 8)))]
    index = st.integers(0, len(names) - 1)
    pairs = {(a, b) for a, b in draw(st.lists(st.tuples(index, index), max_size=12)) if a < b}
    for _ in names:
        pairs |= {(a, d) for a, b in pairs for c, d in pairs if b == c}
    return names, [(names[a], names[b]) for a, b in transitive_reduction(pairs)]


@given(orders())
@settings(max_examples=100, deadline=None)
def test_svg(order):
    names, pairs = order
    svg = hasse_svg(names, pairs, ["A or B >> C"])
    at = boxes(svg)
    assert set(at) == set(names)
    ranked = {name for pair in pairs for name in pair}
    assert all(at[a][2] < at[b][2] for a in ranked for b in set(names) - ranked)
    for a, b in pairs:
        assert at[a][2] < at[b][2]
    by_level = {}
    for left, right, y in at.values():
        by_level.setdefault(y, []).append((left, right))
    for row in by_level.values():
        row.sort()
        assert all(one[1] < other[0] for one, other in pairwise(row))
    root = ET.fromstring(svg)
    width = float(root.get("width"))
    assert all(0 < left < right < width for left, right, _ in at.values())
    assert all(0 < y < float(root.get("height")) for _, _, y in at.values())
    lines = [re.findall(r"[-\d.]+", p.get("d")) for p in root.iter(f"{SVG}path")]
    assert all(float(y) < float(v) for _, y, _, v, *_ in lines)
    assert len(lines) >= len(pairs)


def test_names_are_escaped():
    svg = hasse_svg(["<A>", "B&C"], [("<A>", "B&C")])
    assert set(boxes(svg)) == {"<A>", "B&C"}


def test_a_ranking_of_a_sample():
    ranking = ot.rank(ot.read("cv"))
    crucial = {("Onset", "Fill-Ons"), ("NoCoda", "Parse"), ("Parse", "Fill-Ons"), ("Fill-Nuc", "Parse")}
    assert set(ranking.crucial_rankings) == crucial
    assert set(boxes(hasse_svg(ranking.tableau.constraints, ranking.crucial_rankings))) == set(
        ranking.tableau.constraints
    )
