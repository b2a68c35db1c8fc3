"""Find words: fit a learner from one or several starts and choose among the runs.

::

    corpus, grammar --LEARNERS--> learner --fit--> LexiconFitted per restart --rule--> Discovered
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from otlab.discovery.corpus import Corpus
from otlab.discovery.learners import LEARNERS
from otlab.discovery.learners.choose import check_rule, choose, with_agreement
from otlab.discovery.learners.starts import starts_named
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import load_grammar
from otlab.errors import Fault, InputError, check_data, check_options, counted, did_you_mean
from otlab.inference.fit import fit
from otlab.inference.notebook import result_html
from otlab.inference.random import fresh_seed, run_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from otlab.discovery.grammar import Grammar
    from otlab.discovery.learners.choose import Candidate
    from otlab.discovery.learners.fitted import Decoding, LexiconFitted
    from otlab.discovery.learners.learner import LexiconLearner, LexiconSettings
    from otlab.discovery.learners.starts import Start
    from otlab.discovery.learners.view import DiscoveryView, Entry
    from otlab.discovery.scores import Scores
    from otlab.inference import Tick

    Watch = Callable[[int, Tick[DiscoveryView]], object]

__all__ = ["Discovered", "discover", "make_learner"]

HELD_OUT = 10
"""Each tenth utterance is held out for the rule of that name."""


@dataclass(frozen=True, eq=False, repr=False)
class Discovered:
    """The runs of one learner, and the one that a rule chooses without gold.

    Attributes
    ----------
    fits
        Each restart, in order.
    rule
        What chooses among them.
    seed
        The root seed.
    stopped
        Whether the user stopped before the last restart ended.
    """

    fits: tuple[LexiconFitted, ...]
    rule: str
    seed: int
    stopped: bool = False

    def __repr__(self) -> str:
        token = f", token F {self.scores.token.f:.3f}" if self.scores is not None else ""
        run = f"run {self.chosen + 1} of {len(self.fits)} by {self.rule}"
        return f"<Discovered: {counted(len(self.lexicon), 'word')}, {run}{token}>"

    def _repr_html_(self) -> str:
        import pandas as pd

        rows = [(entry.string, entry.expected_count) for entry in self.lexicon]
        return result_html(repr(self), pd.DataFrame(rows, columns=["word", "expected count"]).round(1))

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """Figures by which the rules choose, for each restart."""
        candidates = [candidate for fitted in self.fits for candidate in fitted.candidates]
        learner: Any = self.fits[0].learner
        return with_agreement(
            candidates, learner.corpus, [ends for f in self.fits for ends in f.segmentations]
        )

    @property
    def chosen(self) -> int:
        """The number of the restart that the rule prefers."""
        return self.best(self.rule)

    def best(self, rule: str) -> int:
        """Return the number of the restart that a rule prefers; the first one on a tie."""
        return choose(self.candidates, rule)

    @property
    def fitted(self) -> LexiconFitted:
        """The chosen restart."""
        return self.fits[self.chosen]

    @property
    def view(self) -> DiscoveryView:
        """The last snapshot of the chosen restart."""
        return self.fitted.view

    @property
    def ends(self) -> np.ndarray:
        """Word ends of the chosen restart: bool ndarray of shape (phones,)."""
        return self.fitted.segmentations[0]

    @property
    def lexicon(self) -> tuple[Entry, ...]:
        """The words of the chosen restart, most used first."""
        return self.fitted.lexicon()

    @property
    def scores(self) -> Scores | None:
        """Scores of the chosen restart against gold; None without gold."""
        return self.candidates[self.chosen].scores

    def to_dict(self) -> dict[str, Any]:
        """Return objective, scores, lexicon and choice, as values for JSON."""
        view, scores = self.view, self.scores
        note = "the text has no blanks: there is no gold to compare with"
        return {
            "objective": view.objective.tolist(),
            "scores": scores.as_dict() if scores else None,
            **({} if scores else {"scores_note": note}),
            "lexicon": [{"string": e.string, "expected_count": e.expected_count} for e in self.lexicon],
            "choice": {
                "rule": self.rule,
                "chosen": self.chosen,
                "candidates": [
                    {**asdict(c), "scores": c.scores.as_dict() if c.scores else None} for c in self.candidates
                ],
            },
            "hyperparameters": {
                name: {"concentration": a, "discount": b} for name, (a, b) in view.hyperparameters.items()
            },
            **self._edits(),
        }

    def _edits(self) -> dict[str, Any]:
        """Return the means of a channel's edits; empty for a learner without a channel."""
        learner: Any = self.fitted.learner
        return self.view.edits.to_dict(learner.corpus.symbols) if self.view.edits else {}


