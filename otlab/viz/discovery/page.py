"""A result of the lexicon lab as one page of HTML: utterances cut at a threshold, and the words found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.learners import MODELS
from otlab.errors import counted
from otlab.html import Markup, element, escape, table, td, th, tr
from otlab.inference.rest import unrest
from otlab.viz.base.chart_svg import Axis, Line, chart
from otlab.viz.base.numbers import nats_text
from otlab.viz.base.page import Section, live_part, page, provenance_sections

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.learners.fitted import LexiconFitted
    from otlab.discovery.learners.view import DiscoveryView

__all__ = ["fit_page", "point_of", "result_page", "segments_section", "words_section"]

_NOISY = ("mcmc", "online")  # their objective goes up and down
MOST_UTTERANCES = 300
MOST_WORDS = 300


def fit_page(fit: LexiconFitted) -> str:
    """Return the best chain of a fit, such as ``discovery.discover(...).fitted``, as one page of HTML."""
    learner: Any = fit.learner
    chain = fit.best()
    versions = ", ".join(f"{package} {version}" for package, version in fit.versions.items())
    settings = {name: str(value) for name, value in fit.settings.items()}
    made = {**settings, "seed": str(fit.seeds[chain]), "versions": versions}
    view = fit.views[chain]
    word = learner.grammar.word
    name = fit.learner.name
    point = point_of(name, chain, fit.chains)
    return result_page(
        learner.corpus, view, word, fit.threshold, made={name: made}, learner=name, point=point
    )


def point_of(learner: str, restart: int, restarts: int) -> str:
    """Return what is shown of several restarts.

    >>> point_of("batch", 1, 5), point_of("mcmc", 0, 1), point_of("batch", 0, 1)
    ('restart 2 of 5', 'last sample', '')
    """
    which = f"restart {restart + 1} of {restarts}" if restarts > 1 else ""
    return " of ".join(filter(None, ["last sample" if learner == "mcmc" else "", which]))


def _unsettled(view: DiscoveryView, learner: str, phones: int) -> str:
    """Return why a learner's words may not be used yet; empty for a baseline, which learns nothing."""
    if learner not in MODELS:
        return ""
    traces = np.asarray(view.objective, float)[None]
    return unrest(traces, phones, sampler=learner in _NOISY)


def result_page(
    corpus: Corpus,
    view: DiscoveryView,
    symbol: str,
    threshold: float = 0.5,
    *,
    ends: np.ndarray | None = None,
    made: Mapping[str, Mapping[str, str]] | None = None,
    link: str = "",
    title: str = "",
    learner: str = "",
    point: str = "",
) -> str:
    """Return the result of a lexicon learner as one self-contained page of HTML.

    Parameters
    ----------
    corpus
        The text.
    view
        A snapshot of the learner.
    symbol
        The grammar symbol whose strings are words.
    threshold
        The initial threshold of boundary probabilities; a slider changes it.
    ends : ndarray of shape (phones,), optional
        Probability that a word ends after each phone; if None, that of the view.
    made
        Seed, settings and versions that reproduce each learner's run.
    link
        Path and query with which the lexicon lab opens the same text and settings; no link if empty.
    title
        Heading of the page; the title or name of the data if empty.
    learner
        Name of the learner in the registry; empty for none.
    point
        Which restart, or sample, the view is, see :func:`point_of`.
    """
    mark = _unsettled(view, learner, corpus.phones.size)
    ends = view.ends if ends is None else ends
    shown = min(len(corpus), MOST_UTTERANCES)
    left = len(corpus) - shown
    edges = [("found", "hit"), ("not in gold", "false"), ("missed", "missed")]
    if corpus.gold is None:
        edges = [("found", "open")]
    legend = Markup("")
    for words, kind in edges:
        bar = element("span", element("i", class_=kind, style="height:14px"), class_="gap")
        legend += element("span", bar + escape(f"boundary {words}"))
    data = _cut(corpus, ends, shown, threshold)
    remark = (
        f"the first {shown:,} of {counted(len(corpus), 'utterance')}" if left else counted(shown, "utterance")
    )
    mean = point.replace("last sample", "mean of samples")
    remark = ", ".join(filter(None, [remark, mean]))
    live = (("segments", data),)
    sections = [
        Section("Segmentation", live_part("segments"), remark, legend, wide=True, live=live, mark=mark),
        words_section(corpus, view, symbol, point=point, mark=mark),
        _objective_section(view, point, mark),
    ]
    sections += provenance_sections("lexicon lab", made, link)
    return page(
        title or corpus.title or corpus.name or "A text",
        sections,
        subtitle=f"Words found in {counted(len(corpus), 'utterance')} of "
        f"{counted(corpus.phones.size, 'phone')}",
    )


