"""The lexicon lab's own components in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from otlab.ui.components import esm, styles
from otlab.ui.components.component import MessageComponent

if TYPE_CHECKING:
    from collections.abc import Callable

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

_HERE = Path(__file__).parent


class _Filling(MessageComponent):
    """A component that fills its card and sends the user's actions to Python."""

    __abstract = True

    def __init__(self, on_message: Callable[[Any], None], **params: Any) -> None:
        super().__init__(on_message, **{"margin": 0, "sizing_mode": "stretch_both", **params})


class SegmentationRows(_Filling):
    """Utterances as phones with a bar at each possible boundary."""

    shown = param.Dict(
        doc="rows (u, phones, p, gold or null, gloss), threshold, gold, known, place, word, chosen: in one, "
        "so that no part can be older than another"
    )

    _esm = esm("segmentation", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("segmentation", _HERE)


class ThresholdSlider(_Filling):
    """A slider for the lowest posterior probability that counts as a boundary."""

    value = param.Number(0.5)

    _esm = esm("threshold", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("threshold", _HERE)


class WordTable(_Filling):
    """The words of the lexicon, to be chosen, banned or locked."""

    rows = param.List()
    hue = param.String("vb")

    _esm = esm("words", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("words", _HERE)


class GrammarBox(_Filling):
    """The text of the grammar, with a choice of presets; sends either."""

    text = param.String()
    preset = param.String()
    presets = param.List()
    message = param.String()
    bad = param.Boolean()

    _esm = esm("grammar_box", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("grammar_box", _HERE)


class Pickers(_Filling):
    """Drop-down lists in a row, each with its name; sends what is chosen."""

    choices = param.List(doc="name, label, value and options (value, words) of each")

    _esm = esm("pickers", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("pickers", _HERE)


class EditMap(_Filling):
    """Substitutions, source phones by heard phones; sends which cell was clicked."""

    shown = param.Dict(doc="symbols, swaps (a row or null each), lost, added, chosen (top, bottom) or empty")

    _esm = esm("edit_map", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("edit_map", _HERE)


class ChannelErrorList(_Filling):
    """Words that the channel changed, aligned; sends which utterance was clicked."""

    rows = param.List()

    _esm = esm("channel_errors", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("channel_errors", _HERE)


class SoundView(_Filling):
    """An utterance on a time line: spectrogram, waveform, gold tiers, units; plays what it is sent."""

    sound = param.Dict(
        doc="place, seconds, columns, bands, spectrogram and wave (base64), ticks, words, phones"
    )
    units = param.Dict(
        doc="segments (start, end, unit), agreed (start, end: what most of several runs have), selected, "
        "start and probability (posteriors, base64), hop, first, hint"
    )
    colors = param.List(doc="Colours of the spectrogram from quiet to loud.")

    _esm = esm("sound_view", _HERE, parts=("player",))
    _stylesheets: ClassVar[list[str]] = styles("sound_view", _HERE)


class SegmentList(_Filling):
    """Segments like the chosen one, each to be heard, or shown in its utterance."""

    rows = param.List()

    _esm = esm("segment_list", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("segment_list", _HERE)


class SpokenRows(_Filling):
    """Utterances of sound with the words of each model on one time line; plays what it is sent."""

    shown = param.Dict(
        doc="rows (u, name, share of the width, seconds, tiers of name, hue and words: start, end, label, "
        "tint, right or null), place, more: whether there are other pages"
    )

    _esm = esm("spoken_rows", _HERE, parts=("player",))
    _stylesheets: ClassVar[list[str]] = styles("spoken_rows", _HERE)
