"""The tagging lab: watch EM, VB and Gibbs find hidden states, and the skew they give them.

::

    lab = TaggingLab("ewt")        # a notebook cell shows it; lab.page() is the page a server sends
    lab.corpus, lab.results["vb"].view, lab.results["vb"].model
"""

from __future__ import annotations

import io
import weakref
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.samples import sample_path
from otlab.tagging import Corpus, Normalize
from otlab.tagging.io.read import open_text, read
from otlab.ui.background import Aside
from otlab.ui.badge import Badge, TrustReport
from otlab.ui.cards import Html
from otlab.ui.lab import Lab
from otlab.ui.run_panel import RunPanel
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.matching import Named
from otlab.ui.tagging.results import score_by_max_marginal
from otlab.ui.tagging.settings import CORPORA
from otlab.ui.tagging.state import TaggingState, open_corpus
from otlab.ui.tagging.trust import stats, trust_report
from otlab.ui.tagging.upload import Source
from otlab.ui.tagging.view import TaggingView
from otlab.viz.tagging.prior import prior_advice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.inference import Tick
    from otlab.tagging.scores import Scores
    from otlab.ui.tagging.results import Result
    from otlab.viz.base.tokens import Tokens

__all__ = ["TaggingLab"]

MOST_KEPT_WORDS = 100_000
# Johnson's point on 32,228 words instead of 1.17 million: his own start, and a prior whose total per
# state stands to the tokens per state as his does. Over twelve seeds the six biggest states hold 27 to
# 33 % of tokens under EM and 46 to 54 % under VB; the six most frequent gold tags hold 49 %.
_PAPERS_POINT = {"states": 50, "emission_prior": 0.015, "start": "jitter"}
# Example -> (corpus, settings, lanes ticked).
_EXAMPLES: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "ewt": ("ewt_sample", {**_PAPERS_POINT, "iterations": 100, "runs": 3}, {"em", "vb"}),
    "classroom": ("ewt_sample", {**_PAPERS_POINT, "iterations": 60, "runs": 2}, {"em", "vb"}),
    "gibbs": ("ewt_sample", {"states": 50, "iterations": 300, "runs": 2}, {"gibbs"}),
    "simulated": ("simulated", {"states": 12, "iterations": 100, "runs": 3}, {"em", "vb"}),
}
_TITLES = {
    "ewt": "EWT sample, 50 states",
    "classroom": "Classroom: EM against VB in 10 seconds",
    "gibbs": "EWT sample by Gibbs sampling",
    "simulated": "Simulated corpus, 12 states",
}


