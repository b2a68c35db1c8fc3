"""The Data tab: load a text, download results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from otlab.discovery.corpus import Corpus
from otlab.discovery.io.readings import form_of, reading_of, readings_of_text
from otlab.discovery.sound.tiers import units_list
from otlab.discovery.sound.zerospeech import classes_of, write_classes
from otlab.errors import InputError, collected_warnings, counted
from otlab.ui import data_tab
from otlab.ui.components.layout import across
from otlab.ui.components.placeholders import faults
from otlab.ui.lexicon.state import LexiconState
from otlab.viz.discovery.page import result_page

if TYPE_CHECKING:
    from otlab.reading import ReadAs
    from otlab.ui.lexicon.runs import FinishedRun
    from otlab.ui.lexicon.sound import SoundState

__all__ = ["DataTab"]

OF_SOUND = (
    ("units", "Units with times"),
    ("classes", "Units for ZeroSpeech"),
    ("agreed", "Boundaries runs share"),
    ("words", "Spoken words with times"),
)
_COLUMN = 210  # px: the longest label has room
_NOTHING = "There is nothing to save before a run on the text has begun"


class DataTab(data_tab.DataTab[LexiconState]):
    """Load a text, say how it was read, download results."""

    depends = ("clean", "own_name")
    label = "Drop a phonemic text here, or choose one"
    hint = (
        "One utterance a line; plain, phones by blanks, wordseg, CHAT. Gold word edges are not used to learn"
    )
    accept = ".txt,.tsv,.cha"
    most = 100_000_000  # a document may hold recordings
    large = "use the command line: otlab discover"
    rows = 9
    typed = "One utterance a line, with or without blanks"

    def build(self) -> Any:
        """Return the cards in their places."""
        home, _ = self.download_card(
            self._file,
            [
                ("", "Text"),
                ("page", "Result as a page"),
                ("segmented", "Segmented text"),
                ("posteriors", "Boundary posteriors"),
                ("lexicon", "Lexicon with counts"),
                ("runs", "Restarts and scores"),
                ("", "Sound"),
                *OF_SOUND,
            ],
            column=_COLUMN,
        )
        return across(self.load_card("Load a text"), home)

    def draw(self) -> None:
        """Show how the user's own text was read, and the other ways."""
        clean = self.state.clean
        if not clean.text or not self.state.own_name:
            self.read_as.hide()
            return
        found = f"{counted(len(clean), 'utterance')}, {counted(clean.phones.size, 'phone')}"
        if clean.gold is not None:
            found += f", {counted(int(clean.gold.sum()), 'gold word')}"
        ways = readings_of_text(clean.text, clean.name)
        self.read_as.show(ways, reading_of(clean.text, clean.form), found)

    def read_so(self, reading: ReadAs) -> None:
        """Read the open text in another way; Undo goes back."""
        clean = self.state.clean
        try:
            with collected_warnings() as notes:
                corpus = Corpus.from_text(clean.text, clean.name, form=form_of(reading))
        except InputError as error:
            self.messages[:] = [faults(error, clean.name, ("Choose another file", self.zone.choose))]
            return
        self.messages.clear()
        message = f"{clean.name} read as {reading.label}"
        self.lab.open_own(clean.name, lambda: self.state.load(corpus, notes), message=message)

    def _file(self, key: str) -> tuple[str, bytes]:
        state = self.state
        if key in dict(OF_SOUND):
            return sound_file(state.sound, key, state.file_stem if state.called else "")
        stem = state.file_stem
        if key == "page":
            return f"{stem}_result.html", result_html(state)
        if not state.runs.kept if key == "runs" else state.view is None:
            raise InputError(_NOTHING)
        if key == "segmented":
            cut = state.cut
            lines = [" ".join(state.corpus.words(u, cut)) for u in range(len(state.corpus))]
            return f"{stem}_segmented.txt", ("\n".join(lines) + "\n").encode()
        header = "".join(f"# {name}: {value}\n" for name, value in state.provenance(key).items())
        return f"{stem}_{key}.csv", (header + self._frame(key).to_csv(index=False)).encode()

    def _frame(self, key: str) -> pd.DataFrame:
        state = self.state
        if key == "lexicon":
            rows = [(e.string, e.expected_count, e.weight, e.sd) for e in state.entries]
            frame = pd.DataFrame(rows, columns=["string", "expected_count", "weight", "sd"])
            if state.trying:
                frame["trial_count"] = [word.count for word in state.words(len(rows))]
            return frame
        if key == "runs":
            return pd.DataFrame([row for run in state.runs.kept for row in _restarts(run)])
        corpus = state.corpus
        utterance = np.repeat(np.arange(len(corpus)), corpus.lengths)
        return pd.DataFrame(
            {
                "utterance": utterance + 1,
                "phone": [corpus.symbols[p] for p in corpus.phones],
                "p_word_ends": state.ends,
            }
        )


def sound_file(sound: SoundState, key: str, stem: str = "") -> tuple[str, bytes]:
    """Return name and content of a table of what was found in the sound that is open.

    The name begins with `stem`, if it is given, else with the name of the sound.

    Raises
    ------
    InputError
        If a run has not got so far, or only one was made where several are compared.
    """
    found, spoken = sound.found, sound.spoken.joint or sound.spoken.pipeline
    if found is None:
        raise InputError(
            "There is nothing to save before a run of the phone loop or the joint model has ended"
        )
    if key == "agreed" and not found.agreed:
        raise InputError("Only one run was made: set Restarts to 2 or more and run again")
    if key == "words" and spoken is None:
        raise InputError("There are no words yet: tick Joint model and run again")
    tiers = {"agreed": found.agreed, "words": () if spoken is None else spoken.intervals}.get(
        key, found.intervals
    )
    rows = list(sound.speech.in_recordings(tiers))
    stem = stem or Path(sound.speech.name).stem or "sound"
    if key == "classes":
        return f"{stem}_units.classes", write_classes(classes_of(rows)).encode()
    return f"{stem}_{key}.tsv", units_list(rows).encode()


def result_html(state: LexiconState) -> bytes:
    """Return the results as one page of HTML, with the link that opens the text here.

    Raises
    ------
    InputError
        If nothing has been learnt yet.
    """
    view = state.view
    if view is None or state.learnt is None:
        raise InputError(_NOTHING)
    made = state.provenance("page")
    return result_page(
        state.corpus,
        view,
        state.looked_at,
        state.threshold,
        ends=state.ends,
        made={made.pop("learner"): made},
        link=state.link("lexicon_lab"),
        title=state.called,
        learner=state.shown,
        point=state.point_of_words,
    ).encode()


def _restarts(run: FinishedRun) -> list[dict[str, object]]:
    """Return a run's restarts as table rows."""
    return [
        {
            "run": run.number,
            "text": run.corpus.name,
            "learner": run.learner,
            "grammar": run.grammar_name,
            "start": c.start,
            "restart": r + 1,
            "seed": c.seed,
            "chosen": r == run.chosen,
            "objective": c.bound,
            "bigram": c.bigram,
            "unigram": c.unigram,
        }
        | (c.scores.as_dict() if c.scores else {})
        for r, c in enumerate(run.candidates)
    ]
