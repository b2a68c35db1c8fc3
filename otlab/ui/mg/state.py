"""State of the grammar lab: document, results of learning, and the probabilities in force.

Every edit is parsed again (only what it touches); after a first run it is also learnt again at
once, if that takes a moment only. No Panel in here.
A learner can be slowed down (:class:`Throttled`) so that a class can watch it: fifty iterations over
a small corpus take a millisecond. The numbers stay the same.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab.errors import InputError
from otlab.inference import conclude, run
from otlab.inference.run import check_interrupt, others_wait
from otlab.mg.learners.cross_check import comparison_table
from otlab.mg.learners.fit import make_learner
from otlab.mg.learners.snapshot import dirichlet_intervals
from otlab.mg.learners.symmetry import symmetry_warning
from otlab.mg.lexicon import normalise
from otlab.mg.parsing.parse import Parse, parse
from otlab.mg.parsing.prefix import well_formed_mass
from otlab.ui.fields import values_of
from otlab.ui.mg.document import GrammarDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    import pandas as pd

    from otlab.inference import Run, Tick
    from otlab.mg.learners.corpus_learner import Init
    from otlab.mg.learners.draws import GibbsPosterior
    from otlab.mg.learners.em import EM, MAP
    from otlab.mg.learners.gibbs import Gibbs
    from otlab.mg.learners.induction import Induction
    from otlab.mg.learners.snapshot import Snapshot
    from otlab.mg.learners.vb import VB
    from otlab.mg.lexicon import Lexicon
    from otlab.mg.spellout import SpellOut
    from otlab.ui.mg.comparison import ComparedTheories
    from otlab.ui.mg.document import Words
    from otlab.ui.mg.pool import LearntPool

    TabResults = tuple[ComparedTheories | None, LearntPool | None]

__all__ = ["MGState", "Throttled"]


@dataclass(frozen=True)
class Throttled:
    """A learner that waits after each iteration.

    Parameters
    ----------
    inner
        The learner.
    rest
        Seconds to wait after each iteration.
    """

    inner: VB | EM | MAP | Gibbs
    rest: float

    @property
    def name(self) -> str:
        """The learner's name."""
        return self.inner.name

    def init(self, rng: np.random.Generator) -> Any:
        """Return the learner's start."""
        return self.inner.init(rng)

    def step(self, rng: np.random.Generator, state: Any, n: int) -> Any:
        """Do `n` iterations, waiting after each, unless other runs wait for this one to end its turn."""
        for _ in range(n):
            state = self.inner.step(rng, state, 1)
            if not others_wait():
                time.sleep(self.rest)
            check_interrupt()
        return state

    def view(self, state: Any) -> Any:
        """Return the learner's view."""
        return self.inner.view(state)

    def finished(self, state: Any) -> bool:
        """Return whether the learner is finished."""
        return self.inner.finished(state)

    def conclude(self, run: Run[Any, Any], tick: Tick[Any], *, stopped: bool) -> Induction:
        """Return what the run has found, as the learner itself does."""
        return self.inner.conclude(run, tick, stopped=stopped)


# Node visits of a whole run that take about half a second.
LEARN_AGAIN_BELOW = 5_000_000
WATCHED_ITERATIONS, WATCHED_SECONDS = 1000, 2.0
# Fields of the run panel: how long, how many; of VB, EM and MAP, and of Gibbs.
_LENGTHS = (("iterations", "restarts"), ("sweeps", "chains"))


