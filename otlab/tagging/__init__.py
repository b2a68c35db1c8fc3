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

from otlab.tagging.annealing import Annealing
from otlab.tagging.blocked import CollapsedBlockedGibbs
from otlab.tagging.corpus import Corpus, Normalize
from otlab.tagging.dictionary import TagDictionary
from otlab.tagging.em import EM, MapEM
from otlab.tagging.explicit import BlockedGibbs, ExplicitGibbs
from otlab.tagging.formats import read
from otlab.tagging.gibbs import CollapsedGibbs
from otlab.tagging.learners import LEARNERS, Fitted, fit_em, fit_gibbs, fit_vb, make_learner
from otlab.tagging.merge import MergeTree, merge_states
from otlab.tagging.model import Model
from otlab.tagging.mstep import Prior
from otlab.tagging.scores import SCORES, Scores, score
from otlab.tagging.simulate import simulate_hmm
from otlab.tagging.starts import Continued, DirichletRows, Jitter, RandomLabels
from otlab.tagging.vb import VB
from otlab.tagging.view import View

__all__ = [
    "EM",
    "LEARNERS",
    "SCORES",
    "VB",
    "Annealing",
    "BlockedGibbs",
    "CollapsedBlockedGibbs",
    "CollapsedGibbs",
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
    "TagDictionary",
    "View",
    "fit_em",
    "fit_gibbs",
    "fit_vb",
    "make_learner",
    "merge_states",
    "read",
    "score",
    "simulate_hmm",
]
