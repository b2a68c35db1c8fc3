"""Learners of a lexicon: batch and online variational Bayes, MCMC, and batch VB behind a channel."""

from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.learner import LexiconSettings
from otlab.discovery.learners.mcmc import MCMC
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.learners.online import OnlineVB
from otlab.inference.registry import LearnerEntry, registry

__all__ = ["LEARNERS"]

LEARNERS = registry(
    LearnerEntry("batch", BatchVB.from_settings, "Batch VB", "iteration", LexiconSettings, "vb"),
    LearnerEntry("online", OnlineVB.from_settings, "Online VB", "update", LexiconSettings, "gla"),
    LearnerEntry("mcmc", MCMC.from_settings, "MCMC", "sweep", LexiconSettings, "gibbs"),
    LearnerEntry("noisy", NoisyVB.from_settings, "Noisy VB", "iteration", LexiconSettings, "maxent"),
)
