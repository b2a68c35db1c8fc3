"""Learners of hidden Markov taggers: EM, MAP-EM, VB, Gibbs samplers, counts of known tags.

A further learner is one file in this folder and one line of :data:`LEARNERS`.
"""

from __future__ import annotations

from otlab.inference.registry import LearnerEntry, registry
from otlab.tagging.learners.beams import InfiniteBeams
from otlab.tagging.learners.blocked import CollapsedBlockedGibbs
from otlab.tagging.learners.em import EM, EMSettings, MapEM, MapEMSettings
from otlab.tagging.learners.entropic import EntropicEM
from otlab.tagging.learners.explicit import BlockedGibbs, ExplicitGibbs
from otlab.tagging.learners.features import FeatureSettings, LogLinear
from otlab.tagging.learners.gibbs import CollapsedGibbs
from otlab.tagging.learners.ihmm import InfiniteHMM, InfiniteSettings
from otlab.tagging.learners.pitman_yor import PitmanYorGibbs, PitmanYorSettings
from otlab.tagging.learners.sampling import GibbsSettings
from otlab.tagging.learners.state_priors import StatePriorSettings, StatePriorVB
from otlab.tagging.learners.supervised import Supervised, SupervisedSettings
from otlab.tagging.learners.trigrams import TrigramEM, TrigramGibbs, TrigramVB
from otlab.tagging.learners.vb import VB, VBSettings
from otlab.tagging.learners.vb_hdp import HdpVB, HdpVBSettings

__all__ = ["LEARNERS"]

LEARNERS = registry(
    LearnerEntry("em", EM.of, "EM", "iteration", EMSettings, "em"),
    LearnerEntry("map-em", MapEM.of, "MAP-EM", "iteration", MapEMSettings, "em"),
    LearnerEntry("entropic", EntropicEM.of, "EM, entropic prior", "iteration", EMSettings, "em"),
    LearnerEntry("features", LogLinear.of, "EM, features of words", "iteration", FeatureSettings, "em"),
    LearnerEntry("em-trigram", TrigramEM.of, "EM, trigrams", "iteration", EMSettings, "em"),
    LearnerEntry("vb", VB.of, "VB", "iteration", VBSettings, "vb"),
    LearnerEntry("vb-trigram", TrigramVB.of, "VB, trigrams", "iteration", VBSettings, "vb"),
    LearnerEntry(
        "vb-state-priors", StatePriorVB.of, "VB, priors of states", "iteration", StatePriorSettings, "vb"
    ),
    LearnerEntry("vb-hdp", HdpVB.of, "VB, infinite HMM", "iteration", HdpVBSettings, "vb"),
    LearnerEntry("gibbs", CollapsedGibbs.of, "Gibbs, collapsed", "sweep", GibbsSettings, "gibbs"),
    LearnerEntry("gibbs-explicit", ExplicitGibbs.of, "Gibbs, explicit", "sweep", GibbsSettings, "gibbs"),
    LearnerEntry("gibbs-blocked", BlockedGibbs.of, "Gibbs, by sentence", "sweep", GibbsSettings, "gibbs"),
    LearnerEntry(
        "gibbs-collapsed-blocked",
        CollapsedBlockedGibbs.of,
        "Gibbs, collapsed by sentence",
        "sweep",
        GibbsSettings,
        "gibbs",
    ),
    LearnerEntry("gibbs-trigram", TrigramGibbs.of, "Gibbs, trigrams", "sweep", GibbsSettings, "gibbs"),
    LearnerEntry("pitman-yor", PitmanYorGibbs.of, "Gibbs, Pitman-Yor", "sweep", PitmanYorSettings, "gibbs"),
    LearnerEntry("ihmm", InfiniteHMM.of, "iHMM, infinite", "sweep", InfiniteSettings, "gibbs"),
    LearnerEntry("ihmm-beam", InfiniteBeams.of, "iHMM, by sentence", "sweep", InfiniteSettings, "gibbs"),
    LearnerEntry("supervised", Supervised.of, "Supervised", "iteration", SupervisedSettings, usual=False),
)
"""The learners by name, in the order of the command line and the lab."""
