"""The lexicon lab: watch words appear in unsegmented phones.

::

    lab = LexiconLab("toy_phones")          # a notebook cell shows it
    lab = LexiconLab(corpus)                # any otlab.discovery.Corpus, or a list of lines
    lab.corpus, lab.results["batch"].ends   # ordinary Python objects
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from otlab.discovery.corpus import Corpus
from otlab.discovery.joint.learners import LEARNERS as SOUND_LEARNERS
from otlab.discovery.learners import MODELS
from otlab.discovery.presets import PRESETS
from otlab.errors import InputError, collected_warnings
from otlab.html import escape
from otlab.ui.background import Background
from otlab.ui.components.badge import Stat, TrustReport, badge
from otlab.ui.components.cards import Html
from otlab.ui.fields import values_of
from otlab.ui.glossary import define
from otlab.ui.lab import Lab
from otlab.ui.lexicon.classwork import LexiconClasswork
from otlab.ui.lexicon.components import GrammarBox
from otlab.ui.lexicon.open_sound import SOUND_ENDINGS, sound_of
from otlab.ui.lexicon.sound import UNITS
from otlab.ui.lexicon.spoken import JOINT
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.lexicon.tabs.data import DataTab
from otlab.ui.lexicon.tabs.edits import EditsTab
from otlab.ui.lexicon.tabs.runs import RunsTab
from otlab.ui.lexicon.tabs.segment import SegmentTab, TextName
from otlab.ui.lexicon.tabs.sound import SoundTab
from otlab.ui.lexicon.tabs.spoken import SpokenTab
from otlab.ui.lexicon.tabs.trees import TreesTab
from otlab.ui.lexicon.texts import corpus_given, corpus_of, read_message
from otlab.ui.lexicon.trust import steps_report, text_report
from otlab.ui.run_panel import RunPanel
from otlab.ui.runner import LearnerRow
from otlab.viz.base.numbers import DASH, count_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from otlab.discovery.learners.view import DiscoveryView
    from otlab.discovery.sound.view import UnitsView
    from otlab.errors import Fault
    from otlab.inference import Tick
    from otlab.ui.lexicon.open_sound import OpenSound
    from otlab.ui.lexicon.runs import FinishedRun
    from otlab.ui.lexicon.sound import Found
    from otlab.ui.lexicon.spoken import SpokenWords
    from otlab.ui.source import Source
    from otlab.viz.base.tokens import Hue

    _Read = tuple[SpokenWords | None, SpokenWords | None]
    _Concluded = tuple[list[FinishedRun] | None, tuple[UnitsView, Found] | None, _Read]

__all__ = ["LexiconLab"]

_DETAILS = {
    "batch": "exact", "online": "in batches", "mcmc": "sampling", "noisy": "mishearings",
    UNITS: "in sound", JOINT: "in sound",
}  # fmt: skip
_HINT = '<div class="hint">The best ELBO is not always the best segmentation: see Runs.</div>'
_HINT_CSS = """
.hint { background: var(--ot-warn-bg); color: var(--ot-warn); border-radius: 8px; padding: 9px 12px;
  font-size: 12px; line-height: 1.45; }
