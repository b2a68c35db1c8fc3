"""Hidden Markov taggers without supervision: EM, Variational Bayes, Gibbs (Johnson 2007).

::

    text --read--> Corpus --learner--> Run of Views --> Scores, Model
                              EM, MapEM, VB               labels new text
                              CollapsedGibbs, ExplicitGibbs,
                              BlockedGibbs, CollapsedBlockedGibbs

A bitag model: each word's state depends on the state before, each word on its state.
Gold tags are never learnt from; they say afterwards how good the states are.
"""

from __future__ import annotations

from otlab.tagging.corpus import Corpus, Normalize
from otlab.tagging.dictionary import TagDictionary
from otlab.tagging.experiments.comparison import Comparison, StatesResult, compare
from otlab.tagging.experiments.merge import MergeTree, merge_states
from otlab.tagging.experiments.simulate import simulate_hmm
from otlab.tagging.fitted import Fitted
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.hmm.starts import Continued, DirichletRows, Jitter, RandomLabels
from otlab.tagging.io.read import read
from otlab.tagging.learners import LEARNERS
from otlab.tagging.learners.annealing import Annealing
from otlab.tagging.learners.blocked import CollapsedBlockedGibbs
from otlab.tagging.learners.em import EM, MapEM
from otlab.tagging.learners.explicit import BlockedGibbs, ExplicitGibbs
from otlab.tagging.learners.fit import fit_em, fit_gibbs, fit_vb, make_learner
from otlab.tagging.learners.gibbs import CollapsedGibbs
from otlab.tagging.learners.vb import VB
from otlab.tagging.model import Model
from otlab.tagging.scores import BASELINES, SCORES, Scores, baselines, score
from otlab.tagging.view import View

__all__ = [
    "BASELINES",
    "EM",
    "LEARNERS",
    "SCORES",
    "VB",
    "Annealing",
    "BlockedGibbs",
    "CollapsedBlockedGibbs",
    "CollapsedGibbs",
    "Comparison",
    "Continued",
    "Corpus",
    "DirichletRows",
    "ExplicitGibbs",
    "Fitted",
    "Jitter",
    "MapEM",
    "MergeTree",
    "Model",
    "Normalize",
    "Prior",
    "RandomLabels",
    "Scores",
    "StatesResult",
    "TagDictionary",
    "View",
    "baselines",
    "compare",
    "fit_em",
    "fit_gibbs",
    "fit_vb",
    "make_learner",
    "merge_states",
    "read",
    "score",
    "simulate_hmm",
]
