"""Base class of the state of a lab: data, settings, results, selection; without Panel."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

import param

from otlab.errors import InputError
from otlab.ui.fields import link_texts, put_texts, texts_of
from otlab.ui.history import History
from otlab.ui.packing import LINK_MOST, damaged, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from contextlib import AbstractContextManager

    from otlab.inference import Run
    from otlab.ui.history import Edits

__all__ = ["DocumentFile", "State"]


@dataclass(frozen=True)
class DocumentFile:
    """A file that is saved with a document.

    Attributes
    ----------
    key
        Identifies the file: the same key means the same bytes.
    name
        The user's name of the file.
    size
        In bytes.
    read
        Returns its bytes, on any thread.
    """

    key: str
    name: str
    size: int
    read: Callable[[], bytes]


@dataclass(frozen=True)
class _Version:
    """A document at one time, where it came from, and what was in sight beside it.

    Attributes
    ----------
    runs, context
        (row, id) of each run in sight, and what :meth:`State.run_context` returned.
    tabs
        What :meth:`State.tab_results` returned.
    """

    document: Any
    opened: Mapping[str, Any] | None
    example: str
    own_name: str
    settings: Mapping[str, str]
    learners: list[str]
    runs: tuple[tuple[str, str], ...] = ()
    context: Any = None
    tabs: Any = None


class State(param.Parameterized):
    """Base class of the labs' states.

    A lab's state declares its data, results and selection as parameters and writes
    :meth:`examples` and :meth:`load_example`. If its data can be edited it also writes
    :meth:`contents` and :meth:`open_contents`, and calls ``history.record`` before each edit.

    Parameters
    ----------
    settings
        The settings of the run panel.

    Attributes
    ----------
    noun
        What the user edits here: "table", "lexicon", ...
    tab_result_names
        What :meth:`tab_results` returns is called so in messages: one name for each item of the tuple, or
        for the whole.
    history : History
        Edits that can be undone and redone.
    opened
        The contents as they were when they were opened.
    runs_in_sight
        Returns the id of each run that is in sight, by row; set by the lab.
    wanted
        The runs, by row, and their context, that are to be shown for the document that Undo or Redo led to;
        None if there are none.
    """

    noun: ClassVar[str] = "table"
    tab_result_names: ClassVar[tuple[str, ...]] = ()

    example: str = param.String(doc="Value of the example that is open; empty for the user's own data.")
    own_name: str = param.String(doc="Name of the user's own data, such as a file's; empty for an example.")
    called: str = param.String(doc="The name that the user gave the document; empty for that of its data.")
    progress: int = param.Integer(0, doc="Counts the ticks of runs: results have grown.")
    settled: int = param.Integer(
        0, doc="Counts ends of runs, resets and whatever else changes all results at once."
    )
    learners: list[str] = param.List(default=[], item_type=str, doc="Names of the learners that are ticked.")
    locks: list[str] = param.List(
        default=[], item_type=str, doc="What an exercise has locked: data, settings, learners."
    )
    hides: list[str] = param.List(
        default=[], item_type=str, doc="Tabs and cards that an exercise hides; see Showing.hide."
    )

    def __init__(self, settings: param.Parameterized | None = None, **params: Any) -> None:
        super().__init__(**params)
        self.settings = param.Parameterized() if settings is None else settings
        self.history = History(take=self._version, put=self._put_version)
        self.opened: Mapping[str, Any] | None = None
        self.runs_in_sight: Callable[[], Mapping[str, str]] = dict
        self.wanted: tuple[Mapping[str, str], Any] | None = None

    # Methods to override.

    def examples(self) -> Mapping[str, str]:
        """Return value and label of each example; none hides the chooser."""
        return {}

    def load_example(self, example: str) -> None:
        """Load an example's data and settings, and delete results."""

    def contents(self) -> Mapping[str, Any]:
        """Return the editable data by name; they are compared to detect edits.

        What is only selected, such as a typed sentence, is stored under ``"view"``: it is kept and
        goes into links, but is no edit.
        """
        return {}

    def open_contents(self, contents: Mapping[str, Any]) -> None:
        """Show what :meth:`contents` returned earlier; results are deleted."""

    def written(self, contents: Mapping[str, Any]) -> dict[str, Any]:
        """Return contents as values that JSON can hold; called on any thread."""
        return dict(contents)

    def too_large(self, contents: Mapping[str, Any]) -> bool:
        """Return whether contents are too large for a link."""
        return False

    def read_back(self, written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """Return the contents of what :meth:`written` returned; `name` is that of the user's data.

        Raises
        ------
        InputError, KeyError, TypeError, ValueError
            If it was changed on its way.
        """
        return written

    def files(self) -> list[DocumentFile]:
        """Return the files of the open document and of its undo history, the most important first.

        Of a document they are saved beside its contents, which name them by their keys.
        """
        return []

    def put_files(self, files: Mapping[str, bytes]) -> None:
        """Load the files of a document, by their keys; called before :meth:`open_contents`."""

    def tab_results(self) -> Any:
        """Return what tabs have computed beside the runs of the run panel, as data; None if nothing.

        It is saved with the document, and must not change afterwards.
        """
        return None

    def put_tab_results(self, results: Any) -> None:
        """Show what :meth:`tab_results` returned of the open document."""

    def copy_document(self) -> Any:
        """Return a copy of the document for Undo; it must not change afterwards."""
        return self.contents()

    def put_document(self, document: Any) -> None:
        """Restore what :meth:`copy_document` returned; results that belong to it stay."""
        self.open_contents(document)

    def learning_data(self) -> Any:
        """Return what is learnt from, to be compared."""
        return _without_view(self.contents())

    def setting_texts(self) -> dict[str, str]:
        """Return the settings as they are typed, by name, for what is open."""
        return texts_of(self.settings)

    # Methods to call.

    def batch(self) -> AbstractContextManager[None]:
        """Return a context in which several parameters change as one: watchers are called at its end."""
        context: AbstractContextManager[None] = param.parameterized.batch_call_watchers(self)
        return context

    @property
    def edited(self) -> bool:
        """Whether the open data differ from their file or example."""
        return self.opened is not None and _without_view(self.contents()) != _without_view(self.opened)

    @property
    def only_copy(self) -> bool:
        """Whether the open data could not be opened again."""
        return bool(self.own_name) or self.edited

    def mark_opened(self) -> None:
        """Mark the open data as unedited."""
        self.opened = self.contents()

    @property
    def source_name(self) -> str:
        """The name of the open data: an example's title, or the name of the user's file."""
        return self.own_name or self.examples().get(self.example, "") or f"Your {self.noun}"

    @property
    def file_stem(self) -> str:
        """What the names of exports begin with: the document's name, else that of its data."""
        name = self.called or PurePath(self.own_name).stem or self.example
        return _file_words(name) or self.noun

    def file_name(self, what: str, ending: str) -> str:
        """Return the name of an export: what is open, what it holds, ending.

        >>> state = State(own_name="my table.csv")
        >>> state.file_name("Posterior of the ranking values", "png")
        'my_table_posterior_of_the_ranking_values.png'
        """
        return f"{_file_words(f'{self.file_stem} {what.lower()}')}.{ending}"

    def to_dict(self) -> dict[str, Any]:
        """Return the open data and the settings as values for JSON.

        ``document`` is None if it is too large for a link, and empty for an example as it is shipped.
        """
        if self.too_large(self.contents()):
            return {**self._beside(), "document": None}
        return self.to_plain()()

    def to_plain(self) -> Callable[[], dict[str, Any]]:
        """Return a function that returns :meth:`to_dict` of the document, of any size, on any thread."""
        contents, beside = self.contents(), self._beside()
        same = not self.own_name and self.example and contents == self.opened
        return lambda: {**beside, "document": {} if same else self.written(contents)}

    def edits_made(self) -> Edits:
        """Return what is open with the edits that can be undone and redone, to be saved."""
        return self.history.edits()

    def put_edits(self, edits: Edits) -> None:
        """Restore what :meth:`edits_made` returned."""
        self.opened = edits.now.opened
        self.put_document(edits.now.document)
        self.history.put_edits(edits)

    def run_context(self) -> Any:
        """Return the data and settings that the runs of the run panel belong to, as immutable values."""
        return None

    def expect_runs(self, context: Any, runs: Mapping[str, Run[Any, Any]]) -> Collection[str]:
        """Prepare results for saved runs, by row; return the rows whose runs can be shown.

        Parameters
        ----------
        context
            What :meth:`run_context` returned; None if there is none.
        runs
            May be empty.
        """
        return list(runs)

    def when_ready(self, rows: Collection[str], then: Callable[[], None]) -> None:
        """Call a function once the data that the saved runs of these rows are of have been read."""
        then()

    def run_data(self) -> Mapping[str, Any]:
        """Return the objects in runs that are saved in another way, by names that identify them."""
        return {}

    def rows_shown(self) -> Collection[str]:
        """Return the rows whose runs have results in sight."""
        return ()

    def runs_kept(self) -> list[tuple[str, str]]:
        """Return (row, id) of each run in sight, and of those that Undo and Redo lead back to.

        Those in sight come first, then those of the fewest steps.
        """
        steps = [v for pair in zip_longest(*self.history.versions()) for v in pair if v is not None]
        wanted = () if self.wanted is None else self.wanted[0].items()
        runs = [*self.runs_in_sight().items(), *wanted, *(run for v in steps for run in v.runs)]
        return list(dict.fromkeys(runs))

    def _beside(self) -> dict[str, Any]:
        return {
            "example": self.example,
            "name": self.own_name,
            "settings": self.setting_texts(),
            "learners": list(self.learners),
        }

    def link(self, route: str) -> str:
        """Return path and query of the lab's page that open these data and settings; empty if too long."""
        values = self.to_dict()
        if values["document"] == {}:
            return f"/{route}?{urlencode({'example': self.example, **link_texts(self.settings)})}"
        packed = "" if values["document"] is None else pack({"lab": route, **values})
        return f"/{route}?data={packed}" if 0 < len(packed) <= LINK_MOST else ""

    def from_dict(self, values: Mapping[str, Any]) -> None:
        """Restore what :meth:`to_dict` returned, and drop results; if that fails, nothing is changed.

        Raises
        ------
        InputError
            If it was changed on its way.
        """
        try:
            example, name = str(values["example"]), str(values["name"])
            written, learners = values["document"], list(map(str, values["learners"]))
            settings = {str(key): str(value) for key, value in dict(values["settings"]).items()}
            if example and example not in self.examples():
                raise KeyError(example)
            contents = self.read_back(written, name) if written else None
        except (InputError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise damaged() from error
        if example:
            self.load_example(example)
            self.mark_opened()
        if contents is not None:
            self.open_contents(contents)
        if not example:
            self.mark_opened()
        self._put_beside(example, name, settings, learners)

    def _version(self) -> _Version:
        return _Version(
            self.copy_document(),
            self.opened,
            self.example,
            self.own_name,
            self.setting_texts(),
            list(self.learners),
            tuple(self.runs_in_sight().items()),
            self.run_context(),
            self.tab_results(),
        )

    def _put_version(self, version: _Version) -> None:
        another, data = version.opened is not self.opened, self.learning_data()
        self.wanted = dict(version.runs), version.context
        self.put_document(version.document)
        if another:
            self.opened = version.opened
            self._put_beside(version.example, version.own_name, version.settings, version.learners)
        shown, edited = dict(self.runs_in_sight()), self.learning_data() != data
        if edited and version.tabs is not None:
            self.put_tab_results(version.tabs)
        if set(version.runs) <= shown.items() and (shown or not edited):
            self.wanted = None

    def _put_beside(
        self, example: str, own_name: str, settings: Mapping[str, str], learners: list[str]
    ) -> None:
        """Restore the parts of a document that are not its contents."""
        put_texts(self.settings, settings)
        self.param.update(example=example, own_name=own_name, learners=learners)


def _file_words(text: str) -> str:
    """Return a text with underscores for what file names are better without; accents of IPA stay.

    >>> _file_words("Cã (2): d/t?")
    'Cã_2_d_t'
    """
    kept = (c if c in "._-" or unicodedata.category(c)[0] in "LMN" else " " for c in text)
    return "_".join("".join(kept).split())


def _without_view(contents: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in contents.items() if name != "view"}