def discover(
    corpus: Corpus,
    grammar: Grammar | str = "word",
    learner: str = "batch",
    *,
    restarts: int = 1,
    rule: str = "bigram",
    threshold: float = 0.5,
    decoding: Decoding = "threshold",
    seed: int | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
    **settings: Any,
) -> Discovered:
    """Learn words from several starts and choose one run without gold.

    Parameters
    ----------
    corpus
        The text; its gold edges are used for scores only.
    grammar
        A grammar, the name of a preset, or a file.
    learner
        A name of :data:`~otlab.discovery.learners.LEARNERS`.
    restarts
        Runs; run k of seed s is the run of one restart from ``run_seed(s, k)``.
    rule
        What chooses among them; see :mod:`otlab.discovery.learners.choose`. With ``"held-out"``
        each tenth utterance is left out of learning (batch only).
    threshold
        Posterior above which a place is a boundary, in (0, 1).
    decoding
        ``"threshold"`` or ``"minimum-risk"`` (batch and mcmc).
    seed
        Root seed; a fresh one if None.
    threads
        One per core if None. The numbers do not depend on it.
    watch
        Called with the number of the restart and each of its ticks; a true answer stops the
        run. What was found until then is returned; after Ctrl-C too, while a run is watched.
    **settings
        Of the learner: ``iterations``, and ``start`` (``"peaks"``, P(boundary), a
        :class:`~otlab.discovery.learners.starts.Start`, or several of them, which take turns).

    Returns
    -------
    Discovered
        Every run, and the chosen one.

    Raises
    ------
    InputError
        If a name or number is wrong, or learner, grammar, rule and decoding do not go together.

    Examples
    --------
    >>> from otlab.discovery import generate, ToyLanguage
    >>> discover(generate(ToyLanguage(words=5, utterances=30)), iterations=2, restarts=2, seed=1)
    <Discovered: ... words, run ... of 2 by bigram, token F ...>
    """
    check_data("discover", corpus, Corpus, "make one with otlab.discovery.read or Corpus.from_text")
    if not 0 < threshold < 1:
        raise InputError(Fault(f"threshold {threshold:g}", "write a number between 0 and 1"))
    chosen_settings = _checked(learner, settings, restarts, rule)
    starts = starts_named(getattr(chosen_settings, "start", "peaks"))  # a baseline has none
    parser = Parser(corpus, load_grammar(grammar) if isinstance(grammar, str) else grammar)
    if rule == "held-out":
        parser = parser.holding_out(HELD_OUT)
    root = fresh_seed() if seed is None else seed
    fits: list[LexiconFitted] = []
    stopped = False
    for k in range(restarts):
        made = make_learner(learner, parser, chosen_settings, starts[k % len(starts)], threads)
        _check_abilities(made, rule, decoding)
        steps, _ = LEARNERS[learner].length(made, chosen_settings)
        fitted = _fit_one(made, steps, run_seed(root, k), threads, k, watch)
        stopped = fitted is None or fitted.stopped
        if fitted is not None:
            fits.append(replace(fitted, threshold=threshold, decoding=decoding))
        if stopped:
            break
    if not fits:
        raise KeyboardInterrupt
    return Discovered(tuple(fits), rule, root, stopped)


def make_learner(
    name: str, parser: Parser, settings: LexiconSettings, start: Start | str, threads: int | None = None
) -> Any:
    """Return a learner of the registry for a text and grammar, from one start."""
    entry = LEARNERS[name]
    values = {**settings.param.values(), "start": start}
    own = {key: value for key, value in values.items() if key != "name" and key in entry.settings.param}
    learner = entry.make(parser, entry.settings(**own))
    return replace(learner, threads=threads) if hasattr(learner, "threads") else learner


def _fit_one(
    learner: Any, steps: int, seed: int, threads: int | None, restart: int, watch: Watch | None
) -> LexiconFitted | None:
    """Return one restart; None if it was stopped before its first step."""
    each = None if watch is None else partial(watch, restart)
    try:
        fitted = fit(learner, steps=steps, seed=seed, threads=threads, watch=each)
    except KeyboardInterrupt:
        if watch is None:
            raise
        return None
    return cast("LexiconFitted", fitted) if fitted.tick.sweep else None


def _checked(learner: str, settings: dict[str, Any], restarts: int, rule: str) -> LexiconSettings:
    """Return the learner's settings; refuse wrong names and numbers."""
    if learner not in LEARNERS:
        raise InputError(Fault(f"no learner is called {learner!r}", did_you_mean(learner, tuple(LEARNERS))))
    check_rule(rule)
    entry = LEARNERS[learner]
    if restarts < 1:
        raise InputError(Fault(f"{restarts} restarts", "write 1 or more"))
    names = [name for name in entry.settings.param if name != "name"]
    check_options(f"discover with the learner {learner}", settings, [*names, "restarts", "seed"])
    try:
        made: LexiconSettings = entry.settings(**settings)
    except (TypeError, ValueError) as error:
        raise InputError(Fault(str(error), f"settings of {learner}: {', '.join(names)}")) from None
    return made


def _check_abilities(learner: LexiconLearner, rule: str, decoding: str) -> None:
    """Refuse a rule or a decoding that the learner cannot serve."""
    if rule == "held-out" and not learner.can_hold_out:
        what = f"the rule held-out needs the batch learner, not {learner.name}"
        raise InputError(Fault(what, "choose another rule, such as bigram"))
    if decoding == "minimum-risk" and not learner.can_draw:
        what = f"minimum-risk decoding needs the batch learner or mcmc, not {learner.name}"
        raise InputError(Fault(what, "decode by threshold"))