.hint + .hint { margin-top: 8px; }
"""


class LexiconLab(Lab):
    """One reader's lexicon lab.

    Parameters
    ----------
    corpus
        A corpus, a file, a shipped sample by name, or utterances as strings.

    Raises
    ------
    InputError
        If the file has faults, or there is no such sample.
    """

    title, route = "Lexicon", "lexicon_lab"
    state: LexiconState
    classwork = LexiconClasswork()
    tabs = (SegmentTab, SoundTab, SpokenTab, TreesTab, EditsTab, RunsTab, DataTab)
    actions = (TextName,)

    def __init__(self, corpus: Corpus | str | Path | Sequence[str] = "toy_phones") -> None:
        text = corpus_given(corpus)
        super().__init__(LexiconState(text))
        self.state.example = text.name.removesuffix(".txt") if isinstance(corpus, str) else ""
        self.state.own_name = "" if self.example else text.name
        self._toasted: tuple[str, ...] = ()
        self._concluding, self._reading, self._reading_sound = Background(), Background(), Background()
        self._busy_reading = self._read_again = False
        self._unfinished: Callable[[], _Concluded] | None = None
        self._grammar = GrammarBox(
            self._on_grammar_message,
            text=self.state.grammar_text,
            preset="word",
            presets=[[name, name.capitalize()] for name in PRESETS],
            sizing_mode="stretch_width",
        )
        self._hint = Html(_HINT, _HINT_CSS, sizing_mode="stretch_width")
        self.runner: RunPanel = self.connect(
            RunPanel(
                [*map(self._row, MODELS), *map(self._sound_row, (UNITS, JOINT))],
                self.settings,
                on_start=self._starting,
                on_ticks=self._ticked,
                on_end=self._ended,
                on_reset=self._forget,
                on_replay_ticks=self._replayed,
                trust=self._trust,
                placeholder=TrustReport(badge("Too early to say"), self._stats()),
                title="Learner",
                above=[self._grammar],
                extra=[self._hint],
            )
        )
        self.state.param.watch(lambda _: self._drop(), "clean")
        self.state.sound.param.watch(lambda _: self._drop_sound(), "opened")
        self.state.sound.param.watch(lambda _: self._read_sound(), "wanted")
        looked_at = ["settled", "shown", "symbol", "threshold", "locked", "banned"]
        self.state.param.watch(self._judge, looked_at)
        self.state.param.watch(lambda _: self._show_grammar(), "learners")
        self.settings.param.watch(self._settings_changed, list(values_of(self.settings)))
        self._show_grammar()
        self._show_warnings()

    @property
    def corpus(self) -> Corpus:
        """The text given to the learners; setting it shows another one, which can be undone."""
        return self.state.corpus

    @corpus.setter
    def corpus(self, corpus: Corpus) -> None:
        self.open_corpus(corpus)

    @property
    def results(self) -> dict[str, DiscoveryView]:
        """The newest snapshot of each learner, of its first restart."""
        return {learner: views[0] for learner, views in self.state.results.items()}

    def read(self, source: Source, progress: Callable[[float], None]) -> tuple[Corpus | OpenSound, list[str]]:
        """Return the text or sound of a file, and what was left out of it."""
        with collected_warnings() as notes:
            if source.name.lower().endswith(SOUND_ENDINGS):
                return sound_of(source.name, source.content()), notes
            return corpus_of(source.name, source.content(), progress), notes

    def show_read(self, source: Source, result: tuple[Corpus | OpenSound, list[str]]) -> None:
        """Show a text or sound that was read."""
        data, notes = result
        if isinstance(data, Corpus):
            self.open_corpus(data, notes)
        else:
            self.open_sound(data, notes)

    def open_corpus(self, corpus: Corpus, notes: Sequence[str] = ()) -> None:
        """Show any text; `notes` say what was left out of it."""
        self.open_own(corpus.name, lambda: self.state.load(corpus, notes), message=read_message(corpus))
        self.go("Segment")

    def open_sound(self, opened: OpenSound, notes: Sequence[str] = ()) -> None:
        """Show sound, and tick the learner of its units; `notes` say what was left out."""
        self.state.open_sound(opened)
        self.runner.enable([UNITS])
        for note in notes:
            self.warn(note)
        self.go("Sound")

    def document_changed(self, *, opened: bool) -> None:
        """Update the messages on text and grammar."""
        self._show_grammar()
        self._show_warnings()

    def _row(self, name: str) -> LearnerRow:
        entry = MODELS[name]
        return LearnerRow(
            name,
            entry.label,
            cast("Hue", entry.hue),
            lambda: self.state.plan(name, values_of(self.settings)),
            detail=lambda: _DETAILS.get(name, ""),
            unit=entry.unit,
            enabled=name == "batch",
            begun=lambda run: self.state.begun(name, run),
        )

    def _sound_row(self, name: str) -> LearnerRow:
        entry = SOUND_LEARNERS[name]
        return LearnerRow(
            name,
            entry.label,
            "other" if name == UNITS else cast("Hue", entry.hue),
            lambda: self.state.sound.plan(name, values_of(self.settings)),
            detail=lambda: _DETAILS[name],
            unit=entry.unit,
            enabled=False,
        )

    def _of_text(self) -> list[str]:
        """Return the learners ticked that learn from the text."""
        return [name for name in self.runner.runner.enabled if name in MODELS]

    def _starting(self) -> None:
        if self._unfinished is not None:  # Run was pressed again meanwhile
            self._concluding.forget()
            self._settled(self._unfinished())
        self.state.sound.starting(self.runner.runner.enabled)
        enabled = self._of_text()
        if not enabled:
            return
        with collected_warnings():  # the page shows what the parser leaves out
            self.state.starting(values_of(self.settings), enabled)
        self._show_warnings()
        if self.state.settings.shown not in enabled:
            self.state.settings.shown = next(name for name in MODELS if name in enabled)

    def _ticked(self, ticks: dict[str, Tick[Any]]) -> None:
        sound = self.state.sound
        units = UNITS if UNITS in self.runner.runner.jobs else JOINT  # whose units the Sound tab shows
        if units in ticks:
            sound.take(units, ticks[units])
        if JOINT in ticks:
            sound.spoken.take(ticks[JOINT])
            self._read_words()
        text = {name: tick for name, tick in ticks.items() if name in MODELS}
        if text:
            self.state.take(text)

    def _read_words(self) -> None:
        """Find times and scores of the words in sound on another thread; ticks in between are skipped."""
        if self._busy_reading:
            self._read_again = True
            return
        sound = self.state.sound

        def show(found: _Read) -> None:
            self._busy_reading = False
            sound.spoken.read(found)
            if self._read_again:
                self._read_words()

        self._busy_reading, self._read_again = True, False
        self._reading.do(sound.spoken.to_read(sound.speech), show)

    def _replayed(self, ticks: dict[str, Tick[Any]], ended: bool) -> None:
        sound = self.state.sound
        units = UNITS if UNITS in ticks else JOINT
        if units in ticks:
            sound.replay(units, ticks[units], ended)
        if JOINT in ticks:
            sound.spoken.take(ticks[JOINT])
            self._read_words()
        text = {name: tick for name, tick in ticks.items() if name in MODELS}
        if text:
            self.state.replay(text, ended)

    def _ended(self, how: str) -> None:
        """Segment and score the results on another thread."""
        refused = how == "failed" or MODELS.keys().isdisjoint(self.runner.runner.jobs)  # the last stay
        text = None if refused else self.state.to_conclude()
        sound, spoken = self.state.sound, self.state.sound.spoken
        units = sound.to_settle()
        words = (lambda: (None, None)) if spoken.view is None else spoken.to_read(sound.speech)
        self._forget_reading()
        self._unfinished = lambda: (None if text is None else text(), units(), words())
        self._concluding.do(self._unfinished, self._settled)

    def _forget_reading(self) -> None:
        self._reading.forget()
        self._busy_reading = self._read_again = False

    def _settled(self, found: _Concluded) -> None:
        """Show and keep the results of a run."""
        self._unfinished = None
        finished, units, words = found
        if finished is not None:
            self.state.finish(finished)
        self.state.sound.settle(units)
        self.state.sound.spoken.read(words)
        if self._shown_view is not None:
            self.runner.reassess()

    def _drop(self) -> None:
        """Stop and delete the run, because its text is no longer open."""
        self._concluding.forget()
        self._forget_reading()
        self._unfinished = None
        self.runner.clear()

    def _drop_sound(self) -> None:
        """Stop a run whose sound is no longer open."""
        if not {UNITS, JOINT}.isdisjoint(self.runner.runner.jobs):
            self._drop()
        self.changed()

    def _read_sound(self) -> None:
        """Read a sound that is saved with the document, beside the page."""
        sound = self.state.sound
        self._reading_sound.forget()
        if not sound.wanted:
            return
        read = sound.to_read()

        def opened() -> OpenSound | None:
            try:
                return read()
            except InputError:
                return None

        self._reading_sound.do(opened, sound.show_wanted)

    def _forget(self) -> None:
        self._concluding.forget()
        self._forget_reading()
        self._unfinished = None
        self.state.end_trial()
        self.state.forget()
        self.state.sound.forget()

    @property
    def _shown_view(self) -> Any:
        """The result that badge and figures of the run panel describe: the text's or the sound's."""
        return self.state.view if self._of_text() else self.state.sound.view

    def _judge(self, *_: Any) -> None:
        """Update the assessment of the result shown, if there was one before."""
        if self.runner.report is not None and self.state.view is not None:
            self.runner.reassess()

    def _on_grammar_message(self, data: dict[str, Any]) -> None:
        text = str(data["value"])
        if data["kind"] == "preset":
            if text not in PRESETS:  # "own rules" are those that are there
                return
            text = PRESETS[text]
        self.state.write_grammar(text)
        self._show_grammar()
        if self.state.fault is None and self.runner.runner.failures:  # the fault was corrected
            self.runner.clear()
            self.runner.reassess()
        self.changed()

    def _show_grammar(self) -> None:
        state = self.state
        preset = state.grammar_name if state.grammar_name in PRESETS else ""
        if state.fault is not None:
            lines = [_fault_words(fault) for fault in state.fault.faults]
        else:
            adapted = "; ".join(
                f"{name}: at most {count_text(a.truncation)} kept, concentration {a.concentration:g}, "
                f"discount {a.discount:g}"
                for name, a in state.parsed.adapted.items()
            )
            lines = [*state.grammar_notes, adapted]
        text, bad = state.grammar_text, state.fault is not None
        of_text = bool(self._of_text() or not self.runner.runner.enabled)
        self._grammar.param.update(
            text=text, preset=preset, message="\n".join(lines), bad=bad, visible=of_text
        )

    def _show_warnings(self) -> None:
        """Show warnings about the text: once in a toast, and below the settings while they apply."""
        for warning in self.state.warnings:
            if warning not in self._toasted:
                self.warn(warning)
        self._toasted = tuple(self.state.warnings)
        warnings = "".join(f'<div class="hint">{escape(d)}</div>' for d in self.state.warnings)
        choosing = self.state.settings.restarts > 1 or len(self.runner.runner.enabled) > 1
        self._hint.show((_HINT if choosing else "") + warnings)
        self._hint.visible = bool(self._hint.object)

    def _settings_changed(self, *events: Any) -> None:
        self._show_warnings()
        if "shown" in {event.name for event in events}:
            self.state.show(self.state.settings.shown)

    def _trust(self) -> TrustReport | None:
        view = self._shown_view
        if view is None:
            return None
        if not self._of_text():
            marks = {mark.iteration for mark in getattr(view, "marks", ())}
            joint = JOINT in self.runner.runner.jobs and self.state.sound.spoken.pipeline is not None
            stats = self._spoken_stats() if joint else self._sound_stats()
            return steps_report(view.objective, marks, stats)
        return text_report(view, self.state.shown, self._stats())

    def _sound_stats(self) -> tuple[Stat, ...]:
        scores = self.state.sound.scores()
        names = ("nmi", "boundary_f", "r_value")
        figures = [DASH] * 3 if scores is None else [f"{scores[name]:.3f}".lstrip("0") for name in names]
        return (
            Stat("NMI", figures[0], term="nmi"),
            Stat("Boundary F", figures[1], term="phone boundary f"),
            Stat("R-value", figures[2], term="r-value"),
            Stat("Units", count_text(self.state.sound.units_used)),
        )

    def _spoken_stats(self) -> tuple[Stat, ...]:
        spoken = self.state.sound.spoken
        words = spoken.joint or spoken.pipeline
        ratios = [words.scores and getattr(words.scores, name) for name in ("token", "boundary", "type")]
        return _stats_of_words(ratios, count_text(len(words.uses)))

    def _stats(self) -> tuple[Stat, ...]:
        scores = self.state.scores()
        words = count_text(len(self.state.entries)) if self.state.view is not None else DASH
        ratios = [scores and getattr(scores, name) for name in ("token", "boundary", "lexicon")]
        return _stats_of_words(ratios, words)


def _stats_of_words(ratios: Sequence[Any], words: str) -> tuple[Stat, ...]:
    """Return F of tokens, boundaries and lexicon, where known, and the number of words."""
    names = ("Token F", "Boundary F", "Lexicon F")
    figures = [DASH if ratio is None else f"{ratio.f:.3f}".lstrip("0") for ratio in ratios]
    shown = [Stat(name, figure, term=name.lower()) for name, figure in zip(names, figures, strict=True)]
    return (*shown, Stat("Words", words))


def _fault_words(fault: Fault) -> str:
    """Return a fault of the grammar in one line: line number, problem, remedy."""
    place = "" if fault.line is None else f"Line {fault.line}: "
    return f"{place}{fault.message}"


define(
    "token f",
    "Token F",
    "Words with both edges right, against gold: harmonic mean of precision and recall. Not used to learn.",
)
define(
    "boundary f",
    "Boundary F",
    "Cuts between phones, against gold; the utterance's own edges are not counted. Not used to learn.",
)
define(
    "nmi",
    "NMI",
    "How much a frame's unit says about its gold phone: I(unit; phone) / H(phone), 1 at best. Not used to "
    "learn.",
)
define(
    "phone boundary f",
    "Boundary F",
    "Boundaries between units within 20 ms of gold ones, each paired with one; the ends of utterances are "
    "not counted. Not used to learn.",
)
define(
    "r-value",
    "R-value",
    "Boundaries found, less a fine for too many of them; 1 at best. Not used to learn.",
)
define("lexicon f", "Lexicon F", "Different words found, against the gold lexicon. Not used to learn.")
