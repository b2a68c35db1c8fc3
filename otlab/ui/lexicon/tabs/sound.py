"""The Sound tab: an utterance with its units, similar segments, and units against gold phones."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.io.readings import tiers_of, tiers_reading
from otlab.discovery.sound.audio import wav_bytes
from otlab.errors import collected_warnings
from otlab.html import escape
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import faults
from otlab.ui.components.read_as import ReadAsPanel
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.lexicon.components import Pickers, SegmentList, SoundView
from otlab.ui.lexicon.open_sound import MOST_BYTES, SOUND_ENDINGS, sound_of
from otlab.ui.lexicon.sound import UNITS
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.source import Source
from otlab.ui.tab import Tab
from otlab.viz.base.numbers import count_text, counted_text
from otlab.viz.base.tokens import SPECTROGRAM, mix
from otlab.viz.discovery import sound as pictures

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.errors import InputError
    from otlab.reading import ReadAs
    from otlab.ui.lexicon.open_sound import OpenSound
    from otlab.viz.base.tokens import Tokens

__all__ = ["SoundTab"]

OWN = "own"

_PRESS_RUN = (
    '<p class="small">Tick Phone loop and press Run: each unit is then set against the gold phones.</p>'
)
_NO_GOLD = '<p class="small">There are no gold phones to set units against.</p>'
_CHOOSE = '<p class="small">Press a unit below the spectrogram to hear it and those most like it.</p>'


class SoundTab(Tab[LexiconState]):
    """Sound, its units, and their agreement with gold phones."""

    title = "Sound"
    repeats = NOTHING_REPEATED
    depends = ("sound_changed",)

    def build(self) -> Any:
        """Return the cards in their places; the first shipped sound is opened if none is."""
        sound = self.state.sound
        if sound.opened is None:
            sound.open_example(next(iter(sound.examples())))
        self._drawn: tuple[Any, int] | None = None
        self.lab.palette.follow(self)
        colors = _colors(self.lab.palette.tokens)
        empty = _sound_empty()
        self._picture = SoundView(self._on_message, sound=empty, units=_units_empty(), colors=colors)
        self._list = SegmentList(self._on_list_message, rows=[], visible=False)
        self._list_hint = Html(_CHOOSE)
        self._map = Html(
            _PRESS_RUN, pictures.CONTINGENCY_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"}
        )
        self._choice = Pickers(self._picked, choices=[], sizing_mode="stretch_width", height=34)
        self.zone = FileZone(
            self._read, self._show_read, self._refused,
            label="Drop sound here, or choose a file",
            hint="WAV, FLAC, OGG, MP3, AIFF, NIST; or a ZIP of them, with gold times and folders",
            accept=",".join(SOUND_ENDINGS), most=MOST_BYTES,
            large="use the command line: otlab discover --audio", recording=True,
        )  # fmt: skip
        self.at_close(self.zone.cancel)
        self.read_as = ReadAsPanel(self._read_so)
        self._again: tuple[Source, dict[str, str]] | None = None  # a file that is read with other tiers
        self._notes = Html("", sizing_mode="stretch_width")
        self._faults = down(sizing_mode="stretch_width")
        self._sound = Card("Sound", self._picture, menu=False)
        self._near = Card("Nearest segments", self._list_hint, self._list, menu=False)
        self._against = Card("Units and gold phones", self._map)
        parts = (self._choice, self.zone, self._faults, self._notes, self.read_as)
        load = Card("Open sound", *parts, menu=False)
        near = down(self._near, width=248, sizing_mode="stretch_height")
        opened = down(load, width=320, sizing_mode="stretch_height")
        below = across(near, self._against, opened, height=290, sizing_mode="stretch_width")
        return down(self._sound, below)

    def draw(self) -> None:
        """Draw the utterance, its units, the nearest segments and the map."""
        sound = self.state.sound
        examples = [*sound.examples().items()]
        opened = sound.shown
        title = opened.title
        value = next((name for name, label in examples if label == title), OWN)
        options = [*examples, *([(OWN, title)] if value == OWN else [])]
        self._choice.choices = [
            {"name": "sound", "label": "Sound", "value": value, "options": [list(o) for o in options]}
        ]
        self._sound.remark = _remark(opened) + self._agreement()
        here = (opened, sound.utterance)
        if self._drawn != here:
            self._drawn = here
            self._picture.param.update(sound=self._sound_shown(), units=self._units_shown())
        else:
            self._picture.units = self._units_shown()
        self._show_missing()
        self._show_reading()
        self._show_nearest()
        table, gold = sound.table, opened.speech.phones is not None
        self._against.remark = "area: share of the unit's frames" if table is not None else ""
        hint = _PRESS_RUN if gold else _NO_GOLD
        self._map.show(hint if table is None else pictures.contingency_map(table))

    def recolor(self, tokens: Tokens) -> None:
        """Redraw in the colours of light or dark mode."""
        self._picture.colors = _colors(tokens)

    # Drawing.

    def _sound_shown(self) -> dict[str, Any]:
        state = self.state.sound
        speech, u = state.speech, state.utterance
        samples = state.samples(u)
        place = f"{speech.names[u]}, {count_text(u + 1)} of {count_text(len(speech))}"
        seconds = float((speech.lengths[u] - 1) * speech.hop + speech.window)
        words, phones = (
            [] if tier is None else [list(i) for i in tier[u]] for tier in (speech.words, speech.phones)
        )
        shown = {**_sound_empty(), "place": place, "seconds": seconds, "words": words, "phones": phones}
        if samples is None:
            return shown
        picture = pictures.spectrogram(*samples)
        return shown | {
            "columns": picture.shape[0],
            "bands": picture.shape[1],
            "spectrogram": _packed(picture),
            "wave": _packed(pictures.waveform(*samples)),
            "ticks": [list(tick) for tick in pictures.frequency_ticks(samples[1])],
        }

    def _units_shown(self) -> dict[str, Any]:
        state = self.state.sound
        if state.view is None:
            return _units_empty()
        speech, u = state.speech, state.utterance
        frames = slice(speech.offsets[u], speech.offsets[u + 1])
        return {
            "segments": [[i.start, i.end, int(i.label)] for i in state.intervals(u)],
            "agreed": [[i.start, i.end] for i in state.agreed(u)],
            "selected": state.selected,
            "start": _bytes(state.view.start[frames]),
            "probability": _bytes(state.view.probability[frames]),
            "hop": speech.hop,
            "first": float(speech.time(0)),
            "hint": "",
        }

    def _agreement(self) -> str:
        """Return boundary F of what most of several runs agree on, beside that of the run shown, in words."""
        scores = self.state.sound.scores() or {}
        if "agreed_boundary_f" not in scores:
            return ""
        agreed, one = (f"{scores[name]:.3f}".lstrip("0") for name in ("agreed_boundary_f", "boundary_f"))
        runs = counted_text(self.state.sound.runs, "run")
        return f"; boundary F of what {runs} agree on {agreed}, of the run shown {one}"

    def _show_missing(self) -> None:
        """Show which sound of the document is missing."""
        name = self.state.sound.missing
        if name:
            text = f"{name} is not saved with this document. Open the file and run again to see its units."
            self._notes.show(f'<p class="small">{escape(text)}</p>')

    def _show_reading(self) -> None:
        """Show from which tiers of the user's TextGrids gold was read, and offer the others."""
        opened = self.state.sound.shown
        read = None if opened.original is None else opened.speech.reading
        if read is None or not read.offered:
            self.read_as.hide()
            return
        reading = tiers_reading(read.offered, read.tiers)
        recordings = len(set(self.state.sound.speech.names))
        self.read_as.show(
            (reading,), reading, "1 recording" if recordings == 1 else f"{recordings:,} recordings"
        )

    def _read_so(self, reading: ReadAs) -> None:
        """Read the open file again with the tiers that were chosen; Undo goes back."""
        opened = self.state.sound.shown
        if opened.original is not None:
            source = Source(opened.title, opened.original.read_bytes())
            self._again = source, tiers_of(reading)
            self.zone.open(source)

    def _show_nearest(self) -> None:
        state = self.state.sound
        found, nearest = state.found, state.nearest()
        self._list.visible = bool(nearest)
        self._list_hint.visible = not nearest
        self._near.remark = ""
        if found is None or not nearest:
            self._list.rows = []
            alone = state.selected >= 0 and found is not None
            self._list_hint.show('<p class="small">No other segment has this unit.</p>' if alone else _CHOOSE)
            return
        unit = found.segments[state.utterance][state.selected].unit
        self._near.remark = f"unit {unit}, {count_text(int((found.units == unit).sum()))} uses"
        self._list.rows = [self._row(u, k, distance) for u, k, distance in nearest]

    def _row(self, u: int, k: int, distance: float) -> dict[str, Any]:
        state = self.state.sound
        speech, found = state.speech, state.found
        i = found.intervals[u][k] if found is not None else None
        middle = 0.0 if i is None else (i.start + i.end) / 2
        tier = () if speech.phones is None else speech.phones[u]
        gold = next((p.label for p in tier if p.start <= middle < p.end), "")
        time = f"{float(speech.begins[u]) + (0.0 if i is None else i.start):.2f}"
        return {
            "u": u,
            "k": k,
            "name": speech.names[u],
            "time": time,
            "gold": gold,
            "distance": f"{distance:.2f}",
        }

    # Callbacks.

    def _on_message(self, message: dict[str, Any]) -> None:
        state, kind = self.state.sound, message["kind"]
        if kind == "turn":
            turned = (state.utterance + int(message["by"])) % len(state.speech)
            state.param.update(utterance=turned, selected=-1)
        elif kind == "play":
            samples = state.samples(state.utterance)
            if samples is not None:
                self._play(wav_bytes(*samples), 0.0)
        elif kind == "choose":
            k, intervals = int(message["segment"]), state.intervals(state.utterance)
            if 0 <= k < len(intervals):
                state.selected = k
                self._play(state.segment_sound(state.utterance, k), intervals[k].start)

    def _on_list_message(self, message: dict[str, Any]) -> None:
        state, u, k = self.state.sound, int(message["u"]), int(message["k"])
        if message["kind"] == "show":
            state.param.update(utterance=u, selected=k)
        else:
            self._play(state.segment_sound(u, k), None)

    def _play(self, wav: bytes | None, start: float | None) -> None:
        """Send sound to the browser; the moving line begins at `start`."""
        if wav is not None:
            self._picture._send_msg({"wav": base64.b64encode(wav).decode(), "start": start})

    def _picked(self, message: dict[str, Any]) -> None:
        if message["value"] != OWN:
            self.state.open_sound(self.state.sound.example(str(message["value"])))

    def _read(self, source: Source, progress: Callable[[float], None]) -> tuple[OpenSound, list[str]]:
        again = self._again
        tiers = again[1] if again is not None and again[0] is source else None
        with collected_warnings() as notes:
            opened = sound_of(source.name, source.content(), progress, tiers)
        return opened, notes

    def _show_read(self, source: Source, result: tuple[OpenSound, list[str]]) -> None:
        opened, notes = result
        self._faults.clear()
        self._notes.show("".join(f'<p class="small">{escape(note)}</p>' for note in notes))
        self.state.open_sound(opened)
        self.lab.runner.enable([UNITS])

    def _refused(self, error: InputError, source: Source) -> None:
        self._faults[:] = [faults(error, source.name, ("Choose another file", self.zone.choose))]


