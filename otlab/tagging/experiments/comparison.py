r"""Compare taggers with different numbers of states on the same text.

::

    compare(corpus, [10, 20, 30]) -> Comparison
        .rows        a StatesResult per learner and number of states
            .learner .states .states_used       "em", how many it may use, how many label a token
            .log_likelihood                     of the text learnt from, in nats
            .parameters .aic .bic               EM only: the others do not maximise the likelihood
            .free_energy                        VB only
            .perplexity                         of held-out sentences
            .v_measure                          against the tags; NaN without tags
        .chosen()    the number of states that each criterion chooses
        .summary()   one row per result         .to_dict()  as ``otlab tag --compare-states`` prints it

With s states, m words and n tokens EM has :math:`k = s^2 + s - 1 + s(m - 1)` free numbers (s of each
state's row of transitions, s - 1 of the boundary's, which is never followed by itself, and m - 1
emissions of each state); AIC = 2k - 2 ll, BIC = k ln n - 2 ll. The sentence numbered i is held out in
fold i mod `folds`, and :meth:`~otlab.tagging.model.Model.score` says how unseen words count;
perplexity is that of all folds together.
"""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from otlab.errors import InputError, Interrupted, check_options, counted, did_you_mean
from otlab.inference.executors import threads, worker_threads
from otlab.inference.fit import fit, versions
from otlab.inference.random import fresh_seed
from otlab.tagging.learners import LEARNERS
from otlab.tagging.learners.expectation import check_states

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd

    from otlab.inference.executors import Workers
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.model import Model
    from otlab.tagging.view import View

__all__ = ["CRITERIA", "Comparison", "StatesPlan", "StatesResult", "compare"]

CRITERIA = {"perplexity": 1, "aic": 1, "bic": 1, "free_energy": 1, "v_measure": -1}
"""Criteria for the number of states; -1 if the largest value is the best. V-measure looks at the tags."""


@dataclass(frozen=True)
class StatesResult:
    """One learner with one number of states; the module lists the attributes."""

    learner: str
    states: int
    states_used: int
    log_likelihood: float
    parameters: int
    aic: float
    bic: float
    free_energy: float
    perplexity: float
    v_measure: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Numbers of states compared on one text.

    Attributes
    ----------
    rows
        By learner, then number of states; fewer than asked for if stopped.
    seed
        Root seed of every run: a row is the run of `otlab tag` with its learner, states and this seed.
    settings
        Learners, numbers of states, iterations, chains, folds, and the learners' settings given.
    versions
        Of otlab, NumPy and Numba.
    stopped
        Whether it was stopped before its end.
    """

    rows: tuple[StatesResult, ...]
    seed: int
    settings: dict[str, Any]
    versions: dict[str, str]
    stopped: bool = False

    def __repr__(self) -> str:
        return f"<Comparison of {counted(len(self.rows), 'tagger')}, seed {self.seed}>"

    def chosen(self) -> dict[str, dict[str, int]]:
        """Return the best number of states by learner and criterion; the smallest one on a tie.

        Criteria that are not defined for a learner are left out.
        """
        return {
            learner: {
                criterion: best.states
                for criterion in CRITERIA
                if (best := self._best(learner, criterion)) is not None
            }
            for learner in dict.fromkeys(row.learner for row in self.rows)
        }

    def _best(self, learner: str, criterion: str) -> StatesResult | None:
        values = {
            row: CRITERIA[criterion] * value
            for row in self.rows
            if row.learner == learner and math.isfinite(value := getattr(row, criterion))
        }
        return min(values, key=lambda row: (values[row], row.states), default=None)

    def summary(self) -> pd.DataFrame:
        """Return a table with one row per learner and number of states."""
        import pandas as pd

        columns = [f.name for f in fields(StatesResult)]
        return pd.DataFrame([asdict(row) for row in self.rows], columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Return settings and seed of the comparison, its rows and its choices, as values for JSON."""
        return {
            "seed": self.seed,
            "settings": self.settings,
            "versions": self.versions,
            "compared": [asdict(row) for row in self.rows],
            "chosen": self.chosen(),
        }


def compare(
    corpus: Corpus,
    states: Sequence[int],
    learners: str | Sequence[str] = ("em", "vb"),
    *,
    watch: Callable[[float], object] | None = None,
    **options: Any,
) -> Comparison:
    """Fit taggers with different numbers of states and return their scores.

    Parameters
    ----------
    corpus
        The text; gold tags are used by V-measure only.
    states
        Numbers of states.
    learners
        Names in :data:`~otlab.tagging.LEARNERS`.
    watch
        Called with the share done. A true answer stops there, as does Ctrl-C; finished rows are returned.
    **options
        ``iterations`` (100), updates of each run; ``chains`` (1), runs from different starts, of which the
        one with the best objective counts; ``folds`` (5), parts of the text that are each held out once, 0
        for no perplexity; ``seed``, a fresh one if None; ``threads``, one per core if None, which change no
        number: the ``folds + 1`` fits of each row are runs of their own. And settings of the learners, as
        named on the command line: ``emission_prior=0.01``, ``precision="f32"``. Each takes those it has.

    Raises
    ------
    InputError
        If there are no numbers of states, no such learner or setting, or not as many sentences as folds.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> found = compare(corpus, states=[2, 3], iterations=5, folds=2, seed=1)
    >>> found
    <Comparison of 4 taggers, seed 1>
    """
    plan = StatesPlan.of(corpus, states, learners, **options)
    with threads(min(plan.threads, plan.fits)) as workers:
        return plan.compare(workers, None if watch is None else lambda done, _: watch(done / plan.fits))


