"""The page of a sweep's results: a score along any setting, and a table of the runs to sort and filter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import panel as pn
import param

from otlab.errors import InputError, counted
from otlab.html import element, escape, table, td, th, tr
from otlab.samples import find_sample
from otlab.sweep.results import best_run
from otlab.sweep.systems import SYSTEMS, parameters
from otlab.ui.components import stylesheet
from otlab.ui.components.cards import Card, Html, stroke
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import empty
from otlab.ui.fields import Field
from otlab.ui.server import loading_screen, shell
from otlab.ui.settings_form import SettingsForm
from otlab.ui.sweep.names import ROUTES, lab_names
from otlab.viz.sweep import Series, score_svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import panel_material_ui as pmui

    from otlab.sweep.results import FailedRun, ResultSet
    from otlab.sweep.spec import RunSpec
    from otlab.sweep.store import FinishedRun

__all__ = ["SweepView", "lab_address", "sweep_page"]

_SEARCH = {"type": "input", "func": "like", "placeholder": "find"}
_PAGE_ROWS = 100
_MANY, _TINY = 1000, 0.01  # between them four decimals will do
_TABLE_HEIGHT, _HEAD_HEIGHT, _ROW_HEIGHT = 430, 84, 36  # pixels
_ALL = "all"
_NAMES = {
    "largest_rhat": "Largest R-hat", "smallest_ess": "Smallest ESS", "one_to_one": "1-to-1",
    "one_to_one_optimal": "1-to-1, optimal", "many_to_one": "Many-to-1",
    "many_to_one_crossvalidated": "Many-to-1, cross-validated", "vi": "VI", "v_measure": "V-measure",
    "h_t_given_y": "H(T|Y)", "h_y_given_t": "H(Y|T)", "log_joint": "Log joint probability", "nmi": "NMI",
}  # fmt: skip
"""What scores are called where their names are not words."""
_STYLE = """
.tabulator { font: 400 13px/1.4 var(--ot-ui); font-variant-numeric: tabular-nums; }
.tabulator-row .tabulator-cell { font-size: 13px; }
.tabulator .tabulator-col-title { font: 500 12px/1.4 var(--ot-ui); }
a { color: var(--ot-accent); font-weight: 500; }
"""

_FAILURES = """
.failures { width: 100%; border-collapse: collapse; font-size: 13px; }
.failures th { text-align: left; font-weight: 500; font-size: 12px; color: var(--ot-ink2); }
.failures th, .failures td { padding: 6px 20px 6px 0; vertical-align: top; }
.failures th, .failures td { border-bottom: 1px solid var(--ot-line); }
.failures tr:last-child td { border-bottom: 0; }
.failures .num { text-align: right; font-variant-numeric: tabular-nums; }
.failures .reason { width: 60%; padding-right: 0; overflow-wrap: anywhere; }
"""


class Shown(param.Parameterized):
    """What the picture shows."""

    fields: Mapping[str, Field] = {"data": Field(wide=True)}

    score = param.Selector(objects=[""], doc="The score to compare runs by.")
    setting = param.Selector(objects=[""], label="Along", doc="The setting, or the data, along the axis.")
    data = param.Selector(objects=[_ALL], label="Data", doc="The data whose runs are shown.")


class SweepView(pn.viewable.Viewer):
    """The runs of one system.

    Parameters
    ----------
    runs
        Finished, of one system.

    Attributes
    ----------
    shown
        Score, setting and data of the picture.
    table
        The runs, the best one marked.
    """

    def __init__(self, runs: list[FinishedRun]) -> None:
        super().__init__()
        self.runs = runs
        self.system = SYSTEMS[runs[0].spec.system]
        self.varied = _varied(runs)
        self.shown = Shown()
        scores = _scores(runs, self.system.headline)
        self.shown.param.score.objects = {_words(name): name for name in scores}
        self.shown.param.setting.objects = {_words(name): name for name in self.varied or ["data"]}
        shared = [name for name in scores if all(run.scores.get(name) is not None for run in runs)]
        along = [*(name for name in self.varied if name != "data"), "data"]
        self.shown.param.update(score=[*shared, *scores][0], setting=along[0])
        # Scores of different data do not compare: one set of them is shown to begin with.
        known = list(dict.fromkeys(run.spec.data for run in runs))
        self.shown.param.data.objects = {**{name: name for name in known}, "All": _ALL}
        self.shown.data = known[0]
        if len(known) == 1:
            self.shown.fields = {"data": Field(elsewhere=True)}
        self._picture = Html("", sizing_mode="stretch_width")
        self._summary = Html("", sizing_mode="stretch_width")
        self._card = Card("Scores", self._picture, legend=self._legend(), sizing_mode="stretch_both")
        self.table = self._made_table(scores)
        self.shown.param.watch(lambda *_: self.draw(), ["score", "setting", "data"])
        self.draw()

    def draw(self) -> None:
        """Draw the picture, and mark the best run."""
        score, setting = self.shown.score, self.shown.setting
        best = best_run(self._shown_runs(), score)
        series = tuple(
            Series(self.system.learners[name].label, self._token(name), self._points(name, score, setting))
            for name in self._learners()
        )
        self._picture.show(score_svg(series, _words(setting), _words(score), best.spec.hash if best else ""))
        self._card.title = f"{_words(score)} by {_words(setting)}"
        marks = ["best" if run is best else "" for run in self.runs]
        if list(self.table.value["Best"]) != marks:
            self.table.value = self.table.value.assign(Best=marks)
        self._summary.show(self._best_words(best, score))

    def _shown_runs(self) -> list[FinishedRun]:
        """Return the runs on the data that are shown; of all data where the data are along the axis."""
        if self.shown.data == _ALL or self.shown.setting == "data":
            return self.runs
        return [run for run in self.runs if run.spec.data == self.shown.data]

    def _points(self, learner: str, score: str, setting: str) -> tuple[tuple[str, float, str], ...]:
        return tuple(
            (_setting(run, setting), _number(run.scores.get(score)), run.spec.hash)
            for run in self._shown_runs()
            if run.spec.learner == learner
        )

    def _learners(self) -> list[str]:
        return list(dict.fromkeys(run.spec.learner for run in self.runs))

    def _token(self, learner: str) -> str:
        return f"{self.system.learners[learner].hue}-edge"

    def _legend(self) -> list[str]:
        labels = {name: self.system.learners[name].label for name in self._learners()}
        dots = [stroke(self._token(name), label) for name, label in labels.items()]
        return [*dots, element("span", "dot: a run; line: means; ring: the best")]

    def _best_words(self, best: FinishedRun | None, score: str) -> str:
        if best is None:
            return '<p class="small">No run has this score.</p>'
        chosen = {_words(name).lower(): _setting(best, name) for name in self.varied}
        settings = "".join(f"{name} {value}, " for name, value in chosen.items() if value)
        number = _number(best.scores[score])
        value = (f"{number:,.1f}" if abs(number) >= _MANY else f"{number:.4g}").replace("-", "−")
        address = lab_address(best.spec)
        link = f' <a href="{address}" target="_blank">Open in its lab</a>' if address else ""
        label = self.system.learners[best.spec.learner].label
        return (
            f'<p class="small"><b>Best: {value}</b>, {escape(label)}, {escape(settings)}'
            f"seed {best.spec.seed:d}.{link}</p>"
        )

    def _made_table(self, scores: list[str]) -> pn.widgets.Tabulator:
        """Return the table: click a heading to sort, type above a column to filter."""
        import pandas as pd

        rows = [
            {
                "Best": "",
                "Learner": self.system.learners[run.spec.learner].label,
                **{_words(name): _cell(run, name) for name in self.varied},
                "Seed": run.spec.seed,
                "Lab": _anchor(lab_address(run.spec)),
                **{_words(name): _number(run.scores.get(name)) for name in scores},
                "Seconds": run.seconds,
            }
            for run in self.runs
        ]
        frame = pd.DataFrame(rows)
        settings = ["Learner", *map(_words, self.varied), "Seed"]
        forms = {name: _form(frame[name]) for name in ("Seed", *map(_words, scores), "Seconds")}
        return pn.widgets.Tabulator(
            frame,
            theme="simple",
            layout="fit_data_stretch",
            show_index=False,
            titles={name: str(escape(name)) for name in frame.columns},  # headings are HTML there
            editors=dict.fromkeys(frame.columns),
            disabled=True,
            selectable=False,
            margin=0,
            row_height=30,
            pagination="local" if len(frame) > _PAGE_ROWS else None,
            page_size=_PAGE_ROWS,
            formatters={"Lab": {"type": "html"}, **{name: form for name, form in forms.items() if form}},
            header_filters=dict.fromkeys(settings, _SEARCH),
            css_classes=["ot-languages"],
            stylesheets=[stylesheet("languages"), _STYLE],
            sizing_mode="stretch_width",
            height=min(_TABLE_HEIGHT, _HEAD_HEIGHT + _ROW_HEIGHT * len(frame)),
        )

    def __panel__(self) -> Any:
        form = SettingsForm(self.shown)
        left = Card("What to show", form, self._summary, width=300, sizing_mode="stretch_height")
        words = counted(len(self.runs), "run")
        hint = "click a heading to sort; type below it to find"
        runs = Card("Runs", self.table, remark=words, hint=hint, sizing_mode="stretch_width")
        top = across(left, self._card, height=400, sizing_mode="stretch_width")
        return down(top, runs, sizing_mode="stretch_width")


def sweep_page(results: ResultSet, name: str) -> pmui.Page:
    """Return the page of a sweep, for one visitor.

    Parameters
    ----------
    results
        Its runs; each system has a part of its own.
    name
        Of the sweep.
    """
    bar = shell.AppBar(own=name)
    systems = dict.fromkeys(run.spec.system for run in results.runs)
    views = [SweepView([run for run in results.runs if run.spec.system == system]) for system in systems]
    if results.failed:
        count = f"{len(results.failed):,} of {len(results.failed) + len(results.runs):,}"
        failures = Html(failures_html(results), _FAILURES, sizing_mode="stretch_width")
        failed = Card("Runs that failed", failures, remark=count, sizing_mode="stretch_width")
        views.insert(0, failed) if len(results.failed) > len(results.runs) else views.append(failed)
    content: Any = down(*views, sizing_mode="stretch_width", styles={"padding": "14px 20px 28px"})
    if not views:
        content = empty("No run is finished", "Run the sweep first.")
    return shell.page(bar, shell.only(content), name, meanwhile=loading_screen.OPENING_HOME)


def failures_html(results: ResultSet) -> str:
    """Return a table of the runs that failed: learner, data, settings that differ, seed and reason."""
    parts = []
    for system in dict.fromkeys(run.spec.system for run in results.failed):
        failed = [run for run in results.failed if run.spec.system == system]
        finished = [run for run in results.runs if run.spec.system == system]
        varied = [name for name in _varied([*finished, *failed]) if name != "data"]
        lines = [
            tr(
                [
                    td(SYSTEMS[system].learners[run.spec.learner].label),
                    td(run.spec.data),
                    *(td(_setting(run, name)) for name in varied),
                    td(run.spec.seed, "num"),
                    td(run.reason, "reason"),
                ]
            )
            for run in failed
        ]
        heads = ["Learner", "Data", *map(_words, varied), th("Seed", "num"), "Reason"]
        parts.append(table(heads, lines, label="Runs that failed", kind="failures"))
    return "".join(parts)


def _scores(runs: list[FinishedRun], headline: tuple[str, ...]) -> list[str]:
    """Return the scores that some run has, those of the headline first."""
    there = dict.fromkeys(name for run in runs for name, v in run.scores.items() if v is not None)
    return [*(name for name in headline if name in there), *(name for name in there if name not in headline)]


def _varied(runs: Sequence[FinishedRun | FailedRun]) -> list[str]:
    """Return the settings, and ``data``, of which a learner has several values."""
    names = dict.fromkeys(name for run in runs for name, _ in run.spec.settings)
    learners = {run.spec.learner for run in runs}
    return [
        name
        for name in ("data", *names)
        if len({(run.spec.learner, _setting(run, name)) for run in runs}) > len(learners)
    ]


def _form(column: pd.Series) -> Any:
    """Return the number format of a column; None for a column of text."""
    from bokeh.models import NumberFormatter

    try:
        numbers = column.dropna().astype(float)
    except ValueError:
        return None
    if (numbers % 1 == 0).all():
        return NumberFormatter(format="0", nan_format="–", text_align="right")
    form = "0,0.0" if numbers.abs().max() >= _MANY else "0.0000" if numbers.abs().max() > _TINY else "0e+0"
    return NumberFormatter(format=form, nan_format="–", text_align="right")


def _setting(run: FinishedRun | FailedRun, name: str) -> str:
    value = _cell(run, name)
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _cell(run: FinishedRun | FailedRun, name: str) -> Any:
    return run.spec.data if name == "data" else run.spec.values.get(name)


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _words(name: str) -> str:
    text = name.replace("_", " ")
    return _NAMES.get(name, text[:1].upper() + text[1:])


def _anchor(address: str) -> str:
    return f'<a href="{address}" target="_blank">open</a>' if address else ""


def lab_address(spec: RunSpec) -> str:
    """Return the address of the lab with the run's data, settings and seed.

    Empty where a link cannot hold them: data that are no sample, a file among the settings, or a
    setting that the lab does not have.
    """
    if spec.system not in ROUTES or spec.files:
        return ""
    try:
        example = find_sample(spec.data, spec.system)
    except InputError:
        return ""
    if not spec.content.startswith(f"{example.path.name}:"):
        return ""
    names = lab_names(spec.system, spec.learner)
    asked: dict[str, Any] = {"example": example.name, "seed": spec.seed}
    if spec.system == "tagging":
        asked["runs"] = 1
    usual = parameters(spec.system, spec.learner)
    for name, value in spec.settings:
        if name in names and value is not None:
            asked[names[name]] = value
        elif name not in names and value != usual[name].default:
            return ""
    return f"./{ROUTES[spec.system]}?{urlencode(asked)}"
