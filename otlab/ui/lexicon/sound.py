"""State of the Sound tab: the open sound, its units, the selected segment; without Panel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from otlab.discovery.joint.learners import LEARNERS
from otlab.discovery.sound import audio
from otlab.discovery.sound.decode import (
    agreed_boundaries,
    agreed_segments,
    decode,
    frame_units,
    segment_intervals,
)
from otlab.discovery.sound.scores import boundary_ratio, contingency, r_value
from otlab.discovery.sound.speech import Speech, read_speech
from otlab.errors import Fault, InputError
from otlab.inference import run
from otlab.samples import sample_path, samples
from otlab.ui.lexicon.open_sound import OpenSound, sound_of, tiers_of_key
from otlab.ui.lexicon.spoken import JOINT, SpokenState
from otlab.ui.state import DocumentFile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from otlab.discovery.sound.decode import Segment
    from otlab.discovery.sound.scores import Contingency
    from otlab.discovery.sound.tiers import Interval
    from otlab.discovery.sound.view import UnitsView
    from otlab.inference import Run, Tick

__all__ = ["UNITS", "Found", "SoundState"]

UNITS = "units"
"""The row of the run panel."""

NEAREST = 10
_MARGIN = 0.02  # seconds before and after a segment that is played


@dataclass(frozen=True, eq=False)
class Found:
    """Units on the best path of every utterance, at the end of a run.

    Attributes
    ----------
    segments, intervals
        In frames, and in seconds.
    agreed
        Segments between boundaries that most of several runs have; empty for one run.
    """

    segments: list[list[Segment]]
    intervals: list[list[Interval]]
    agreed: list[list[Interval]]

    @property
    def units(self) -> np.ndarray:
        """The unit of each segment of all utterances."""
        return np.array([s.unit for each in self.segments for s in each])


def _find(speech: Speech, view: UnitsView, starts: Sequence[np.ndarray]) -> Found:
    """Return the best path through every utterance, and the boundaries that most runs have."""
    segments = [decode(speech, view.posterior, u) for u in range(len(speech))]
    agreed = agreed_boundaries(speech, starts) if len(starts) > 1 else []
    return Found(segments, [segment_intervals(speech, each) for each in segments], agreed)


class SoundState(param.Parameterized):
    """The sound of one reader's lab.

    Attributes
    ----------
    opened
        The open sound; None until the tab is opened.
    view
        The newest snapshot of the phone loop, of the run with the highest bound.
    utterance
        The one shown.
    selected
        Number of the segment chosen in it; -1 for none.
    spoken
        The words of the joint model.
    wanted
        The key of a sound that is saved with the document and has yet to be read.
    missing
        The name of a sound that was open, and is not saved with the document.
    """

    opened: OpenSound | None = param.ClassSelector(class_=OpenSound, doc="The sound that is open.")
    view: Any = param.Parameter(doc="The newest snapshot of the phone loop.")
    utterance: int = param.Integer(0, doc="The utterance shown.")
    selected: int = param.Integer(-1, doc="The segment chosen in it; -1 for none.")
    settled: bool = param.Boolean(doc="Whether the run of the snapshot has ended.")
    wanted: str = param.String(doc="The key of a saved sound that has yet to be read.")
    missing: str = param.String(doc="The name of a sound that is not saved with the document.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.spoken = SpokenState()
        self._found: Found | None = None
        self._found_in: UnitsView | None = None  # the view that these units were found in
        self._one: tuple[Any, int, list[Interval]] | None = None
        self._starts: tuple[np.ndarray, ...] = ()  # P(a unit starts) in each of the runs shown
        self._table: tuple[Any, bool, Contingency] | None = None
        self._means: tuple[Any, np.ndarray] | None = None
        self._scores: tuple[Any, dict[str, float]] | None = None
        self._own: dict[str, OpenSound] = {}  # the user's sounds that were opened, for Undo
        self._saved: dict[str, bytes] = {}  # sounds of the document that have not been read yet
        self._then: Callable[[], None] | None = None  # called when the wanted sound is open
        self._row = ""  # of the run panel, whose units are shown

    @property
    def shown(self) -> OpenSound:
        """The sound that is open.

        Raises
        ------
        InputError
            If none is open.
        """
        if self.opened is None:
            raise InputError(Fault("no sound is open", "open the Sound tab, or untick the learners of sound"))
        return self.opened

    @property
    def speech(self) -> Speech:
        """The frames of the sound that is open; raises as :attr:`shown` does."""
        return self.shown.speech

    def examples(self) -> Mapping[str, str]:
        """Return the shipped sounds."""
        return {s.name: s.title for s in reversed(samples("discovery")) if s.path.is_dir()}

    def open_example(self, name: str) -> None:
        """Open a shipped sound."""
        self.open(self.example(name))

    def example(self, name: str) -> OpenSound:
        """Return a shipped sound."""
        return OpenSound(self.examples()[name], read_speech(sample_path(name, "discovery")), name)

    def open(self, opened: OpenSound) -> None:
        """Open a sound; results of another one are deleted."""
        self.spoken.forget()
        self._then = None
        if opened.folder is not None:
            self._own[opened.key] = opened
        self.param.update(opened=opened, view=None, settled=False, utterance=0, selected=-1, wanted="")

    # Saved with the document.

    @property
    def key(self) -> str:
        """Which sound is open, or is about to be; empty for none or the first shipped one."""
        if self.wanted:
            return self.wanted
        key = "" if self.opened is None else self.opened.key
        return "" if key == self._first else key

    @cached_property
    def _first(self) -> str:
        return next(iter(self.examples()), "")

    def show(self, key: str) -> None:
        """Open the sound of a key; a file of the document is marked as wanted and read later."""
        if key == self.key:
            return
        self.missing, self._then = "", None
        if key in self._own:
            self.open(self._own[key])
        elif key in self._saved:
            self.wanted = key
        elif key in self.examples() or not key:
            self.wanted = ""
            if self.opened is not None or key:
                self.open_example(key or self._first)
        else:
            self.missing = key.partition(" ")[2]

    def to_read(self) -> Callable[[], OpenSound]:
        """Return a function that reads the wanted sound, on any thread."""
        key = self.wanted
        data = self._saved[key]
        return lambda: sound_of(key.partition(" ")[2], data, tiers=tiers_of_key(key))

    def show_wanted(self, opened: OpenSound | None) -> None:
        """Open the wanted sound, which has been read; None if it could not be."""
        then, name = self._then, self.wanted.partition(" ")[2]
        if opened is None:
            self.param.update(wanted="", missing=name)
        else:
            self.open(opened)
        self._then = None
        if then is not None:
            then()

    def when_open(self, then: Callable[[], None]) -> None:
        """Call a function when the sound of the document is open, or could not be read."""
        if self.wanted:
            self._then = then
            return
        if self.opened is None and not self.missing:
            self.open_example(self._first)
        then()

    def rows_shown(self) -> set[str]:
        """Return the rows whose units or words are shown."""
        rows = {self._row} if self.view is not None else set()
        return rows | {JOINT} if self.spoken.view is not None else rows

    def files(self, keys: Iterable[str]) -> list[DocumentFile]:
        """Return the files of the user's own sounds among these."""
        out = []
        for key in keys:
            name = key.partition(" ")[2]
            opened, saved = self._own.get(key), self._saved.get(key)
            path = None if opened is None else opened.original
            if saved is not None:
                out.append(DocumentFile(key, name, len(saved), partial(bytes, saved)))
            elif path is not None:
                out.append(DocumentFile(key, name, path.stat().st_size, path.read_bytes))
        return out

    def put_files(self, files: Mapping[str, bytes]) -> None:
        """Set the sounds of another document, and close that of the last one."""
        self.forget()
        self._own, self._saved, self._then = {}, dict(files), None
        self.show("")
        self.missing = ""

    def plan(self, name: str, settings: Mapping[str, Any]) -> Callable[[], Run[Any, Any]]:
        """Return a function that makes a run of the phone loop or of the joint model."""
        speech, entry = self.speech, LEARNERS[name]
        own = {name: value for name, value in settings.items() if name in entry.settings.param}
        chosen = entry.settings(**own)
        steps = getattr(chosen, "steps", settings["iterations"])
        seed, chains = settings["seed"], settings["restarts"]
        return lambda: run(entry.make(speech, chosen), sweeps=steps, seed=seed, chains=chains)

    def starting(self, rows: Collection[str]) -> None:
        """Prepare for runs of these rows: the last results stay in sight until their first ticks."""
        if not {UNITS, JOINT}.isdisjoint(rows):
            self._row = UNITS if UNITS in rows else JOINT

    def take(self, row: str, tick: Tick[UnitsView]) -> None:
        """Show the newest snapshot of a row's run, of the chain with the highest bound.

        The segment at the same place is selected then.
        """
        self._row, self._starts = row, tuple(view.start for view in tick.views)
        chosen = self.intervals(self.utterance)[self.selected] if self.selected >= 0 else None
        with param.parameterized.batch_call_watchers(self):
            self.param.update(view=max(tick.views, key=lambda view: view.bound), settled=False, selected=-1)
            if chosen is not None:
                middle, now = (chosen.start + chosen.end) / 2, self.intervals(self.utterance)
                self.selected = next((k for k, i in enumerate(now) if i.start <= middle < i.end), -1)

    def to_settle(self) -> Callable[[], tuple[UnitsView, Found] | None]:
        """Return a function that finds the units of all utterances for :meth:`settle`, on any thread."""
        view, opened, starts = self.view, self.opened, self._starts
        if view is None or opened is None or self.settled:
            return lambda: None
        return lambda: (view, _find(opened.speech, view, starts))

    def settle(self, found: tuple[UnitsView, Found] | None) -> None:
        """Store the units of all utterances, after the run has ended."""
        if found is not None and found[0] is self.view:
            self._found_in, self._found = found
            self.settled = True

    def replay(self, row: str, tick: Tick[UnitsView], ended: bool) -> None:
        """Show an earlier tick of the run that has ended, or its last."""
        self.take(row, tick)
        self.settled = ended and self.view is self._found_in

    def forget(self) -> None:
        """Delete the results."""
        self.spoken.forget()
        self.param.update(view=None, settled=False, selected=-1)

    # Results and selection.

    def intervals(self, u: int) -> list[Interval]:
        """Return the units of the best path through an utterance, with their times."""
        if self.found is not None:
            return self.found.intervals[u]
        if self.view is None:
            return []
        if self._one is None or self._one[:2] != (self.view, u):
            segments = decode(self.speech, self.view.posterior, u)
            self._one = (self.view, u, segment_intervals(self.speech, segments))
        return self._one[2]

    @property
    def units_used(self) -> int:
        """The number of units that are drawn; during a run, of those that are the most probable somewhere."""
        if self.found is not None:
            return int(np.unique(self.found.units).size)
        return 0 if self.view is None else int(self.view.units_used)

    @property
    def runs(self) -> int:
        """The number of runs whose units are shown; 0 before a run."""
        return 0 if self.view is None else len(self._starts)

    def agreed(self, u: int) -> list[Interval]:
        """Return the segments between boundaries that most of several runs have; none for one run."""
        if self.runs < 2:
            return []
        return (
            self.found.agreed[u] if self.found is not None else agreed_segments(self.speech, self._starts, u)
        )

    @property
    def found(self) -> Found | None:
        """Units of all utterances; None before the end of a run."""
        return self._found if self.settled else None

    @property
    def table(self) -> Contingency | None:
        """Frames by unit and gold phone, in a run by the most probable unit; None without gold."""
        if self.view is None or self.opened is None or self.speech.phones is None:
            return None
        if self._table is None or self._table[0] is not self.view or self._table[1] != self.settled:
            units = self.view.unit
            if self.found is not None:
                units = np.concatenate([frame_units(each) for each in self.found.segments])
            table = contingency(self.speech, units, self.view.entries.size)
            self._table = (self.view, self.settled, table)
        return self._table[2]

    def scores(self) -> dict[str, float] | None:
        """Return scores against gold phones; None without gold or results."""
        found, table = self.found, self.table
        gold = self.speech.phones if table is not None else None
        if found is None or table is None or gold is None:
            return None
        if self._scores is None or self._scores[0] is not found:
            boundary = boundary_ratio(found.intervals, gold)
            out = {"nmi": table.nmi, "boundary_f": boundary.f, "r_value": r_value(boundary)}
            if found.agreed:
                out["agreed_boundary_f"] = boundary_ratio(found.agreed, gold).f
            self._scores = (found, out)
        return self._scores[1]

    def nearest(self) -> list[tuple[int, int, float]]:
        """Return utterance, segment and distance of the most similar segments of the same unit."""
        found = self.found
        if found is None or not 0 <= self.selected < len(found.segments[self.utterance]):
            return []
        places = [(u, k) for u, each in enumerate(found.segments) for k in range(len(each))]
        here = places.index((self.utterance, self.selected))
        means = self._thirds(found)
        same = np.flatnonzero(found.units == found.units[here])
        same = same[same != here]
        distances = np.sqrt(((means[same] - means[here]) ** 2).mean(axis=1))
        order = np.argsort(distances, kind="stable")[:NEAREST]
        return [(*places[same[k]], float(distances[k])) for k in order]

    def _thirds(self, found: Found) -> np.ndarray:
        """Return the mean features of the thirds of each segment, concatenated."""
        if self._means is None or self._means[0] is not found:
            rows = []
            for u, each in enumerate(found.segments):
                features = self.speech.features[self.speech.offsets[u] : self.speech.offsets[u + 1]]
                for s in each:
                    parts = np.array_split(features[s.first : s.stop], 3)
                    rows.append(np.concatenate([part.mean(axis=0) for part in parts]))
            self._means = (found, np.array(rows))
        return self._means[1]

    def samples(self, u: int, start: float = 0.0, end: float | None = None) -> tuple[np.ndarray, int] | None:
        """Return the samples of an utterance, or a part of it, and their rate; None without sound."""
        speech = self.speech
        if not speech.sources or not speech.sources[u]:
            return None
        begin = float(speech.begins[u])
        stop = (speech.lengths[u] - 1) * speech.hop + speech.window if end is None else end
        return audio.excerpt(Path(speech.sources[u]), max(0.0, begin + start), begin + stop)

    def segment_sound(self, u: int, k: int) -> bytes | None:
        """Return a segment with a little around it as a WAV file."""
        i = self.intervals(u)[k]
        part = self.samples(u, max(0.0, i.start - _MARGIN), i.end + _MARGIN)
        return None if part is None else audio.wav_bytes(*part)
