"""The lexicon lab's learners: their names, their colours, and how each is made. No Panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otlab.discovery.channel.noisy import NoisyVB
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.mcmc import MCMC
from otlab.discovery.learners.online import OnlineVB
from otlab.discovery.learners.starts import Geometric, Peaks
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.discovery.learners.starts import Start
    from otlab.discovery.parsing.parser import Parser
    from otlab.ui.runner import Unit
    from otlab.viz.base.tokens import Hue

__all__ = ["LANES", "LaneSpec", "learner_of", "start_words"]


@dataclass(frozen=True)
class LaneSpec:
    """A learner as the lab names and colours it."""

    label: str
    hue: Hue
    note: str
    unit: Unit = "iteration"


LANES: dict[str, LaneSpec] = {
    "batch": LaneSpec("Batch VB", "vb", "exact"),
    "online": LaneSpec("Online VB", "gla", "in batches", "update"),
    "mcmc": LaneSpec("MCMC", "gibbs", "sampling", "sweep"),
    "noisy": LaneSpec("Noisy VB", "maxent", "mishearings"),
}


_INSTEAD = 0.5
"""P(boundary) at which the sampler starts: it has no start at peaks."""


def learner_of(lane: str, parser: Parser, settings: Mapping[str, Any]) -> Any:
    """Return a learner for a text and grammar ready for parsing.

    Raises
    ------
    InputError
        If the learner has a channel and the grammar does more than cut words.
    """
    start: Start = Peaks() if settings["start"] == "peaks" else Geometric(settings["boundary"])
    learner: Any
    if lane == "batch":
        learner = BatchVB(parser.corpus, parser.grammar, start)
    elif lane == "online":
        learner = OnlineVB(parser.corpus, parser.grammar, start)
    elif lane == "mcmc":
        learner = MCMC(
            parser.corpus, parser.grammar, start if isinstance(start, Geometric) else Geometric(0.5)
        )
    else:
        if parser.lattice is None:
            what = "the channel needs a grammar that only cuts words"
            raise InputError(Fault(what, "choose the grammar Word"))
        learner = NoisyVB(parser.corpus, parser.grammar, start)
    vars(learner)["parser"] = parser
    return learner


def start_words(lane: str, settings: Mapping[str, Any]) -> str:
    """Return where a learner starts, in a few words."""
    if settings["start"] == "peaks" and lane != "mcmc":
        return "peaks"
    return f"P {_INSTEAD if settings['start'] == 'peaks' else settings['boundary']:g}"
