"""The lexicon lab's own components in the browser."""

from __future__ import annotations

import param

from otlab.ui.components.component import FillingComponent

__all__ = [
    "ChannelErrorList",
    "EditMap",
    "GrammarBox",
    "Pickers",
    "SegmentList",
    "SegmentationRows",
    "SoundView",
    "SpokenRows",
    "ThresholdSlider",
    "WordTable",
]


class SegmentationRows(FillingComponent):
    """Utterances as phones with a bar at each possible boundary."""

    shown = param.Dict(
        doc="rows (u, phones, p, gold or null, gloss), threshold, gold, known, place, word, chosen: in one, "
        "so that no part can be older than another"
    )

    script = "segmentation"


class ThresholdSlider(FillingComponent):
    """A slider for the lowest posterior probability that counts as a boundary."""

    value = param.Number(0.5)

    script = "threshold"


class WordTable(FillingComponent):
    """The words of the lexicon, to be chosen, banned or locked."""

    rows = param.List()
    hue = param.String("vb")

    script = "words"


class GrammarBox(FillingComponent):
    """The text of the grammar, with a choice of presets; sends either."""

    text = param.String()
    preset = param.String()
    presets = param.List()
    message = param.String()
    bad = param.Boolean()

    script = "grammar_box"


class Pickers(FillingComponent):
    """Drop-down lists in a row, each with its name; sends what is chosen."""

    choices = param.List(doc="name, label, value and options (value, words) of each")

    script = "pickers"


class EditMap(FillingComponent):
    """Substitutions, source phones by heard phones; sends which cell was clicked."""

    shown = param.Dict(doc="symbols, swaps (a row or null each), lost, added, chosen (top, bottom) or empty")

    script = "edit_map"


class ChannelErrorList(FillingComponent):
    """Words that the channel changed, aligned; sends which utterance was clicked."""

    rows = param.List()

    script = "channel_errors"


class SoundView(FillingComponent):
    """An utterance on a time line: spectrogram, waveform, gold tiers, units; plays what it is sent."""

    sound = param.Dict(
        doc="place, seconds, columns, bands, spectrogram and wave (base64), ticks, words, phones"
    )
    units = param.Dict(
        doc="segments (start, end, unit), agreed (start, end: what most of several runs have), selected, "
        "start and probability (posteriors, base64), hop, first, hint"
    )
    colors = param.List(doc="Colours of the spectrogram from quiet to loud.")

    script = "sound_view"
    parts = ("player",)


class SegmentList(FillingComponent):
    """Segments like the chosen one, each to be heard, or shown in its utterance."""

    rows = param.List()

    script = "segment_list"


class SpokenRows(FillingComponent):
    """Utterances of sound with the words of each model on one time line; plays what it is sent."""

    shown = param.Dict(
        doc="rows (u, name, share of the width, seconds, tiers of name, hue and words: start, end, label, "
        "tint, right or null), place, more: whether there are other pages"
    )

    script = "spoken_rows"
    parts = ("player",)
