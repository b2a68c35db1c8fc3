"""The page of a sweep: the picture, the table, the best run, and the way into a lab."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import panel as pn
import pytest

from otlab.cli import main
from otlab.sweep import FinishedRun, ResultSet, parse_plan
from otlab.sweep.results import best_run
from otlab.ui.server import serving
from otlab.ui.settings_form import SettingsForm
from otlab.ui.sweep.page import SweepView, lab_address, sweep_page
from otlab.viz.sweep import Series, score_svg
from tests.ui.axe import assert_accessible
from tests.ui.browser import ROOT, wait_for
from tests.ui.page import parts, shown_text

SPEC = """
seed = 5
seeds = 2
system = "ot"
learner = ["gibbs", "gla"]
data = "ilokano"
[settings]
noise = [1, 2]
sweeps = 500
"""


def run_of(spec, number):
    scores = {"log_likelihood": -110.0 + number, "largest_rhat": 1.5 - number / 10 if number < 4 else None}
    return FinishedRun(spec, scores, {}, 0.5)


@pytest.fixture(scope="module")
def runs():
    return [run_of(spec, number) for number, spec in enumerate(parse_plan(SPEC).runs)]


def picture(view):
    (drawn,) = (pane.object for pane in parts(view, pn.pane.HTML) if "<svg" in str(pane.object))
    return drawn


def test_every_run_is_a_dot_and_the_best_is_ringed(runs):
    view = SweepView(runs)
    assert view.shown.score == "log_likelihood"
    assert view.shown.setting == "noise"
    assert picture(view).count("<circle") == len(runs) + 1
    assert list(view.table.value["Best"]) == [""] * 7 + ["best"]
    assert "Best: −103" in shown_text(view)
    assert "GLA, noise 2, seed" in shown_text(view)


def test_scores_of_different_data_are_shown_apart_but_for_the_data_along_the_axis(runs):
    other = [replace(run, spec=replace(run.spec, data="king", content="king.csv:0")) for run in runs]
    view = SweepView([*runs, *other])
    assert (view.shown.setting, view.shown.data) == ("noise", "ilokano")
    assert picture(view).count("<circle") == len(runs) + 1
    view.shown.data = "king"
    assert list(view.table.value["Best"]).index("best") == 15
    assert "data king" in shown_text(view)
    view.shown.setting = "data"
    assert picture(view).count("<circle") == 2 * len(runs) + 1


def test_one_run_is_a_page_too(runs):
    view = SweepView(runs[:1])
    assert picture(view).count("<circle") == 2
    assert "data" not in [row["name"] for row in SettingsForm(view.shown).spec]
    assert view.table.height < SweepView(runs).table.height


def test_another_score_is_drawn_with_the_runs_that_have_it(runs):
    view = SweepView(runs)
    view.shown.score = "largest_rhat"
    assert picture(view).count("<circle") == 4 + 1
    assert list(view.table.value["Best"]).index("best") == 3  # the smallest is the best
    assert "Largest R-hat by Noise" in shown_text(view)


def test_of_a_score_that_no_run_on_the_data_has_there_is_no_best(runs):
    king = [
        replace(
            run, spec=replace(run.spec, data="king", content="king.csv:0"), scores={"log_likelihood": 1.0}
        )
        for run in runs
    ]
    view = SweepView([*runs, *king])
    view.shown.param.update(score="largest_rhat", data="king")
    assert "No run has this score" in shown_text(view)
    assert set(view.table.value["Best"]) == {""}


def test_along_another_setting_the_best_and_the_table_are_the_same():
    specs = parse_plan(SPEC.replace("sweeps = 500", "sweeps = [500, 600]")).runs
    view = SweepView([run_of(spec, number) for number, spec in enumerate(specs)])
    before, drawn = view.table.value, picture(view)
    other = next(name for name in ("noise", "sweeps") if name != view.shown.setting)
    view.shown.setting = other
    assert view.table.value is before, "rows that were sorted and filtered stay as they are"
    assert picture(view) != drawn


def test_a_run_of_a_tagger_opens_its_lab_with_one_run():
    plan = 'seed = 1\nsystem = "tagging"\nlearner = "em"\ndata = "ewt_sample"\n[settings]\nstates = 4\n'
    (spec,) = parse_plan(plan).runs
    asked = parse_qs(urlsplit(lab_address(spec)).query)
    assert (asked["runs"], asked["states"], asked["seed"]) == (["1"], ["4"], [str(spec.seed)])


def test_the_table_has_what_differs_and_the_scores(runs):
    table = SweepView(runs).table
    assert list(table.value) == [
        "Best", "Learner", "Noise", "Seed", "Lab", "Log likelihood", "Largest R-hat", "Seconds",
    ]  # fmt: skip
    assert set(table.header_filters) == {"Learner", "Noise", "Seed"}


def test_the_best_is_the_first_on_a_tie_and_none_without_the_score(runs):
    same = [replace(run, scores={"a": 1.0}) for run in runs]
    assert best_run(same, "a") is same[0]
    assert best_run(same, "b") is None


def test_a_link_has_data_settings_and_seed(runs):
    gla = next(run.spec for run in runs if run.spec.learner == "gla")
    address = urlsplit(lab_address(gla))
    asked = {name: value for name, (value,) in parse_qs(address.query).items()}
    assert address.path == "./ot_lab"
    assert asked["example"] == "ilokano_reduplication"
    assert (asked["trials"], asked["noise"], asked["seed"]) == ("500", "1.0", str(gla.seed))


def test_there_is_no_link_where_it_cannot_hold_the_run(runs, tmp_path):
    spec = runs[0].spec
    assert lab_address(spec)
    assert not lab_address(replace(spec, data="mine.csv", content="mine.csv:0"))
    assert not lab_address(replace(spec, content="ilokano.csv:0"))  # another file of that name
    assert not lab_address(replace(spec, files=(("prior", "prior.txt", "0"),)))
    other = tuple((name, True if name == "accents" else value) for name, value in spec.settings)
    assert not lab_address(replace(spec, settings=other))


def test_values_stand_in_their_order_and_names_are_escaped():
    points = (("10", 1.0, "a"), ("9", 2.0, "<b>"), ("none", 1.5, "c"))
    drawn = score_svg([Series("EM", "em-edge", points)], "states", "score", "c")
    assert drawn.index(">9<") < drawn.index(">10<") < drawn.index(">none<")
    assert "<b>" not in drawn


def test_marks_of_the_axis_differ_where_scores_hardly_do():
    points = (("1", -1.386294, "a"), ("2", -1.386303, "b"))
    drawn = score_svg([Series("Gibbs", "gibbs-edge", points)], "noise", "score")
    marks = re.findall(r'text-anchor="end">([^<]*)<', drawn)
    assert len(set(marks)) == len(marks) > 2


def test_the_page_has_a_part_for_each_system_and_the_failures(runs):
    from otlab.sweep.results import FailedRun

    failed = FailedRun(runs[0].spec, "no <data>")
    page = sweep_page(ResultSet(tuple(runs), (failed,)), "first")
    texts = [pane.object for pane in page.main[0].select(pn.pane.HTML)]
    assert any("<svg" in text for text in texts)
    (named,) = (text for text in texts if "no &lt;data&gt;" in text)
    assert re.findall(r"<th\b[^>]*>([^<]*)", named) == ["Learner", "Data", "Noise", "Seed", "Reason"]
    assert re.findall(r"<td[^>]*>([^<]*)", named)[:4] == ["Gibbs", "ilokano", "1", str(runs[0].spec.seed)]
    nothing = [pane.object for pane in sweep_page(ResultSet(()), "none").main[0].select(pn.pane.HTML)]
    assert any("No run is finished" in text for text in nothing)


def test_the_command_shows_the_runs_in_the_browser(tmp_path, monkeypatch, capsys):
    served = []
    monkeypatch.setattr(serving, "free_port", lambda host, port: 5151)
    monkeypatch.setattr(serving, "serve", lambda *where, **how: served.append((where, how)))
    spec = tmp_path / "sweep.toml"
    spec.write_text('seed = 1\nsystem = "ot"\nlearner = "maxent"\ndata = "ilokano"\n', encoding="utf-8")
    assert main(["sweep", str(spec), "--browse", "--json"]) == 0
    assert served == []
    capsys.readouterr()
    assert main(["sweep", str(spec), "--browse"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "http://localhost:5151/"
    ((where, how),) = served
    assert where == ((), "127.0.0.1", 5151)
    name, page = how["first"]
    assert name == "sweep"
    assert any("<svg" in pane.object for pane in page().main[0].select(pn.pane.HTML))


BROWSED = """
seed = 1
system = "ot"
learner = "maxent"
data = ["ilokano", "nasal_place"]
[settings]
prior_sd = [1, 2]
"""


@pytest.mark.browser
def test_a_sweep_is_browsed(visit, tmp_path):
    from playwright.sync_api import expect

    spec = tmp_path / "first.toml"
    spec.write_text(BROWSED)
    command = [sys.executable, "-m", "otlab", "sweep", str(spec), "--browse"]
    surroundings = {**os.environ, "BROWSER": "true"}  # opens nothing
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=surroundings) as process:
        try:
            url = process.stdout.readline().strip()
            visitor = visit()
            wait_for(url, process, process.stdout.read)
            page = visitor.page
            page.goto(url)
            page.locator("#opening").wait_for(state="detached")
            dots = page.get_by_role("img", name="Log likelihood by").locator("circle")
            expect(dots).to_have_count(3)
            page.get_by_label("Along").select_option("data")
            expect(dots).to_have_count(5)
            expect(page.get_by_text("Log likelihood by Data")).to_be_visible()
            expect(page.get_by_text("4 runs")).to_be_visible()
            assert_accessible(page)
        finally:
            process.terminate()
