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

from importlib import import_module
from typing import Any

_WHERE = {
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

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it: no kernel is loaded before."""
    if name in _WHERE:
        return getattr(import_module(f"otlab.discovery.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'otlab.discovery' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
