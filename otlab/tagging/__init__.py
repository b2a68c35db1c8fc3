"""Hidden Markov taggers, with no tag known, some, or all: EM, Variational Bayes, Gibbs (Johnson 2007).

::

    text --read--> Corpus --learner--> Run of Views --> Scores, Model
                              EM, MapEM, LogLinear, VB    labels new text
                              CollapsedGibbs, ExplicitGibbs,
                              BlockedGibbs, CollapsedBlockedGibbs, InfiniteHMM, InfiniteBeams,
                              HdpVB, PitmanYorGibbs, Supervised, TrigramEM, TrigramVB, TrigramGibbs

A bitag model: each word's state depends on the state before, each word on its state. In the trigram models it
depends on the two states before.
Gold tags are learnt from only as far as :class:`KnownTags` says, by default not at all; the others say
afterwards how good the states are.
"""

from __future__ import annotations

from otlab.importing import lazy_names

_MODULES = {
    "Accuracy": "accuracy",
    "Corpus": "corpus",
    "Normalize": "corpus",
    "TagDictionary": "dictionary",
    "Comparison": "experiments.comparison",
    "StatesResult": "experiments.comparison",
    "compare": "experiments.comparison",
    "MergeTree": "experiments.merge",
    "merge_states": "experiments.merge",
    "simulate_hmm": "experiments.simulate",
    "Fitted": "fitted",
    "Concentration": "hmm.hdp",
    "KnownTags": "hmm.known",
    "Prior": "hmm.mstep",
    "Continued": "hmm.starts",
    "DirichletRows": "hmm.starts",
    "Jitter": "hmm.starts",
    "RandomLabels": "hmm.starts",
    "read": "io.read",
    "LEARNERS": "learners",
    "Annealing": "learners.annealing",
    "CollapsedBlockedGibbs": "learners.blocked",
    "EM": "learners.em",
    "MapEM": "learners.em",
    "EntropicEM": "learners.entropic",
    "BlockedGibbs": "learners.explicit",
    "ExplicitGibbs": "learners.explicit",
    "fit_em": "learners.fit",
    "fit_gibbs": "learners.fit",
    "fit_supervised": "learners.fit",
    "fit_vb": "learners.fit",
    "make_learner": "learners.fit",
    "LogLinear": "learners.features",
    "CollapsedGibbs": "learners.gibbs",
    "InfiniteBeams": "learners.beams",
    "InfiniteHMM": "learners.ihmm",
    "PitmanYorGibbs": "learners.pitman_yor",
    "Supervised": "learners.supervised",
    "TrigramEM": "learners.trigrams",
    "TrigramGibbs": "learners.trigrams",
    "StatePriorVB": "learners.state_priors",
    "TrigramVB": "learners.trigrams",
    "VB": "learners.vb",
    "HdpVB": "learners.vb_hdp",
    "match_states": "matching",
    "Model": "model",
    "BASELINES": "scores",
    "SCORES": "scores",
    "Scores": "scores",
    "baselines": "scores",
    "score": "scores",
    "View": "view",
}

__all__ = sorted(_MODULES)

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