def _remark(opened: OpenSound) -> str:
    speech = opened.speech
    noun = "utterance" if len(speech) == 1 else "utterances"
    return f"{opened.title}: {count_text(len(speech))} {noun}, {speech.seconds:.0f} s"


def _colors(tokens: Tokens) -> list[str]:
    """Return the spectrogram's colours, from quiet to loud, on a light or dark page."""
    dark = int(tokens["surface"][1:3], 16) < 128
    return [mix(tokens["surface"], tokens["ink"], k / 5) for k in range(6)] if dark else list(SPECTROGRAM)


def _packed(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def _bytes(probability: np.ndarray) -> str:
    """Return probabilities as one byte each."""
    return _packed(np.round(255 * np.minimum(probability, 1.0)).astype(np.uint8))


def _sound_empty() -> dict[str, Any]:
    return {
        "place": "", "seconds": 1.0, "columns": 0, "bands": 1, "spectrogram": "", "wave": "", "ticks": [],
        "words": [], "phones": [],
    }  # fmt: skip


def _units_empty() -> dict[str, Any]:
    hint = "tick Phone loop and press Run"
    nothing = {"segments": [], "agreed": [], "selected": -1, "start": "", "probability": ""}
    return {**nothing, "hop": 0.01, "first": 0.0, "hint": hint}
