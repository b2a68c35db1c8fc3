"""Base of the lexicon learners: text and grammar compiled for parsing, and settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import param

from otlab.discovery.learners.fitted import LexiconFitted
from otlab.discovery.learners.starts import start_named
from otlab.discovery.parsing.parser import Parser
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import numpy as np

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar
    from otlab.discovery.learners.view import DiscoveryView
    from otlab.inference import Run, Tick

__all__ = ["LexiconLearner", "LexiconSettings"]


class LexiconSettings(param.Parameterized):
    """Settings of a lexicon learner."""

    iterations = param.Integer(40, bounds=(1, None), doc="Iterations, passes over the text, or sweeps.")
    start = param.Parameter(
        "peaks",
        doc="Where learning starts: 'peaks' of branching entropy, or P(boundary); several, separated by "
        "commas, take turns (the sampler starts at P(boundary) 0.5 instead of peaks).",
    )


@dataclass(frozen=True)
class LexiconLearner:
    """The data of a lexicon learner.

    Parameters
    ----------
    corpus, grammar
        The text and its grammar.
    parser
        Both compiled for parsing; made from them if not given.

    Raises
    ------
    InputError
        If the grammar adapts no symbol, for a learner of words.
    """

    needs_adapted: ClassVar[bool] = True
    """Whether it learns the strings of an adapted symbol."""

    can_hold_out: ClassVar[bool] = False
    """Whether it can compute the probability of held-out utterances."""

    can_draw: ClassVar[bool] = False
    """Whether it can draw segmentations, for decoding by minimum risk."""

    corpus: Corpus
    grammar: Grammar
    parser: Parser = field(default=cast("Parser", None), kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.needs_adapted and not self.grammar.adapted:
            what = "no symbol is adapted, so there are no words to learn"
            word = self.grammar.word
            hint = f"put a line such as @{word} 5000 100 0 above the rules of {word}"
            raise InputError(Fault(what, hint, self.grammar.name))
        if cast("Parser | None", self.parser) is None:
            object.__setattr__(self, "parser", Parser(self.corpus, self.grammar))

    @property
    def name(self) -> str:
        """The learner's name in the registry."""
        raise NotImplementedError

    @classmethod
    def from_settings(cls, parser: Parser, settings: LexiconSettings) -> Self:
        """Return the learner for a text and grammar ready for parsing, with a user's settings."""
        make = cast("Any", cls)
        learner: Self = make(parser.corpus, parser.grammar, start_named(settings.start), parser=parser)
        return learner

    @property
    def steps_per_iteration(self) -> int:
        """Steps that a user counts as one iteration."""
        return 1

    def finished(self, state: Any) -> bool:
        """Return False: a lexicon learner can always continue."""
        return False

    def draw_segmentations(self, state: Any, seed: int) -> np.ndarray:
        """Return drawn segmentations, shape (draws, phones), of a learner with `can_draw`."""
        raise NotImplementedError

    def conclude(
        self, run: Run[Any, DiscoveryView], tick: Tick[DiscoveryView], *, stopped: bool = False
    ) -> LexiconFitted:
        """Return the result of a run."""
        return LexiconFitted(run, tick, stopped)
