"""Words from unsegmented phones, and phone-like units from sound.

::

    corpus = read("toy_phones")             utterances; gold edges are only scored
    result = discover(corpus, "word")        or collocation, syllable, morphology, a grammar
    result.lexicon, result.scores             of the run that a rule without gold chooses

    learner = BatchVB(corpus, load_grammar("word"))     or OnlineVB, MCMC, NoisyVB
    for tick in otlab.inference.run(learner, sweeps=40, seed=1):
        tick.view.ends                      posterior of each boundary

    speech = read_speech("folder of WAV or FLAC")
    units = otlab.inference.fit(PhoneLoop(speech), steps=15, seed=1)
    units.intervals, units.scores            from when to when, and against gold phones

After Stengel-Eskin (2017), *Variational Bayesian Inference for Unsupervised Lexicon
Discovery*, with its formulas corrected: see the modules ``sticks``, ``variational`` and
``channel``, and for sound ``sound.phone_loop``.
"""

from __future__ import annotations

from otlab.importing import lazy_names

_MODULES = {
    "BatchVB": "learners.batch",
    "Corpus": "corpus",
    "Discovered": "fit",
    "Geometric": "learners.starts",
    "Grammar": "grammar",
    "MCMC": "learners.mcmc",
    "LEARNERS": "learners",
    "NoisyVB": "learners.noisy",
    "OnlineVB": "learners.online",
    "Peaks": "learners.starts",
    "PRESETS": "presets",
    "PhoneLoop": "sound.learners.phone_loop",
    "Speech": "sound.speech",
    "ToyLanguage": "toy",
    "discover": "fit",
    "generate": "toy",
    "load_grammar": "presets",
    "parse_grammar": "grammar_file",
    "preset": "presets",
    "read": "corpus",
    "read_speech": "sound.speech",
    "sample_tree": "parsing.trees",
    "score": "scores",
}

__all__ = sorted(_MODULES)

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
