"""Examples of the tagging lab: corpora with settings that suit them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True)
class Example:
    """A corpus with settings.

    Attributes
    ----------
    title
        In the chooser.
    corpus
        The name of the corpus.
    settings
        Values of the run panel's fields, where they are not the defaults.
    learners
        Rows of the run panel that are ticked.
    """

    title: str
    corpus: str = "ewt_sample"
    settings: dict[str, Any] = field(default_factory=dict)
    learners: tuple[str, ...] = ("em", "vb")


# Johnson's point on 32,228 words instead of 1.17 million: his own start, and a prior whose total per
# state stands to the tokens per state as his does. Over twelve seeds the six biggest states hold 27 to
# 33 % of tokens under EM and 46 to 54 % under VB; the six most frequent gold tags hold 49 %.
_PAPERS_POINT = {"states": 50, "emission_prior": 0.015, "start": "jitter"}

EXAMPLES = {
    "ewt": Example("EWT sample, 50 states", settings={**_PAPERS_POINT, "iterations": 100, "runs": 3}),
    "classroom": Example(
        "Classroom: EM against VB in 10 seconds", settings={**_PAPERS_POINT, "iterations": 60, "runs": 2}
    ),
    "gibbs": Example(
        "EWT sample by Gibbs sampling",
        settings={"states": 50, "iterations": 300, "runs": 2},
        learners=("gibbs",),
    ),
    "finnish": Example(
        "Finnish, where endings tell tags apart",
        "tdt_sample",
        {"states": 30, "iterations": 60, "runs": 2, "em_kind": "features"},
    ),
    "simulated": Example(
        "Simulated corpus, 12 states", "simulated", {"states": 12, "iterations": 100, "runs": 3}
    ),
}