class TaggingLab(Lab):
    """One reader's tagging lab.

    Parameters
    ----------
    corpus
        A corpus, a file, or a shipped sample by name or a unique beginning of it.

    Raises
    ------
    InputError
        If the file has faults, or there is no such sample.
    """

    title, route = "Tagging", "tagging_lab"
    noun = "corpus"

    def __init__(self, corpus: Corpus | str | Path = "ewt") -> None:
        super().__init__()
        given = corpus if isinstance(corpus, Corpus) else _found(corpus)
        self.state = TaggingState(given)
        self.settings = self.state.settings
        self._hint = Html("", PAGE_CSS, sizing_mode="stretch_width")
        self.runner: RunPanel = RunPanel(
            self.state.lanes(),
            self.settings,
            on_start=self._starting,
            on_ticks=self._ticked,
            on_end=self._ended,
            on_reset=self._forget,
            trust=self._trust,
            untold=TrustReport(Badge("Too early to say"), stats(None)),
            title="Learners",
            extra=[self._hint],
        )
        self.source: Source | None = None  # the file that is open
        self._views: weakref.WeakSet[TaggingView] = weakref.WeakSet()
        self._scoring = Aside()
        self.example = "ewt" if given.name.startswith("ewt_sample") else ""
        if self.example:
            self.settings.set(**_EXAMPLES[self.example][1])
        else:
            self.own_name = given.name or "Your text"
            self.settings.set(corpus="own")
        self.settings.on_change(self._setting_changed)
        self._advise()

    @property
    def corpus(self) -> Corpus:
        """The corpus as it is now."""
        return self.state.corpus

    @property
    def results(self) -> dict[str, Result]:
        """The present or last run's results by estimator: em, vb, gibbs."""
        return self.state.results

    def examples(self) -> Mapping[str, str]:
        """Return the corpora and settings to begin with."""
        return _TITLES

    def load(self, example: str) -> None:
        """Show a corpus with settings that suit it."""
        corpus, settings, lanes = _EXAMPLES[example]
        self.runner.enable(lanes)
        self.state.settings.reset()
        self.state.settings.set(**settings)
        self._show_corpus(open_corpus(corpus))
        self.source = None
        self.state.settings.set(corpus=corpus)

    def main(self) -> Any:
        """Return a fresh view."""
        view = TaggingView(self, self.tokens)
        self._views.add(view)
        return view.layout()

    def open_file(self, name: str, data: bytes) -> None:
        """Show the corpus of a file."""
        self.open_corpus(open_text(io.BytesIO(data), name).corpus(), Source(name, data))

    def open_corpus(self, corpus: Corpus, source: Source | None = None) -> Callable[[], None]:
        """Show any corpus, and keep the file it was read from; return what brings the last one back."""
        undo = self._way_back(self.state.settings["corpus"])
        self._show_corpus(corpus)
        self.source = source
        self.state.settings.set(corpus="own")
        self.param.update(example="", own_name=corpus.name or "Your text")
        self.loaded()
        return undo

    def _way_back(self, corpus_chosen: str) -> Callable[[], None]:
        """Return what brings back corpus, results and names of now; `corpus_chosen` is the setting."""
        before, kept = self.state.snapshot(), self.source
        example, name, clean = self.example, self.own_name, self._clean

        def undo() -> None:
            self._show_corpus(before.corpus)
            self.state.bring_back(before)
            self.source, self._clean = kept, clean
            self.state.settings.set(corpus=corpus_chosen)
            self._each("results_changed")
            self._each("selected")
            self.param.update(example=example, own_name=name)
            self.changed()

        return undo

    def document(self) -> Mapping[str, Any]:
        """Return the corpus, and under "view" the file it was read from and the names of states."""
        return {"corpus": self.corpus, "view": (self.source, self.state.named())}

    def open_document(self, document: Mapping[str, Any]) -> None:
        """Show a corpus, or go on with the one that is open; names of states wait for the next run."""
        source, named = document["view"]
        if document["corpus"] is not None:
            self._show_corpus(document["corpus"])
            self.source = source
            self.state.settings.set(corpus="own")
        self.state.expect_names(named)

    def written(self, document: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return names of states, and sentences of words and tags; None for more than 100,000 words.

        An example that is open as it is stands by its name alone.
        """
        corpus = document["corpus"]
        names = {lane: named.to_dict() for lane, named in document["view"][1].items()}
        if self.example and self._clean is not None and corpus is self._clean["corpus"]:
            return {"names": names}
        if corpus.tokens > MOST_KEPT_WORDS:
            return None
        sentences = [[list(token) if token[1] else token[0] for token in sentence] for sentence in corpus]
        return {"names": names, "sentences": sentences, "normalize": asdict(corpus.normalize)}

    def read_back(self, written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """Return the corpus of sentences, if there is one, and the names."""
        named = {str(lane): Named.from_dict(each) for lane, each in written.get("names", {}).items()}
        if "sentences" not in written:
            return {"corpus": None, "view": (None, named)}
        sentences = [[t if isinstance(t, str) else tuple(t) for t in s] for s in written["sentences"]]
        corpus = Corpus.from_sentences(sentences, name)
        corpus = replace(corpus, normalize=Normalize(**written["normalize"]))
        return {"corpus": corpus, "view": (None, named)}

    def came_back(self) -> str:
        """Return what the toast says when the browser has brought back what it kept."""
        if self.own_name or not self.state.named():
            return super().came_back()
        return "Names of states are kept: the next run takes them over"

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        for view in self._views:
            view.recolor(tokens)

    def close(self) -> None:
        """End every job; called when the page goes away."""
        self.state.table.stop()
        super().close()

    # What the views ask for.

    def select(self, state: int) -> None:
        """Look at one state everywhere; again at none if it is the one looked at."""
        self.state.selected = -1 if state == self.state.selected else state
        self._each("selected")

    def name_state(self, state: int, name: str) -> None:
        """Call a state something, in every plot and export; nothing takes the name away."""
        result = self.state.result
        if result is None:
            return
        if name:
            result.names[state] = name
        else:
            result.names.pop(state, None)
            if not result.names:
                self.state.forget_names(result.lane)
        self._each("selected")
        self.changed()

    def look_at(self, lane: str) -> None:
        """Show another learner's states and scores."""
        if lane != self.state.shown:
            self.state.shown, self.state.selected = lane, -1
            self.runner.look_again()
            self._each("results_changed")
            self._each("selected")

    def pin(self) -> None:
        """Keep the curve of the run looked at."""
        kept = self.state.pin()
        if kept is not None:
            self.toast(f"The curve of {kept.label} is kept", self._unpin)
            self._each("results_changed")

    def continue_as_vb(self) -> None:
        """Run VB from the labels of the run looked at."""
        result = self.state.result
        if result is None or not result.views:
            return
        self.state.continue_from(result.view.labels)
        ticked = set(self.runner.runner.enabled)
        self.runner.enable({"vb"})
        self.runner.run()
        self.runner.enable(ticked)

    def _unpin(self) -> None:
        self.state.pinned.pop()
        self._each("results_changed")

    # What the run panel tells.

    def _starting(self) -> None:
        enabled = self.runner.runner.enabled
        self.state.starting(enabled)
        self.state.lanes_at_once = max(1, len(enabled))
        if self.state.shown not in enabled and enabled:
            self.state.shown = next(name for name in self.runner.runner.lanes if name in enabled)

    def _ticked(self, ticks: dict[str, Tick[Any]]) -> None:
        self.state.take(ticks)
        self._each("ticked")

    def _ended(self, how: str) -> None:
        if how == "done":
            self.state.finish({name: job.run for name, job in self.runner.runner.jobs.items()})
        self._carry_names()
        self._each("ended")
        self._score_twice()

    def _carry_names(self) -> None:
        """Give the states of a run that has ended the names of the run before."""
        results, carried, lost = self.state.carry_names()

        def undo() -> None:
            for result in results:
                result.names.clear()
            self._each("selected")
            self.changed()

        left = f"; {lost} found no state with half of its tokens" if lost else ""
        if carried:
            said = (
                f"{carried} name{'s' if carried > 1 else ''} carried over from the last run, by shared tokens"
            )
            self.toast(said + left, undo)
        elif lost:
            self.toast(f"Names of the last run not carried over{left}")

    def _score_twice(self) -> None:
        """Score a finished sample by its parameters' most probable states, too."""
        result = self.results.get("gibbs")
        if result is None or result.model is None:
            return
        model = result.model

        def keep(scores: Scores | None) -> None:
            result.max_marginal = scores
            self.runner.look_again()

        self._scoring.do(lambda: score_by_max_marginal(result, model), keep)

    def _trust(self) -> TrustReport | None:
        result = self.state.result
        if result is None or not result.views:
            return None
        return trust_report(result)

    def _forget(self) -> None:
        self.state.clear()
        self._each("results_changed")
        self._each("selected")

    def _setting_changed(self, name: str, value: Any) -> None:
        if name == "corpus" and value != "own" and open_corpus(value).name != self.corpus.name:
            self._switch_corpus(value)
        elif name == "corpus" and value == "own" and self._views:
            for view in self._views:
                view.go("Data")
        self._advise()

    def _switch_corpus(self, sample: str) -> None:
        """Show the sample that the setting asks for; what is lost can be brought back."""
        was = self.corpus.name or "Your text"
        losing = bool(self.own_name or self.state.results)
        shown = (value for value in CORPORA if value != "own" and open_corpus(value).name == was)
        undo = self._way_back("own" if self.own_name else next(shown, "own"))
        self._show_corpus(open_corpus(sample))
        self.source = None
        self.param.update(example="", own_name="")
        self.loaded()
        if losing:
            self.toast(f"{CORPORA[sample]} is open in place of {was}", undo)

    def _show_corpus(self, corpus: Corpus) -> None:
        self.runner.reset()
        self.state.load(corpus)
        self._advise()
        self._each("results_changed")
        self._each("selected")

    def _advise(self) -> None:
        corpus, settings = self.corpus, self.state.settings
        advice = prior_advice(corpus.types, corpus.tokens, settings["states"], settings["emission_prior"])
        self._hint.show(f'<div class="hint"><b>Hint for VB.</b> {advice}</div>')

    def _each(self, what: str) -> None:
        with pn.io.hold():
            for view in self._views:
                getattr(view, what)()


def _found(name: str | Path) -> Corpus:
    path = Path(name)
    return read(path if path.is_file() else sample_path(str(name), "tagging"))
