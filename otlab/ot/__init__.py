"""Stochastic Optimality Theory (Lin 2005): tableaux, exact probabilities, learners, classical analysis.

::

    file ---read---> Tableau ---relations---> what must hold for a candidate to win
                        |                              |
                        |  predict                     |  fit_gibbs, fit_gla, fit_maxent
                        v                              v
             how often each candidate wins      ranking values or weights

:func:`rank` and :func:`typology` are the classical analysis: which rankings make the winners
win, and which languages all rankings make.

Names are fetched when first used, so importing the package loads no Numba.
"""

from __future__ import annotations

from otlab.importing import lazy_names

_MODULES = {
    "Tableau": "tableau",
    "from_pandas": "io.read",
    "read": "io.read",
    "read_text": "io.read",
    "read_with_warnings": "io.read",
    "to_csv": "io.write",
    "to_maxent_ot": "io.write",
    "to_otsoft": "io.write",
    "to_xlsx": "io.write",
    "DEFAULT_BOUND_IN_NOISE": "settings",
    "DEFAULT_NOISE": "settings",
    "Settings": "settings",
    "resolve_settings": "settings",
    "Bounding": "conditions",
    "ERC": "conditions",
    "Relation": "conditions",
    "check_learnable": "conditions",
    "format_relations": "conditions",
    "Prediction": "probability",
    "conditional_means": "probability",
    "gradient": "probability",
    "predict": "probability",
    "predict_many": "probability",
    "log_likelihood": "fitted",
    "Gibbs": "learners.gibbs",
    "PublishedGibbs": "learners.gibbs",
    "NormalPrior": "learners.priors",
    "GLA": "learners.gla",
    "MaxEnt": "learners.maxent",
    "Fit": "fitted",
    "LEARNERS": "learners",
    "Ranking": "analysis.rank",
    "Typology": "analysis.typology",
    "fit_report": "analysis.report",
    "agreement": "analysis.samplers",
    "recommend": "analysis.samplers",
    "bootstrap": "analysis.bootstrap",
    "compare": "analysis.comparison",
    "logit_uniformity": "analysis.logit_uniformity",
    "rank": "analysis.rank",
    "ranked_above": "analysis.ranked_above",
    "ranking_report": "analysis.report",
    "strata_shares": "analysis.strata",
    "typology": "analysis.typology",
    "read_apriori": "io.apriori",
    "write_apriori": "io.apriori",
    "read_bias": "io.bias",
    "write_bias": "io.bias",
    "PairDistribution": "io.praat",
    "PraatGrammar": "io.praat",
    "read_praat": "io.praat",
    "write_praat": "io.praat",
    "to_praat": "io.praat_tableau",
    "with_pairs": "io.praat_tableau",
    "Exact": "learners.exact",
    "EDCD": "learners.edcd",
    "NoisyHG": "learners.hg",
    "Mixtures": "learners.mixtures",
    "UnknownNoise": "learners.unknown_noise",
    "BayesianMaxEnt": "learners.maxent_bayes",
    "OnlineMaxEnt": "learners.maxent_online",
    "fit_edcd": "learners.edcd",
    "fit_edl": "learners.edl",
    "fit_edl_online": "learners.edl",
    "fit_exact": "learners.exact",
    "fit_gibbs": "learners.gibbs",
    "fit_gla": "learners.gla",
    "fit_hg": "learners.hg",
    "fit_hg_overt": "learners.hg_overt",
    "fit_latent_gibbs": "learners.tempered",
    "fit_maxent": "learners.maxent",
    "fit_maxent_bayes": "learners.maxent_bayes",
    "fit_maxent_online": "learners.maxent_online",
    "fit_maxent_overt": "learners.maxent_overt",
    "fit_mixtures": "learners.mixtures",
    "fit_mle": "learners.mle",
    "fit_hg_mixed": "learners.hg_mixed",
    "fit_maxent_mixed": "learners.maxent_mixed",
    "fit_sot_mixed": "learners.sot_mixed",
    "Groups": "groups",
    "MixedFit": "mixed_fitted",
    "fit_unknown_noise": "learners.unknown_noise",
}

__all__ = sorted(_MODULES)

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
