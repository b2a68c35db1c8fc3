"""Which column of a table of reading times is what, told by its name and content.

Names are compared without capitals, blanks and signs: ``Word_In_Sentence_Number`` is
``wordinsentencenumber``. They are those that Natural Stories, Dundee, Provo, UCL, GECO, ZuCo, MECO and
others use, and those of experiments; Natural Stories was read as published, the others by their names only.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, did_you_mean, quoted
from otlab.reading import NOT_USED

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ROLES", "chosen_columns", "column_roles", "is_missing", "times_of"]

ROLES = ("sentence", "text", "condition", "place", "word", "subject", "ms")
"""What a column can be; ``text`` is a story, paragraph or item, which may have several sentences."""

_NAMES = {
    "word": "word words ialabel token form surface sprsurface wordform wd wort mot palabra ia region",
    # First-pass times before total times, go-past times and first fixations.
    "ms": "ms rt rts readingtime readingtimes sprreadingtime rtms readingtimems rawrt lesezeit tiempo temps "
    "time times duration rtfirstpass firstpass firstpasstime firstpassdur firstpassduration firstpassrt "
    "fpassd fpassdur fprt fpt fprd gd gaze gazeduration gazedur wordgazeduration iafirstrundwelltime "
    "firstrundur wordfirstpassdur wordgazedur meanrt meanitemrt gmeanitemrt trt tft tt totalreadingtime "
    "totaltime totalduration totfixdur totalfixationduration wordtotalreadingtime iadwelltime dwelltime dur "
    "wordtotalfixtime rtgopast gopast gopasttime gpt rpd regressionpath iaregressionpathduration "
    "wordgopasttime firstrungopast rtrightbound ffd ffdur rtfirstfix firstfixdur firstfixduration "
    "firstfixationduration iafirstfixationduration wordfirstfixationduration",
    "sentence": "sentence sent sentenceid sentencenumber sentencenr sentenceno sentencenum sentnr sentid "
    "sentnum sentno sentnumber sentenceindex sentindex sentindexintext sprsentenceid satz phrase oracion",
    "text": "text textid textnr textno story storyid item itemid itemno itemnr itemnumber stimulus paragraph "
    "paragraphid speechid docid articleid trialid trial trialindex trialno trialnumber",
    "condition": "condition cond conditionid conditionname bedingung condicion",
    "place": "wordpos wordposition wordinsentencenumber wordinsentence ianumsent positioninsentence "
    "posinsent wordindexinsent wordindexinsentence wordplace place wordnumber wordnr wordno wordnum "
    "wordindex wordidx wordid wnum wordidwithintrial wordindexintext zone ianum iaid position pos "
    "regionnumber regionno sprbunsetsuid region index",
    "subject": "subject subj subjnr subjid subjno subjectid subjectnr subjectno subjectnumber sub subid "
    "participant participantid participantnr participantno partid ppnr pp pid workerid worker "
    "mworkerid reader readerid uniformid recordingsessionlabel vp sujet sujeto sprsubjid",
}
_RANK = {role: {name: n for n, name in enumerate(names.split())} for role, names in _NAMES.items()}
_MISSING = {"", "na", "nan", "n/a", "#n/a", "null", "none", "missing", "-", "–", "—", "−", "."}
_LONE_SIGNS = {".", "-", "–", "—", "−"}
_NUMBER = re.compile(r"[+]?\d+(?:\.\d*)?(?:e[+-]?\d+)?|[+]?\.\d+", re.IGNORECASE)
_WHOLE = re.compile(r"-?\d+(?:[.,]0+)?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,2},\d{3}(?:,\d{3})*")
_DOTS_AND_COMMA = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")
_DECIMAL_COMMA = re.compile(r"\d*,\d+")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


def is_missing(text: str, *, word: bool = False) -> bool:
    """Return whether a cell says that there is no value: empty, NA, a lone dot or dash, and the like.

    >>> is_missing("#N/A"), is_missing("."), is_missing(".", word=True)
    (True, True, False)
    """
    value = text.strip().lower()
    return value in _MISSING and not (word and value in _LONE_SIGNS)


def times_of(cells: Sequence[str]) -> tuple[list[float | None], str]:
    """Return the times of a column in ms and a remark on how numbers are written in it.

    Parameters
    ----------
    cells
        Their texts. A decimal comma is read as well as a point. A comma before three digits marks thousands
        if all commas of the column do so and follow one or two digits, or there is a point, too.

    Returns
    -------
    list
        nan for a time that is missing, None for what is no time.
    str
        "" if nothing is to be said.

    Examples
    --------
    >>> times_of(["400,5", "310", "NA", "fast"])
    ([400.5, 310.0, nan, None], '')
    >>> times_of(["1,250", "980"])
    ([1250.0, 980.0], "'1,250' is read as 1250")
    """
    commas = [cell.strip() for cell in cells if "," in cell]
    thousands = bool(commas) and all(_THOUSANDS.fullmatch(cell) for cell in commas)
    remark = f"{commas[0]!r} is read as {commas[0].replace(',', '')}" if thousands else ""
    return [_time(cell.strip(), thousands) for cell in cells], remark


def _time(cell: str, thousands: bool) -> float | None:
    if is_missing(cell):
        return math.nan
    if thousands:
        cell = cell.replace(",", "")
    elif _DOTS_AND_COMMA.fullmatch(cell):
        cell = cell.replace(".", "").replace(",", ".")
    elif _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    if not _NUMBER.fullmatch(cell):
        return None
    value = float(cell)
    return value if value < math.inf else None


def column_roles(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return what each column is by its name; a column of whole numbers is no word, and the like.

    Parameters
    ----------
    names
        The first line of the table.
    rows
        Some of its rows.

    Examples
    --------
    >>> column_roles(["subj_nr", "sent_nr", "word_pos", "word", "RT"], [["1", "4", "1", "The", "310"]])
    ('subject', 'sentence', 'place', 'word', 'ms')
    """
    plain = [_plain(name) for name in names]
    columns = [[row[c].strip() for row in rows if c < len(row)] for c in range(len(names))]
    found: dict[str, int] = {}
    for role in ("word", "ms", "sentence", "place", "subject", "condition", "text"):
        named = [c for c, name in enumerate(plain) if name in _RANK[role] and c not in found.values()]
        fitting = [(_RANK[role][plain[c]], c) for c in named if _fits(role, columns[c])]
        if role == "ms" and not fitting:  # cells that are no times are named one by one
            fitting = [
                (_RANK[role][plain[c]], c) for c in named if plain[c] in _TIMES or _mostly_times(columns[c])
            ]
        if fitting:
            found[role] = min(fitting)[1]
    roles = {c: role for role, c in found.items()}
    if {"part", "trial"} <= set(plain) and "sentence" not in found:  # GECO: the trials of each part
        roles = {c: role for c, role in roles.items() if role != "text"}
        roles |= {plain.index(name): "text" for name in ("part", "trial")}
    return tuple(roles.get(c, NOT_USED) for c in range(len(names)))