def _measured(
    which: tuple[int, int],
    shared: tuple[StatesPlan, list[tuple[Corpus, Corpus | None]]],
    stopping: Callable[[], bool],
    *,
    threads: int,
) -> StatesResult | float:
    """Do one fit of a row, which is one run of a plan, and return its scores."""
    plan, texts = shared
    text, held_out = texts[which[1]]
    learner = replace(plan.learner(which[0], text), threads=threads)
    fitted: Any = fit(
        learner,
        steps=plan.iterations,
        chains=plan.chains,
        seed=plan.seed,
        threads=threads,
        watch=lambda _: stopping(),
    )
    if fitted.stopped:
        raise Interrupted("the comparison was stopped")
    best = fitted.best()
    return plan.measure(learner, fitted.views[best], fitted.model_of(best), held_out, threads)


def _check(
    corpus: Corpus, sizes: tuple[int, ...], names: tuple[str, ...], folds: int, settings: dict[str, Any]
) -> None:
    if not sizes or not names:
        raise InputError("there is nothing to compare; give numbers of states and a learner")
    for size in sizes:
        check_states(size, None, corpus)
    for name in names:
        if name not in LEARNERS:
            raise InputError(f"there is no learner {name!r}; {did_you_mean(name, list(LEARNERS))}")
    known = {key for name in names for key in LEARNERS[name].settings.param} - {"name", "states"}
    for name in names:
        if "new_states" in LEARNERS[name].settings.param:
            raise InputError(f"{name} finds its number of states, so none can be compared; leave it out")
    check_options("compare", settings, [*sorted(known), "iterations", "chains", "folds", "seed", "threads"])
    if folds and corpus.sentences < 2:
        raise InputError(
            f"{counted(folds, 'fold')}: the text has one sentence, and none can be held out; write 0"
        )
    if folds and not 2 <= folds <= corpus.sentences:
        raise InputError(
            f"{counted(folds, 'fold')}: write 0, or from 2 to the {corpus.sentences} sentences of the text"
        )


