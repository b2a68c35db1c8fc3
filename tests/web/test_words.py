"""The words of the page: every text that a script shows has a translation into every language."""

import json
import re
from pathlib import Path

import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.ot import read
from otlab.ui.ot.classwork import OTClasswork
from otlab.ui.ot.state import OTState
from otlab.web.page import lab_page
from otlab.web.words import LANGUAGES, words_of

PACKAGE = Path(__file__).parents[2] / "otlab"
SCRIPTS = [
    *sorted((PACKAGE / "web/js").glob("*.js")),
    *(PACKAGE / f"ui/classroom/{name}.js" for name in ("exercise", "guess")),
    *(PACKAGE / f"viz/base/js/{name}.js" for name in ("common", "page", "ranking_line")),
]
# A text in double quotes as the first argument of word(), or of said() in what the labs have, too.
ASKED = re.compile(r'\b(?:word|said)\(("(?:[^"\\]|\\.)*")')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
# What is not a text: comments, classes, and what is compared with.
CODE = re.compile(
    r'(^|\s)//.*|class: "[^"]*"|[!=]== "[^"]*"|querySelector(All)?\([^)]*\)|"[^"]*"\.split|`[^`]*`\.split'
)
LOOKS_LIKE_TEXT = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}|^[A-Z][a-z]{2,}")
# Files whose literals are mostly names: only what is pushed to a list of faults, or thrown, is text.
NAMES = {
    "files.js": "names of columns, as tables have them",
    "course.js": "names of SCORM",
    "latex.js": "comments in a file, as otlab writes them",
    "runs.js": "verdicts, as Python names them; results.js translates them",
}
REMARKS = {
    "no finite optimum: some weights grow without end; give a prior"
}  # kept in English, shown by word()
NO_TEXTS = {
    "Gibbs", "MaxEnt", "otlab language", "relative frequency", "ranking value", "name constraint", "Home",
    "Not converged", "Keep running", "speakers and items",  # Python's names, beside their translations
    "GLA, each run", "median of each page's posterior",  # of a file that the teacher's board reads
    "the kernel ${name} failed",  # a fault of the program
    "constraint\\tranking value",  # of a table that is copied
    "${tableau.title} · OT lab", "${data.tableau.title} · OT lab", "<!DOCTYPE html>\\n${page.outerHTML}",
    "otlab page ${hash(written, 0x811c9dc5)}${hash(written, 0x9e3779b9)}",
    # of the labs, which are English
    *REMARKS,
    "Send", "Sent to your teacher", "Changed since you sent it", "Your teacher has revealed the answer.",
}  # fmt: skip


def texts():
    """Return every text that the scripts ask for."""
    return {json.loads(text) for path in SCRIPTS for text in ASKED.findall(path.read_text(encoding="utf-8"))}


def texts_of_variables():
    """Return what is given to word() as a variable: Python's questions of a guess, and remarks."""
    questions = {guessing.question for guessing in OTClasswork().guessings(OTState(read("ilokano")))}
    return questions | REMARKS


def bare_texts(code):
    """Return the literals of a script that look like texts and are given to no word()."""
    found = []
    for line in code.splitlines():
        asked = CODE.sub(" ", ASKED.sub("(", line))
        literals = [one or other for one, other in LITERAL.findall(asked)]
        found += [text for text in literals if LOOKS_LIKE_TEXT.search(re.sub(r"\$\{[^}]*\}", "", text))]
    return found


def places(text):
    return sorted(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_text_is_translated(language):
    words = words_of()[language]
    asked = texts() | texts_of_variables()
    assert asked - set(words) == set(), "add them to otlab/web/words.json"
    assert set(words) - asked == set(), "no script asks for these any more"
    assert [text for text, translated in words.items() if places(text) != places(translated)] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_text_is_shown_in_english_alone(path):
    code = path.read_text(encoding="utf-8")
    if path.name in NAMES:
        code = "\n".join(re.findall(r"^.*(?:push|Error)\(.*$", code, re.MULTILINE))
    found = bare_texts(code)
    assert set(found) - NO_TEXTS == set(), "give them to word(), and their translations to words.json"


def test_bare_texts_are_found():
    code = """button("Run now", act), card(word("Learn"), "Data")
      new Error(`${x} is not known`), h("div", { class: "a bc" })  // a remark"""
    assert bare_texts(code) == ["Run now", "Data", "${x} is not known"]


def test_a_page_of_one_language_has_its_words_alone():
    page = lab_page(read("ilokano"), language="de")
    assert '<html lang="de">' in page
    assert "Sprache der Seite" in page
    assert "Langue de la page" not in page
    assert "Langue de la page" in lab_page(read("ilokano"))
    with pytest.raises(InputError, match="no language zh"):
        lab_page(read("ilokano"), language="zh")


def test_the_command_line_fixes_the_language(tmp_path, capsys):
    out = tmp_path / "lab.html"
    assert main(["page", "-o", str(out), "ilokano", "--language", "ja"]) == 0
    assert out.read_text(encoding="utf-8") == lab_page(read("ilokano"), language="ja")
    assert main(["page", "-o", str(out), "ilokano", "--language", "klingon"]) == 2
    assert "no language klingon" in capsys.readouterr().err
