"""Learners of a lexicon: batch and online variational Bayes, MCMC, batch VB behind a channel, baselines."""

from otlab.discovery.learners.baselines import (
    BaselineSettings,
    BoundarySettings,
    DiphoneSegmentation,
    EntropyPeaks,
    Puddle,
    RandomBoundaries,
    TransitionalProbability,
    TransitionSettings,
    UtteranceWords,
)
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.learner import LexiconSettings
from otlab.discovery.learners.mcmc import MCMC
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.learners.online import OnlineVB
from otlab.inference.registry import LearnerEntry, registry

__all__ = ["BASELINES", "LEARNERS", "MODELS"]

BASELINES = registry(
    LearnerEntry(
        "tp", TransitionalProbability.from_settings, "Transitional probability", "update", TransitionSettings
    ),
    LearnerEntry("dibs", DiphoneSegmentation.from_settings, "DiBS", "update", BoundarySettings),
    LearnerEntry("puddle", Puddle.from_settings, "PUDDLE", "update", BaselineSettings),
    LearnerEntry("peaks", EntropyPeaks.from_settings, "Entropy peaks", "update", BaselineSettings),
    LearnerEntry("random", RandomBoundaries.from_settings, "Random boundaries", "update", BoundarySettings),
    LearnerEntry("utterances", UtteranceWords.from_settings, "Utterances", "update", BaselineSettings),
)
"""One pass over the text each: what a model is compared with."""

MODELS = registry(
    LearnerEntry("batch", BatchVB.from_settings, "Batch VB", "iteration", LexiconSettings, "vb"),
    LearnerEntry("online", OnlineVB.from_settings, "Online VB", "update", LexiconSettings, "gla"),
    LearnerEntry("mcmc", MCMC.from_settings, "MCMC", "sweep", LexiconSettings, "gibbs"),
    LearnerEntry("noisy", NoisyVB.from_settings, "Noisy VB", "iteration", LexiconSettings, "maxent"),
)
"""Learners of a grammar: the rows of the lexicon lab."""

LEARNERS = {**MODELS, **BASELINES}
