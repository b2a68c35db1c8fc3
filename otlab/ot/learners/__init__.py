"""Learners of ranking values and weights.

A further learner is one file beside these and one line of :data:`LEARNERS`: the choices
and options of ``otlab learn`` and the rows of the OT lab are drawn from it.
"""

from __future__ import annotations

from dataclasses import replace

from otlab.inference.registry import LearnerEntry, registry
from otlab.ot.learners.edcd import EDCDSettings, make_edcd
from otlab.ot.learners.edl import EDLOnlineSettings, EDLSettings, make_edl, make_edl_online
from otlab.ot.learners.exact import ExactSettings, make_exact
from otlab.ot.learners.gibbs import GibbsSettings, make_gibbs
from otlab.ot.learners.gla import GLASettings, make_gla
from otlab.ot.learners.hg import HGSettings, make_hg
from otlab.ot.learners.hg_mixed import MixedNoisyHGSettings, make_hg_mixed
from otlab.ot.learners.hg_overt import OvertHGSettings, make_hg_overt
from otlab.ot.learners.interpretive import InterpretiveSettings, make_eip, make_rip, make_rrip
from otlab.ot.learners.maxent import MaxEntSettings, make_maxent
from otlab.ot.learners.maxent_bayes import BayesianMaxEntSettings, make_maxent_bayes
from otlab.ot.learners.maxent_mixed import MixedMaxEntSettings, make_maxent_mixed
from otlab.ot.learners.maxent_online import OnlineMaxEntSettings, make_maxent_online
from otlab.ot.learners.maxent_overt import MaxEntOvertSettings, make_maxent_overt
from otlab.ot.learners.mixtures import MixturesSettings, make_mixtures
from otlab.ot.learners.mle import MLESettings, make_mle
from otlab.ot.learners.sot_mixed import MixedStochasticOTSettings, make_sot_mixed
from otlab.ot.learners.tempered import LatentGibbsSettings, make_latent_gibbs
from otlab.ot.learners.unknown_noise import UnknownNoiseSettings, make_unknown_noise
from otlab.ot.overt import of_known_parses

__all__ = ["LEARNERS"]

OVERT = (
    "rip",
    "rrip",
    "eip",
    "hg-overt",
    "edl",
    "edl-online",
    "maxent-overt",
    "latent-gibbs",
    "exact",
    "mle",
    "maxent-bayes",
)
"""Learners that are told what is heard; the others need to know which candidate was meant."""


LEARNERS = registry(
    LearnerEntry("gibbs", make_gibbs, "Gibbs", "sweep", GibbsSettings, "gibbs"),
    LearnerEntry("gla", make_gla, "GLA", "trial", GLASettings, "gla"),
    LearnerEntry("maxent", make_maxent, "MaxEnt", "iteration", MaxEntSettings, "maxent"),
    LearnerEntry("exact", make_exact, "Exact sampler", "sweep", ExactSettings, usual=False),
    LearnerEntry("mle", make_mle, "Most likely", "iteration", MLESettings, usual=False),
    LearnerEntry("hg", make_hg, "Noisy HG", "trial", HGSettings, usual=False),
    LearnerEntry(
        "maxent-online", make_maxent_online, "Online MaxEnt", "trial", OnlineMaxEntSettings, usual=False
    ),
    LearnerEntry(
        "maxent-bayes", make_maxent_bayes, "Bayesian MaxEnt", "sweep", BayesianMaxEntSettings, usual=False
    ),
    LearnerEntry("edcd", make_edcd, "EDCD", "trial", EDCDSettings, usual=False),
    LearnerEntry(
        "unknown-noise", make_unknown_noise, "Unknown noise", "sweep", UnknownNoiseSettings, usual=False
    ),
    LearnerEntry("rip", make_rip, "RIP", "trial", InterpretiveSettings, usual=False),
    LearnerEntry("rrip", make_rrip, "RRIP", "trial", InterpretiveSettings, usual=False),
    LearnerEntry("eip", make_eip, "EIP", "trial", InterpretiveSettings, usual=False),
    LearnerEntry("edl", make_edl, "EDL", "iteration", EDLSettings, usual=False),
    LearnerEntry("edl-online", make_edl_online, "Online EDL", "trial", EDLOnlineSettings, usual=False),
    LearnerEntry("hg-overt", make_hg_overt, "Noisy HG, overt", "trial", OvertHGSettings, usual=False),
    LearnerEntry(
        "maxent-overt", make_maxent_overt, "MaxEnt, overt", "iteration", MaxEntOvertSettings, usual=False
    ),
    LearnerEntry(
        "latent-gibbs", make_latent_gibbs, "Latent-parse Gibbs", "sweep", LatentGibbsSettings, usual=False
    ),
    LearnerEntry("mixtures", make_mixtures, "Mixtures", "sweep", MixturesSettings, usual=False),
    LearnerEntry(
        "maxent-mixed", make_maxent_mixed, "MaxEnt by speaker", "sweep", MixedMaxEntSettings, usual=False
    ),
    LearnerEntry(
        "sot-mixed", make_sot_mixed, "OT by speaker", "sweep", MixedStochasticOTSettings, usual=False
    ),
    LearnerEntry(
        "hg-mixed", make_hg_mixed, "Noisy HG by speaker", "sweep", MixedNoisyHGSettings, usual=False
    ),
)
LEARNERS.update(
    {
        name: replace(entry, make=of_known_parses(entry.make))
        for name, entry in LEARNERS.items()
        if name not in OVERT
    }
)