@dataclass(frozen=True, eq=False)
class StatesPlan:
    """A comparison to be made: a task for each fit of a row; :meth:`of` checks what is asked.

    The workers are those of a sweep. A fit is no run of a sweep's plan, because it is scored on sentences
    held out of its text, which no specification names.

    Attributes
    ----------
    corpus, iterations, chains, folds, seed, threads, settings
        As for :func:`compare`.
    wanted
        Learner and number of states of each row.
    """

    corpus: Corpus
    wanted: tuple[tuple[str, int], ...]
    iterations: int
    chains: int
    folds: int
    seed: int
    threads: int
    settings: dict[str, Any]

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        states: Sequence[int],
        learners: str | Sequence[str] = ("em", "vb"),
        *,
        iterations: int = 100,
        chains: int = 1,
        folds: int = 5,
        seed: int | None = None,
        threads: int | None = None,
        **settings: Any,
    ) -> StatesPlan:
        """Return the comparison that :func:`compare` makes; its parameters and errors are these."""
        names = (learners,) if isinstance(learners, str) else tuple(dict.fromkeys(learners))
        sizes = tuple(sorted(set(states)))
        _check(corpus, sizes, names, folds, settings)
        for what, number, least in (("iterations", iterations, 0), ("chains", chains, 1)):
            if number < least:
                raise InputError(f"{number} {what}: there must be {least} or more")
        seed = fresh_seed() if seed is None else seed
        wanted = tuple((name, size) for name in names for size in sizes)
        return cls(corpus, wanted, iterations, chains, folds, seed, worker_threads(threads), settings)

    @property
    def fits(self) -> int:
        """The number of fits: of each row one of the whole text, and one for each fold."""
        return len(self.wanted) * (self.folds + 1)

    def compare(
        self, workers: Workers, watch: Callable[[int, Comparison], object] | None = None
    ) -> Comparison:
        """Return the comparison, its fits done side by side by workers.

        Parameters
        ----------
        workers
            Where they are done.
        watch
            Called with the number of fits that are finished, in their order, and the comparison so far. A
            true answer stops there, as does Ctrl-C; finished rows are returned.
        """
        texts = self.texts()
        tasks = [(row, fit) for row in range(len(self.wanted)) for fit in range(len(texts))]
        function = partial(_measured, threads=max(1, self.threads // min(workers.count, len(tasks))))
        outcomes: dict[tuple[int, int], Any] = {}
        known, asked, rows = 0, False, list[StatesResult]()
        try:
            with closing(workers.run(function, tasks, {None: (self, texts)})) as ended:
                for which, future in ended:
                    outcomes[which] = future.result()
                    while not asked and known < len(tasks) and tasks[known] in outcomes:
                        row, fit = tasks[known]
                        known += 1
                        if fit == len(texts) - 1:
                            rows.append(self.row([outcomes[row, each] for each in range(len(texts))]))
                        asked = bool(watch and watch(known, self.comparison(rows)))
                    if asked:
                        break
        except KeyboardInterrupt:
            if watch is None:
                raise
        return self.comparison(rows)

    def texts(self) -> list[tuple[Corpus, Corpus | None]]:
        """Return the text of each fit of a row, and the sentences held out; first the whole text and None."""
        return [(self.corpus, None), *fold_pairs(self.corpus, self.folds)]

    def learner(self, row: int, text: Corpus) -> Any:
        """Return the learner of a fit.

        Raises
        ------
        InputError
            If one of its settings is out of range.
        """
        name, states = self.wanted[row]
        entry = LEARNERS[name]
        own = {key: value for key, value in self.settings.items() if key in entry.settings.param}
        try:
            chosen = entry.settings(states=states, **own)
        except ValueError as error:
            raise InputError(str(error)) from error
        return replace(entry.make(text, chosen), threads=self.threads)

    def measure(
        self, learner: Any, view: View, model: Model, held_out: Corpus | None, threads: int
    ) -> StatesResult | float:
        """Return the scores of the best chain of a fit.

        Of the whole text, the row without its perplexity; of a fold, the log probability of the sentences
        held out, in nats.
        """
        if held_out is None:
            return self._of_whole_text(learner, view, model, threads)
        return model.score(held_out, threads)

    def row(self, outcomes: Sequence[Any]) -> StatesResult:
        """Return a row from the scores of its fits, that of the whole text first."""
        whole, *held_out = outcomes
        # Added in order, so that every version of Python gives the same sum.
        log_probability = float(np.cumsum([0.0, *held_out])[-1])
        tokens = self.corpus.tokens + self.corpus.sentences
        perplexity = math.exp(-log_probability / tokens) if held_out else math.nan
        return replace(cast("StatesResult", whole), perplexity=perplexity)

    def comparison(self, rows: Sequence[StatesResult]) -> Comparison:
        """Return the comparison with the rows that are finished."""
        given = {
            "learners": list(dict.fromkeys(name for name, _ in self.wanted)),
            "states": list(dict.fromkeys(size for _, size in self.wanted)),
            "iterations": self.iterations, "chains": self.chains, "folds": self.folds, **self.settings,
        }  # fmt: skip
        return Comparison(tuple(rows), self.seed, given, versions(), stopped=len(rows) < len(self.wanted))

    def _of_whole_text(self, learner: Any, view: View, model: Model, threads: int) -> StatesResult:
        """Return the row of the fit of the whole text, without perplexity."""
        log_likelihood = replace(model, unseen=0.0).score(self.corpus, threads)
        free = free_parameters(
            self.corpus.types, learner.states, getattr(learner, "allowed", None), model.weights.order
        )
        likely = view.learner in ("em", "em-trigram")  # whose parameters maximise the likelihood
        return StatesResult(
            learner=view.learner,
            states=learner.states,
            states_used=view.states_used,
            log_likelihood=log_likelihood,
            parameters=free,
            aic=2 * free - 2 * log_likelihood if likely else math.nan,
            bic=free * math.log(self.corpus.tokens) - 2 * log_likelihood if likely else math.nan,
            free_energy=float(view.objective[-1]) if view.learner.startswith("vb") else math.nan,
            perplexity=math.nan,
            v_measure=view.final.v_measure,
        )


def free_parameters(types: int, states: int, allowed: np.ndarray | None = None, order: int = 1) -> int:
    """Return the number of free parameters of a tagger; a tag dictionary leaves fewer emissions.

    Of order 2 (trigrams), each pair of states has a row of transitions.

    >>> free_parameters(types=5, states=2)
    13
    """
    emissions = states * (types - 1) if allowed is None else int(np.maximum(allowed.sum(0) - 1, 0).sum())
    transitions: int = sum(states**power for power in range(1, order + 2)) - 1
    return transitions + emissions


def fold_pairs(corpus: Corpus, folds: int) -> Iterator[tuple[Corpus, Corpus]]:
    """Yield, for each fold, the corpus without its sentences and that of its sentences."""
    fold = np.arange(corpus.sentences) % max(1, folds)
    for number in range(folds):
        yield corpus.select(fold != number), corpus.select(fold == number)
