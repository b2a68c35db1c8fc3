"""Tables of the grammar lab: candidates of a pool, and a comparison of theories."""

import math
import re

from otlab.mg.learners.comparison import Comparison
from otlab.viz.mg.compare import Verdict, differences_html, verdicts_csv, verdicts_html
from otlab.viz.mg.pool import Candidate, pool_html, restarts_html

POOL = [
    Candidate("see", "=d d= v", 12.0, 0.9, known=True),
    Candidate("<x>", "d", 0.1, 0.02, known=True),
    Candidate("you", "d", 3.0, 0.5, known=False),
    Candidate("you", "v", 0.0, 0.01, known=False),
]


def words(html):
    return re.sub(r"<[^>]+>", " ", html)


def test_candidates_stand_in_order_and_are_cut_at_the_threshold():
    shown = words(pool_html(POOL, 0.5))
    order = [shown.index(w) for w in ("see", "survives · new", "below 0.50", "&lt;x&gt;", "pruned · lost")]
    assert order == sorted(order)
    assert shown.count("survives") == 2
    assert shown.count("pruned") == 2


def test_all_survive_or_none():
    assert "below" not in words(pool_html(POOL, 0.0))
    assert words(pool_html(POOL, 99.0)).count("pruned") == 4
    assert "Expected uses" in words(pool_html([], 0.5))


def test_a_long_pool_says_how_much_is_left_out():
    many = [Candidate(f"w{i}", "d", float(i), 0.0, known=False) for i in range(1305)]
    assert "1,005 more." in words(pool_html(many, 0.5))


def test_starts_are_ranked_and_the_best_is_marked():
    html = restarts_html([-5.0, -3.0, -4.0], [7, 8, 9])
    assert 'title="Seed 8 repeats it alone"' in html
    assert re.findall(r"Restart \d", html) == ["Restart 2", "Restart 3", "Restart 1"]
    assert html.index('class="best"') < html.index("Restart 2")
    assert restarts_html([]) == ""


def verdict(name, elbo, log_z, parsed):
    return Verdict(name, "3 items", Comparison(name, elbo, log_z, parsed, parsed, 0.5))


def test_the_best_of_theories_with_the_same_sentences_is_marked():
    html = verdicts_html([verdict("A", -10.0, -1.0, 1.0), verdict("B & C", -12.0, -0.9, 1.0)])
    assert re.findall(r'class="best">([^<]+)<', html) == ["−10.00", "−0.900"]
    assert "B &amp; C" in html


def test_coverage_alone_is_marked_where_the_sentences_differ():
    html = verdicts_html([verdict("A", -10.0, -1.0, 1.0), verdict("B", -2.0, -0.1, 0.25)])
    assert set(re.findall(r'class="best">([^<]+)<', html)) == {"100\u2009%"}


def test_what_is_not_known_is_a_dash_and_empty_in_the_file():
    rows = [verdict("A", math.nan, math.nan, 0.0), Verdict('B "2"', "waiting", None)]
    assert verdicts_html(rows).count("–") == 7
    lines = verdicts_csv(rows).splitlines()
    assert lines[1] == '"A",,,0,0,0.5'
    assert lines[2] == '"B ""2""",,,,,'


def test_sentences_that_tell_theories_apart():
    html = differences_html(["A", "B"], [("what <did>", 3, [True, False])])
    assert "what &lt;did&gt;" in html
    assert html.count("✓") == html.count("✱") == 1
    assert "the same sentences" in differences_html(["A", "B"], [])