_TIMES = ("ms", "rt")  # names of nothing else


def _mostly_times(cells: Sequence[str]) -> bool:
    times = times_of([cell for cell in cells if not is_missing(cell)])[0]
    return 2 * sum(time is not None for time in times) > len(times)


def _fits(role: str, cells: Sequence[str]) -> bool:
    present = [cell for cell in cells if not is_missing(cell)]
    if role == "word":
        return not present or not all(_NUMBER.fullmatch(cell) for cell in present)
    if role == "ms":
        times = times_of(cells)[0]
        return all(time is not None for time in times) or not present
    return role != "place" or all(_WHOLE.fullmatch(cell) for cell in present)


def chosen_columns(names: Sequence[str], roles: Sequence[str], columns: str, file: str) -> tuple[str, ...]:
    """Return the roles with those that a user gave as ``ms=RTgopast,word=3``.

    Parameters
    ----------
    names, roles
        Name and role of each column.
    columns
        A role, ``=``, and the name of a column or its number from 1; commas between.
    file
        What faults call the table.

    Raises
    ------
    InputError
        For an unknown role, name or number.

    Examples
    --------
    >>> chosen_columns(["word", "GD", "TRT"], ["word", "ms", "not used"], "ms=TRT", "")
    ('word', 'not used', 'ms')
    """
    found = list(roles)
    for entry in filter(None, map(str.strip, columns.split(","))):
        role, _, name = map(str.strip, entry.partition("="))
        if role not in ROLES:
            raise InputError(
                Fault(f"columns: {quoted(entry)}", f"write one of {', '.join(ROLES)}, =, a name")
            )
        number = int(name) - 1 if name.isdecimal() and len(name) < 6 and name not in names else None
        if number is None and name in names:
            number = names.index(name)
        if number is None or not 0 <= number < len(names):
            hint = did_you_mean(name, [n for n in names if n])
            raise InputError(Fault(f"there is no column {quoted(name)}", hint, file))
        found = [NOT_USED if other == role else other for other in found]
        found[number] = role
    return tuple(found)
