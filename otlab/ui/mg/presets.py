"""Examples of the grammar lab: teaching presets first, then every shipped lexicon."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from otlab.samples import samples

__all__ = ["Preset", "presets"]


@dataclass(frozen=True)
class Preset:
    """An example: a lexicon with sentences and a view.

    Attributes
    ----------
    label
        In the chooser.
    sample
        Name of the shipped lexicon.
    sentence
        Shown first: one that shows what the lexicon is for; its own first sentence if empty.
    view
        Of the derivation.
    settings
        Values of the run panel's fields.
    counts
        Sentences and how often each occurs; the lexicon's own if empty.
    """

    label: str
    sample: str
    sentence: str = ""
    view: str = "movement"
    settings: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def corpus(self) -> list[tuple[str, ...]] | None:
        """The sentences, repeated; None for the lexicon's own."""
        return [tuple(s.split()) for s, n in self.counts.items() for _ in range(n)] or None


_AMBIGUOUS = "john saw the man with the telescope"
# The sentence that shows best what a lexicon is for.
_TELLING = {
    "an_bn": "a a a b b b",
    "an_bn_cn_dn": "a a b b c c d d",
    "copy_ww": "a b a b",
    "dyck": "( ( ) ) ( )",
    "english_adjuncts": "mary saw the old man with the telescope",
    "english_auxiliaries": "who have -s she see -en",
    "crossed_and_nested": "dat jan marie piet zag helpen zwemmen",
    "english_np_movement": "john seems to be praised",
    "english_pp_attachment": "john saw the man with the hat with the telescope",
    "english_relative_clauses": "the reporter who the senator attacked admitted the error",
    "figure1_object_first": "what did you see",
    "french_clitics_negation": "jean ne la voit pas",
    "german_verb_second": "den hund hat der mann gesehen",
    "korean_relative_clauses": "uywon -ul kongkyekha -n kica -ka silswu -ul siinha -ta",
    "naive_english_remnant": "who titus praise -s",
    "noun_compounds": "stone lion house plan",
    "stabler_king": "the king knows which wine the queen prefers",
}
_TEACHING = {
    "attachment_wh": Preset(
        "Attachment ambiguity",
        "attachment_wh",
        "what did you see in the park with the telescope",
        settings={"start": "jitter", "restarts": 3, "seed": 7},
    ),
    "figure1_wh": Preset(
        "Portelance et al. 2022, Figure 1", "figure1_wh", "what did you see", view="derivation"
    ),
    "sparse": Preset("Sparse prior, α 0.1", "english_pp_attachment", _AMBIGUOUS, settings={"alpha": 0.1}),
    "even": Preset("Uniform prior, α 1", "english_pp_attachment", _AMBIGUOUS, settings={"alpha": 1.0}),
    "gender_induction": Preset(
        "Breaking a symmetry",
        "gender_induction",
        "le soleil",
        settings={"alpha": 0.5, "iterations": 200},
        counts={"le soleil": 3, "le jour": 2, "la lune": 3, "la mer": 2},
    ),
    "smc_two_wh": Preset("Shortest move constraint", "smc_two_wh", "who what bought"),
    "dutch_cross_serial": Preset(
        "Cross-serial dependencies", "dutch_cross_serial", "dat jan piet zag zwemmen"
    ),
    "german_nested": Preset(
        "Nested dependencies", "german_nested", "dass jan marie piet schwimmen helfen sah"
    ),
    "silent_loop": Preset("A silent loop", "silent_loop", "b a"),
}


def presets() -> dict[str, Preset]:
    """Return value to preset; a shipped lexicon without a preset of its own shows itself."""
    plain = {
        s.name: Preset(s.title, s.name, _TELLING.get(s.name, ""))
        for s in samples("mg")
        if s.name not in _TEACHING
    }
    return {**_TEACHING, **plain}