def _utterance(corpus: Corpus, ends: np.ndarray, u: int) -> dict[str, Any]:
    """Return phones, the probability of a boundary after each but the last, and the gold boundaries."""
    within = slice(int(corpus.offsets[u]), int(corpus.offsets[u + 1]) - 1)
    values: dict[str, Any] = {
        "phones": list(corpus.utterance(u)),
        "p": [round(float(p), 3) for p in np.nan_to_num(ends[within])],
    }
    if corpus.gold is not None:
        values["gold"] = [bool(edge) for edge in corpus.gold[within]]
    return values


def _cut(corpus: Corpus, ends: np.ndarray, most: int, threshold: float) -> dict[str, Any]:
    """Return the first utterances, and the threshold at which they are cut initially."""
    utterances = [_utterance(corpus, ends, u) for u in range(min(len(corpus), most))]
    return {"utterances": utterances, "threshold": threshold}


def segments_section(corpus: Corpus, ends: np.ndarray, threshold: float, most: int) -> Section:
    """Return a card with the first utterances, cut where boundaries are more probable than a threshold."""
    data = _cut(corpus, ends, most, threshold)
    remark = f"the first {len(data['utterances']):,} of {counted(len(corpus), 'utterance')}"
    return Section("Segmentation", live_part("segments"), remark, live=(("segments", data),))


def words_section(
    corpus: Corpus,
    view: DiscoveryView,
    symbol: str,
    most: int = MOST_WORDS,
    *,
    point: str = "",
    mark: str = "",
) -> Section:
    """Return a card with the most frequent words."""
    entries = view.words(symbol)
    gold = None
    if corpus.gold is not None:
        gold = {word for u in range(len(corpus)) for word in corpus.words(u, corpus.gold)}
    rows = []
    for entry in entries[:most]:
        cells = [th(entry.string, scope="row"), td(f"{entry.expected_count:,.1f}")]
        rows.append(
            tr([*cells, *([td("yes" if entry.string in gold else "no")] if gold is not None else [])])
        )
    heads = [
        "Word",
        "Uses" if point.startswith("last sample") else "Expected uses",
        *(["Gold word"] if gold is not None else []),
    ]
    inside = element("div", table(heads, rows, label="Words", kind="plain"), class_="scroll")
    remark = f"the {most} most used of {len(entries):,}" if len(entries) > most else f"{len(entries):,}"
    return Section("Words", inside, ", ".join(filter(None, [remark, point])), mark=mark)


def _objective_section(view: DiscoveryView, point: str, mark: str) -> Section:
    values = np.asarray(view.objective, float)
    at = np.unique(np.linspace(0, len(values) - 1, min(len(values), 500)).astype(int))
    sentence = f"Objective after each iteration; the last is {nats_text(float(values[-1]))} nats."
    svg = chart(
        [Line(at, values[at], "vb-edge")], Axis("iterations"), Axis("objective, nats"), description=sentence
    )
    chain = point.removeprefix("last sample").removeprefix(" of ")
    return Section("Objective", Markup(svg) + element("p", sentence), chain, mark=mark)
