"""A result of the tagging lab as one page of HTML: tokens per state, traces, scores, and states."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError, counted
from otlab.html import Markup, element, escape, isolated, joined, table, td, th, tr
from otlab.inference.rest import unrest
from otlab.tagging.learners import LEARNERS
from otlab.tagging.scores import BASELINES, SCORES, Scores, baselines
from otlab.viz.base.chart_svg import Axis, Line, chart
from otlab.viz.base.numbers import count_text, value_text
from otlab.viz.base.page import Section, page, provenance_sections
from otlab.viz.tagging.skew import steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.tagging.corpus import Corpus
    from otlab.tagging.fitted import Fitted
    from otlab.tagging.view import View
    from otlab.viz.base.tokens import Hue

__all__ = ["Learnt", "overview", "result_page"]

MOST_WORDS = 8
MOST_STATES = 200
MOST_POINTS = 500

_SCORE_NAMES = {
    "one_to_one": "1-to-1",
    "many_to_one": "many-to-1",
    "vi": "VI, bits",
    "v_measure": "V-measure",
}


@dataclass(frozen=True, eq=False)
class Learnt:
    """The runs of one learner.

    Attributes
    ----------
    label, hue
        Name and colour of the learner.
    corpus
        The corpus from which it learnt.
    views
        The last snapshot of each run.
    seeds
        The seed of each run.
    settings
        Settings that reproduce the runs.
    names
        The user's names of states of the first run, by number.
    """

    label: str
    hue: Hue
    corpus: Corpus
    views: Sequence[View]
    seeds: Sequence[int]
    settings: Mapping[str, Any]
    names: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, fit: Fitted) -> Learnt:
        """Return the runs of a fit, such as ``tagging.fit_vb`` returns."""
        learner: Any = fit.learner
        entry: Any = LEARNERS[learner.name]
        versions = ", ".join(f"{package} {version}" for package, version in fit.versions.items())
        settings = {**fit.settings, "seed": fit.seed, "versions": versions}
        return cls(entry.label, entry.hue, learner.corpus, fit.views, fit.seeds, settings)

    @property
    def unsettled(self) -> str:
        """Why its scores cannot be compared yet: "still improving"; empty if its objective is at rest."""
        steps = min(view.objective.size for view in self.views)
        traces = np.array([view.objective[:steps] for view in self.views])
        return unrest(traces, self.corpus.tokens, sampler=self._samples)

    @property
    def point(self) -> str:
        """What the states of the first run are: "run 1 of 3, seed 7", "last sample of run 1 of 3, seed 7"."""
        runs = len(self.views)
        run = (f"run 1 of {runs}" if runs > 1 else "the run") + f", seed {self.seeds[0]}"
        return f"last sample of {run}" if self._samples else run

    @property
    def _samples(self) -> bool:
        return self.hue == "gibbs"


def result_page(results: Sequence[Learnt], *, link: str = "", title: str = "") -> str:
    """Return the results of taggers as one self-contained page of HTML.

    Parameters
    ----------
    results
        Results of one or more learners on one corpus.
    link
        Path and query with which the tagging lab opens the same text and settings; no link if empty.
    title
        Heading of the page; the name of the text if empty.

    Raises
    ------
    InputError
        If there is no result.

    Examples
    --------
    >>> import otlab
    >>> from otlab import tagging
    >>> fit = tagging.fit_em(otlab.load_sample("ewt").first(50), states=5, iterations=3, seed=1)
    >>> result_page([Learnt.of(fit)]).startswith("<!DOCTYPE html>")
    True
    """
    if not results:
        raise InputError("There is nothing to save before a run has ended")
    corpus = results[0].corpus
    sections = overview(results)
    sections += [_states_section(corpus, result) for result in results]
    made = {result.label: {k: str(v) for k, v in result.settings.items()} for result in results}
    sections += provenance_sections("tagging lab", made, link)
    learners = ", ".join(result.label for result in results)
    words, sentences = counted(corpus.tokens, "word"), counted(corpus.sentences, "sentence")
    about = f"{words}, {corpus.types:,} different, in {sentences}"
    return page(title or corpus.name or "A text", sections, subtitle=f"Tagged by {learners}: {about}")


def overview(results: Sequence[Learnt]) -> list[Section]:
    """Return cards with the tokens per state, the trace of every run, and the scores."""
    corpus = results[0].corpus
    sections = [_skew_section(corpus, results), _trace_section(results)]
    return sections if corpus.tags is None else [*sections, _score_section(results)]


def _unsettled(results: Sequence[Learnt]) -> str:
    """Return whose scores cannot be compared yet, and why; empty if all are at rest."""
    return "; ".join(f"{result.label}: {result.unsettled}" for result in results if result.unsettled)


def _skew_section(corpus: Corpus, results: Sequence[Learnt]) -> Section:
    """Return a card with the tokens of each state, in descending order, beside those of the gold tags."""
    lines = []
    for result in results:
        x, y = steps(np.sort(result.views[0].tokens_per_state)[::-1].tolist())
        lines.append(Line(x, y, f"{result.hue}-edge", result.label))
    if corpus.tags is not None:
        x, y = steps(np.sort(corpus.tag_counts)[::-1].tolist())
        lines.append(Line(x, y, "ink", "gold tags"))
    means = {r.label: float(np.mean([view.share_of_biggest() for view in r.views])) for r in results}
    shares = "; ".join(f"{name}: {100 * share:.0f} % in the six biggest" for name, share in means.items())
    svg = chart(lines, Axis("states by size"), Axis("tokens"), description=f"Tokens per state. {shares}.")
    inside = Markup(svg) + element("p", shares)
    remark = "curves of run 1, shares are means" if len(results[0].views) > 1 else ""
    return Section("Tokens per state, largest first", inside, remark, mark=_unsettled(results))


def _baselines(results: Sequence[Learnt]) -> dict[str, Scores]:
    """Return the scores of each baseline, by its label; empty for a text without tags."""
    corpus = results[0].corpus
    if corpus.tags is None:
        return {}
    states = results[0].views[0].tokens_per_state.size
    return {BASELINES[name]: scores for name, scores in baselines(corpus, states, seed=0).items()}


def _trace_section(results: Sequence[Learnt]) -> Section:
    """Return a card with a score by iteration and the baselines or, without tags, the objective."""
    tagged = results[0].corpus.tags is not None
    last = max((view.iteration for result in results for view in result.views), default=1)
    lines = [
        Line([0, last], [scores.one_to_one] * 2, "ink3", label, width=1.2, dash="4 3")
        for label, scores in _baselines(results).items()
    ]
    for result in results:
        for k, view in enumerate(result.views):
            values = view.trace("one_to_one") if tagged else view.objective
            at = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).astype(int))
            lines.append(Line(at, values[at], f"{result.hue}-edge", "" if k else result.label, opacity=0.7))
    what = "1-to-1 accuracy" if tagged else "objective, nats"
    svg = chart(
        lines, Axis("iterations"), Axis(what), description=f"{what} after each iteration of every run."
    )
    return Section(f"{what[0].upper()}{what[1:]} by iteration", Markup(svg), mark=_unsettled(results))


def _score_section(results: Sequence[Learnt]) -> Section:
    rows = []
    for result in results:
        last = np.array([view.scores[-1] for view in result.views])
        cells = [td(_mean(last[:, SCORES.index(name)])) for name in _SCORE_NAMES]
        rows.append(tr([th(result.label, scope="row"), *cells, td(count_text(len(result.views)))]))
    for label, scores in _baselines(results).items():
        cells = [td(value_text(float(getattr(scores, name)), 3)) for name in _SCORE_NAMES]
        rows.append(tr([th(f"baseline: {label}", scope="row"), *cells, td()]))
    inside = table(["Learner", *_SCORE_NAMES.values(), "runs"], rows, label="Scores", kind="plain")
    samples = ", of a sampler's last samples" if any(result.hue == "gibbs" for result in results) else ""
    remark = f"mean and sd over runs{samples}; not used to learn"
    return Section("Scores against the gold tags", inside, remark, wide=True, mark=_unsettled(results))


def _mean(values: np.ndarray) -> Markup:
    spread = f" ± {value_text(float(values.std(ddof=1)), 3)}" if values.size > 1 else ""
    return escape(value_text(float(values.mean()), 3) + spread)


def _states_section(corpus: Corpus, result: Learnt) -> Section:
    """Return a card with the most frequent words, and the tags, of each state of the first run."""
    view = result.views[0]
    states = view.tokens_per_state.size
    flat = corpus.words.astype(np.int64) * states + view.labels
    counts = np.bincount(flat, minlength=corpus.types * states).reshape(corpus.types, states)
    rows = []
    for state in np.argsort(-view.tokens_per_state, kind="stable")[:MOST_STATES]:
        total = int(view.tokens_per_state[state])
        if not total:
            continue
        best = np.argsort(-counts[:, state], kind="stable")[:MOST_WORDS]
        words = joined((isolated(corpus.vocabulary[w]) for w in best if counts[w, state]), ", ")
        cells = [
            th(result.names.get(int(state), f"state {state}"), scope="row"),
            td(f"{total:,}"),
            td(words, "words"),
        ]
        if corpus.tags is not None:
            row = view.table[state]
            shares = [
                isolated(corpus.tagset[t]) + f" {100 * row[t] / total:.0f} %"
                for t in np.argsort(-row)[:3]
                if row[t]
            ]
            cells.append(td(joined(shares, ", ")))
        rows.append(tr(cells))
    heads = [
        "State",
        "Tokens",
        th("Most frequent words", "words"),
        *(["Gold tags"] if corpus.tags is not None else []),
    ]
    inside = element(
        "div", table(heads, rows, label=f"States of {result.label}", kind="plain"), class_="scroll"
    )
    title = f"States of {result.label}"
    return Section(title, inside, result.point, wide=True, mark=result.unsettled)