class MGState(GrammarDocument):
    """A lexicon, a corpus, what was learnt, and the selected sentence."""

    tab_result_names = "the comparison of theories", "the lexicon learnt from candidate items"

    inductions: dict[str, Induction] = param.Dict({}, doc="What each learner has found, by its name.")
    stale = param.String(doc="Why results no longer belong to the settings.")

    def __init__(self) -> None:
        super().__init__()
        self.wants_learning = False
        self._runs: dict[str, Run[Any, Any]] = {}
        self._ran_on = ""  # what these runs learnt from
        self._by_hand: set[str] = set()  # learners whose result is that of a run of the run panel

    # Spell-out.

    def set_spell_out(self, spell_out: SpellOut) -> None:
        """Choose how words are pronounced; the sentences of the corpus are pronounced so from now on."""
        counts, sentence = self._respelled(spell_out)
        self._rewrite("spell-out", spell_out=spell_out)
        self._count(counts)
        self.sentence, self.reading = sentence, 0

    def replace_lexicon(self, lexicon: Lexicon) -> None:
        """Load a lexicon written as text; sentences that it does not bring are pronounced by its table."""
        counts, sentence = self._respelled(lexicon.spell_out)
        before = self.base.spell_out
        super().replace_lexicon(lexicon)
        if lexicon.spell_out != before:
            if not lexicon.sentences:
                self._count(counts)
            self.sentence, self.reading = sentence, 0

    def _respelled(self, spell_out: SpellOut) -> tuple[Counter[Words], Words]:
        """Return the corpus and the selected sentence as another table pronounces them.

        Of several sequences of words that are pronounced as a sentence now, it is the most probable one.
        """
        counts: Counter[Words] = Counter()
        for words, n in self.counts.items():
            counts[spell_out.apply(self._unspelled(words))] += n
        return counts, spell_out.apply(self._unspelled(self.sentence))

    def _unspelled(self, words: Words) -> Words:
        if not self.lexicon.spell_out:
            return words
        try:
            best = self.parsed(words).best(1)
        except InputError:  # too large
            return words
        return best[0].derivation.words if best else words

    # Learning.

    def plan(
        self, learner: str, settings: dict[str, Any], *, watchable: bool = True
    ) -> Callable[[], Run[Any, Any]]:
        """Return a function that makes a run of one learner over the present corpus.

        Parameters
        ----------
        learner, settings
            Its name; values of the run panel's fields.
        watchable
            Whether it rests between iterations, so that a short run takes two seconds.

        Raises
        ------
        InputError
            Without the shortest move constraint; what is returned raises it without a parsed
            sentence.
        """
        if not self.smc:
            raise InputError(
                "without the shortest move constraint derivations are unbounded; switch it on to learn"
            )
        self.stale = ""
        if watchable:
            self._ran_on = self._written_out()
        # As in cross_check: chains from different starts, so that R-hat shows whether they agree.
        init: Init = "jitter" if learner == "gibbs" else settings["start"]
        sweeps, chains = (settings[name] for name in _LENGTHS[learner == "gibbs"])
        corpus, alphas = self.corpus, self.alphas()

        def make() -> Run[Any, Any]:
            made: Any = make_learner(learner, corpus, alphas, init=init)
            if watchable and learner != "gibbs" and sweeps <= WATCHED_ITERATIONS:
                # Chains beyond the second wait for one another.
                made = Throttled(made, WATCHED_SECONDS / sweeps / max(1.0, chains / 2))
            return run(made, sweeps=sweeps, seed=settings["seed"], chains=chains)

        return make

    def _written_out(self) -> str:
        return repr(self.learning_data())

    def run_context(self) -> tuple[str, bool]:
        """Return what the runs learnt from, and whether VB has learnt again since."""
        return self._ran_on, "vb" in self.inductions.keys() - self._by_hand

    def rows_shown(self) -> Collection[str]:
        """Return the learners whose runs have a result; not one that has learnt again by itself."""
        return self.inductions.keys() & self._by_hand

    def expect_runs(self, context: Any, runs: Mapping[str, Run[Any, Any]]) -> Collection[str]:
        """Show saved runs of this lexicon and corpus, and learn again where VB had done so."""
        if context is None:
            return []
        self._ran_on, again = context
        if self._ran_on == f"{self.text()}\n{sorted(self.counts.items())}":  # of an earlier version of otlab
            self._ran_on, again = self._written_out(), False
        shown = list(runs) if self._ran_on == self._written_out() else []
        if shown:
            self.inductions = {}
        if again and "vb" not in self.inductions:
            self.learn_again(values_of(self.settings))
        return shown

    def tab_results(self) -> TabResults | None:
        """Return the comparison of theories, and the lexicon learnt from candidate items."""
        found = self.theories.ended, self.pool.ended
        return None if found == (None, None) else found

    def put_tab_results(self, results: TabResults | None) -> None:
        """Show them again."""
        compared, learnt = results or (None, None)
        self.theories.put_ended(compared)
        self.pool.put_ended(learnt)

    def begun(self, learner: str, run: Run[Any, Any], *, by_hand: bool = True) -> None:
        """Store the run of a learner that has begun: of the run panel, if it is by hand."""
        self._runs[learner] = run
        self._by_hand = self._by_hand | {learner} if by_hand else self._by_hand - {learner}

    def take(self, ticks: dict[str, Tick[Any]]) -> None:
        """Store the results of the learners so far."""
        self.version += 1
        for name, tick in ticks.items():
            if all(len(view.theta) == len(self.lexicon) for view in tick.views):
                self.inductions[name] = cast("Induction", conclude(self._runs[name], tick))
        self.progress += 1

    def replay(self, ticks: dict[str, Tick[Any]], ended: bool) -> None:
        """Show the results at earlier ticks of the run that has ended, or at its last."""
        self.take(ticks)
        if ended:
            self.settled += 1

    def learn_again(self, settings: dict[str, Any]) -> None:
        """Learn from the changed grammar, corpus or prior at once if that is quick."""
        self.wants_learning = False
        try:
            visits = int(self.corpus.packed.node_ptr[-1]) * settings["iterations"] * settings["restarts"]
            if self.smc and visits < LEARN_AGAIN_BELOW:
                run = self.plan("vb", settings, watchable=False)()
                self.begun("vb", run, by_hand=False)
                self.take({"vb": run.finish()})
        except InputError:
            self.inductions.clear()

    def document_edited(self) -> None:
        """Delete the results; if VB was run, mark that the lab should learn again."""
        self.wants_learning = "vb" in self.inductions
        self.forget()

    def forget(self) -> None:
        """Delete the results."""
        self.version += 1
        self.inductions, self.stale = {}, ""

    def set_alpha(self, alpha: float, *, learning: bool = False) -> None:
        """Set the same pseudo-count for every item; results with another one are out of date."""
        super().set_alpha(alpha)
        self.stale = "from the old alpha, press Run" if self.inductions or learning else ""

    # Results and selection.

    @property
    def results(self) -> dict[str, Snapshot]:
        """The parameters, counts and traces that each learner has found."""
        return {name: induction.snapshot for name, induction in self.inductions.items()}

    @property
    def starts(self) -> tuple[np.ndarray, ...]:
        """The ELBO of each iteration, for each of VB's starts."""
        vb = self.inductions.get("vb")
        return () if vb is None else tuple(view.trace[:, 0] for view in vb.views)

    @property
    def main(self) -> Snapshot | None:
        """The result that trees, readings and probabilities follow: VB's, else another's."""
        return self.results.get(self.speaker)

    @property
    def speaker(self) -> str:
        """The name of the learner whose result that is; empty before there is one."""
        return next((n for n in ("vb", "map", "em", "gibbs") if n in self.inductions), "")

    @property
    def hue(self) -> str:
        """The colour token of that learner; ink before there is one."""
        return {"": "ink3", "map": "other"}.get(self.speaker, self.speaker)

    @property
    def theta(self) -> np.ndarray:
        """Probabilities of lexical items: learnt, or the prior mean."""
        return (
            self.main.theta
            if self.main is not None
            else normalise(self.alphas(), self.lexicon.category_index)
        )

    @property
    def point(self) -> str:
        """What these are: "prior mean", "posterior mean of VB, best of 5 restarts", "EM estimate"."""
        return self.inductions[self.speaker].point if self.speaker else "prior mean"

    @property
    def unsettled(self) -> str:
        """Why they may not be used yet; empty if they may, and before a run."""
        return self.inductions[self.speaker].unsettled if self.speaker else ""

    @property
    def sampled(self) -> GibbsPosterior | None:
        """The posterior that Gibbs has drawn, all chains pooled; None before there are draws."""
        gibbs = self.inductions.get("gibbs")
        return None if gibbs is None else gibbs.posterior

    def checked(self) -> pd.DataFrame | None:
        """Return VB's means and intervals beside those of Gibbs; None without both."""
        vb, sampled = self.inductions.get("vb"), self.sampled
        if vb is None or sampled is None or not sampled.draws.draws["theta"].size:
            return None
        return comparison_table(vb, self.inductions["gibbs"])

    def start_seed(self, number: int) -> int:
        """Return the seed that repeats one of VB's starts, numbered from 0, as a single start."""
        return self.inductions["vb"].seeds[number]

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the 95 % interval of each item's probability."""
        if self.speaker:
            low, high = self.inductions[self.speaker].intervals()
            return np.nan_to_num(low), np.nan_to_num(high, nan=1.0)
        return dirichlet_intervals(self.alphas(), self.lexicon.category_index)

    def parsed(self, words: Words) -> Parse:
        """Parse a sentence with the present probabilities.

        Raises
        ------
        InputError
            If its chart is too large.
        """
        return parse(self.grammar, words, theta=self.theta)

    def reading_entropy(self) -> float:
        """Return the mean entropy, in nats, of the readings of the corpus's parsed sentences."""
        corpus = self.corpus
        total = sum(
            corpus.counts[words] * self.parsed(words).reading_entropy()
            for words, n in zip(corpus.sentences, corpus.derivations, strict=True)
            if n > 1
        )
        return total / corpus.size if corpus.size else 0.0

    def well_formed_mass(self) -> float:
        """Return W at the present probabilities."""
        return well_formed_mass(self.grammar, self.theta)

    def symmetry(self) -> str:
        """Return the warning about items that VB has left tied; empty if there are none."""
        vb = self.inductions["vb"]
        return symmetry_warning(self.lexicon, vb.alpha, vb.snapshot.counts) or ""
