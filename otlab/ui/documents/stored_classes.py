"""The list of classes whose objects a document may hold; :mod:`~otlab.ui.documents.stored_types` says how.

Learners that are added name their classes here; ``tests/ui/documents/test_stored_types.py`` says which are
missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLASSES", "MIGRATIONS", "MOVED", "RENAMED", "VERSIONS"]

CLASSES = {
    "discovery.channel.channel": "Edits",
    "discovery.corpus": "Corpus",
    "discovery.grammar": "Adaptor Grammar Rule Terminal",
    "discovery.io.intervals": "Interval",
    "discovery.io.text": "TextFormat",
    "discovery.joint.bottom": "SpokenExpected",
    "discovery.joint.learners.joint": "Joint JointState Pipeline",
    "discovery.joint.view": "JointView Token WordTokens",
    "discovery.joint.words": "WordModel",
    "discovery.kernels.layout": "Weights",
    "discovery.kernels.phone_loop": "Frames",
    "discovery.kernels.restaurants": "Derivations Free Restaurants Tables",
    "discovery.learners.baselines": "BaselineState DiphoneSegmentation EntropyPeaks Puddle RandomBoundaries"
    " TransitionalProbability UtteranceWords",
    "discovery.learners.batch": "BatchState BatchVB",
    "discovery.learners.choose": "Candidate",
    "discovery.learners.grammatons": "Grammatons",
    "discovery.learners.mcmc": "MCMC SamplerState",
    "discovery.learners.noisy": "NoisyState NoisyVB Reading",
    "discovery.learners.online": "OnlineState OnlineVB",
    "discovery.learners.starts": "Geometric Peaks",
    "discovery.learners.sticks": "Sticks",
    "discovery.learners.variational": "Globals",
    "discovery.learners.view": "DiscoveryView Entry Mark",
    "discovery.parsing.estep": "Expectations",
    "discovery.parsing.parser": "Parser",
    "discovery.scores": "Ratio Scores",
    "discovery.sound.decode": "Segment",
    "discovery.sound.estep": "Expected",
    "discovery.sound.gaussians": "Moments NormalGamma",
    "discovery.sound.learners.phone_loop": "LoopState PhoneLoop",
    "discovery.sound.phone_loop": "LoopPosterior LoopPrior",
    "discovery.sound.speech": "SoundReading Speech",
    "discovery.sound.view": "UnitsView",
    "inference.lbfgs": "Ascent",
    "inference.learner": "Tick",
    "inference.run": "RunRecord",
    "mg.features": "Feature",
    "mg.learners.comparison": "Comparison",
    "mg.learners.corpus": "ParsedCorpus",
    "mg.learners.draws": "DrawStore KeptDraws",
    "mg.learners.em": "EM MAP",
    "mg.learners.gibbs": "Gibbs",
    "mg.learners.snapshot": "Snapshot State",
    "mg.learners.vb": "VB",
    "mg.lexicon": "ExpectedSentence LexicalItem Lexicon",
    "mg.parsing.grammar": "Grammar",
    "mg.remarks": "Remark",
    "mg.spellout": "SpellOut",
    "ot.analysis.comparison": "Comparison Misfit ModelResult",
    "ot.analysis.leave_group_out": "GroupsLeftOut LevelsCompared",
    "ot.analysis.logit_uniformity": "Contrast Estimate LogitUniformity Uniformity UniformityModel",
    "ot.formula_columns": "Formulas",
    "ot.groups": "Groups",
    "ot.kernels.evaluation": "Evaluation",
    "ot.kernels.exact": "Chain",
    "ot.kernels.gibbs": "Scratch",
    "ot.kernels.latent": "Observed",
    "ot.kernels.mixed_moves": "Effects",
    "ot.kernels.mixed_normal": "Approximation Current",
    "ot.kernels.tempered": "Ladder",
    "ot.learners.distributions": "DistributionView",
    "ot.learners.edcd": "EDCD EDCDState EDCDView",
    "ot.learners.edl": "EDL EDLOnline EDLState EDLView",
    "ot.learners.error_driven": "TrialState TrialView",
    "ot.learners.exact": "Exact ExactState",
    "ot.learners.gibbs": "Gibbs PublishedGibbs",
    "ot.learners.gla": "GLA",
    "ot.learners.hg": "NoisyHG",
    "ot.learners.hg_mixed": "MixedNoisyHG",
    "ot.learners.hg_overt": "NoisyHGOvert",
    "ot.learners.interpretive": "InterpretiveGLA",
    "ot.learners.latent": "LatentGibbs LatentState",
    "ot.learners.maxent": "MaxEnt MaxEntState MaxEntView",
    "ot.learners.maxent_bayes": "BayesianMaxEnt",
    "ot.learners.maxent_mixed": "MixedMaxEnt",
    "ot.learners.maxent_online": "OnlineMaxEnt",
    "ot.learners.maxent_overt": "MaxEntOvert",
    "ot.learners.mixed": "MixedState MixedView",
    "ot.learners.mixtures": "Mixtures",
    "ot.learners.mle": "MLE MLEState MLEView Maximum",
    "ot.learners.priors": "NormalPrior",
    "ot.learners.sampler": "GibbsState GibbsView",
    "ot.learners.schedules": "Schedule Stage",
    "ot.learners.sot_mixed": "MixedStochasticOT",
    "ot.learners.tempered": "TemperedLatentGibbs TemperedState TemperedView",
    "ot.learners.unknown_noise": "UnknownNoise",
    "ot.tableau": "Tableau",
    "reading": "ReadAs",
    "sweep.spec": "RunSpec",
    "sweep.store": "FinishedRun",
    "tagging.corpus": "Corpus",
    "tagging.experiments.comparison": "Comparison StatesResult",
    "tagging.experiments.table1": "Estimator",
    "tagging.hmm.estep": "Expected",
    "tagging.hmm.hdp": "Concentration Franchise",
    "tagging.hmm.known": "Clamped KnownTags",
    "tagging.hmm.mstep": "Prior",
    "tagging.hmm.parameters": "Counts Weights",
    "tagging.hmm.starts": "Continued DirichletRows Jitter RandomLabels",
    "tagging.io.numbering": "Normalize",
    "tagging.kernels.layout": "Batch BlockedCounts HmmWeights PaddedCounts",
    "tagging.learners.annealing": "Annealing",
    "tagging.learners.beams": "InfiniteBeams",
    "tagging.learners.blocked": "CollapsedBlockedGibbs CollapsedBlockedSample",
    "tagging.learners.em": "EM MapEM",
    "tagging.learners.entropic": "EntropicEM",
    "tagging.learners.expectation": "FitState",
    "tagging.learners.explicit": "BlockedGibbs ExplicitGibbs ExplicitSample",
    "tagging.learners.features": "FeatureState LogLinear",
    "tagging.learners.gibbs": "CollapsedGibbs CollapsedSample",
    "tagging.learners.ihmm": "InfiniteHMM InfiniteSample",
    "tagging.learners.pitman_yor": "PitmanYorGibbs PitmanYorSample",
    "tagging.learners.supervised": "Supervised",
    "tagging.learners.state_priors": "StatePriorVB",
    "tagging.learners.trigrams": "TrigramEM TrigramGibbs TrigramSample TrigramVB",
    "tagging.learners.vb": "VB",
    "tagging.learners.vb_hdp": "HdpState HdpVB",
    "tagging.model": "Model",
    "tagging.scores": "Scores",
    "tagging.view": "Trace View",
    "ui.history": "Edits",
    "ui.lexicon.document": "Document",
    "ui.lexicon.runs": "FinishedRun",
    "ui.mg.comparison": "ComparedTheories",
    "ui.mg.document": "Document Entry",
    "ui.mg.pool": "LearntPool",
    "ui.mg.reading": "ReadingInputs",
    "ui.mg.state": "Throttled",
    "ui.source": "Source",
    "ui.state": "_Version",
    "ui.tagging.matching": "Named",
    "ui.tagging.results": "Result Skew Snapshot",
    "ui.tagging.table": "FinishedRows Row",
}
"""Module -> its classes."""

RENAMED: dict[str, str] = {"otlab.ui.source.Source": "ui.components.Source"}
"""Class, with its module -> the name under which its objects are stored, where that is not its own."""

MOVED: dict[str, str] = {
    "otlab.discovery.sound.tiers.Interval": "discovery.Interval",
    "otlab.ui.components.file_zone.Source": "ui.components.Source",
}
"""Module and class as they were in format 1 -> the name under which objects of the class are stored now."""


def _effects(old: dict[str, Any]) -> dict[str, Any]:
    """Return effects of speakers or items without what an earlier sampler had tuned."""
    import numpy as np

    from otlab.ot.kernels.exact import Chain

    none = np.zeros(0)
    chain = Chain(none, none, np.zeros((0, 0)), none, none, none, np.zeros((0, 0)))
    return {"z": old["z"], "precision": np.zeros((0, 0, 0)), "tuning": none, "chain": chain}


def _mixed_state(old: dict[str, Any]) -> dict[str, Any]:
    """Return a chain of an earlier sampler of speakers and items; the next step adapts its moves anew."""
    import numpy as np

    from otlab.ot.kernels.mixed_normal import Approximation, Current

    none, flat = np.zeros((0, 0, 0)), np.zeros((0, 0))
    approximation = Approximation(none, flat, np.zeros(1), flat, flat, none, none)
    return {
        **{name: value for name, value in old.items() if name != "chain"},
        "values": old["chain"].values,
        "approximation": approximation,
        "current": Current(np.zeros(0), flat),
    }


def _approximation(old: dict[str, Any]) -> dict[str, Any]:
    """Return an earlier approximation with nothing gathered for the next."""
    import numpy as np

    kept = {name: old[name] for name in ("precision", "pull")}
    pulls, squares = (np.zeros_like(kept[name]) for name in ("pull", "precision"))
    sums = {"theta": pulls, "slope": pulls.copy(), "scatter": squares, "cross": squares.copy()}
    return {**kept, "gathered": np.zeros(1), **sums}


VERSIONS: dict[str, int] = {
    "discovery.NoisyState": 2,
    "ot.Approximation": 2,
    "ot.Effects": 2,
    "ot.MixedState": 2,
}
"""Name -> the present version of what is stored; 1 of those that are not named."""

MIGRATIONS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    # Words ended otherwise, so that the objective was another one.
    ("discovery.NoisyState", 1): lambda values: {**values, "earlier": True},
    # The expected information was averaged.
    ("ot.Approximation", 1): _approximation,
    # All parameters moved along one trajectory of the non-centred form.
    ("ot.Effects", 1): _effects,
    ("ot.MixedState", 1): _mixed_state,
}
"""Name and version -> the function that returns the fields of the next version from those of this one."""
