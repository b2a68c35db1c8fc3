"""The words of the page: every text that a script shows has a translation into every language."""

import re
from pathlib import Path

import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.ot import read
from otlab.web.page import lab_page
from otlab.web.words import LANGUAGES, words_of

SCRIPTS = sorted((Path(__file__).parents[2] / "otlab/web/js").glob("*.js"))
# A text in double quotes as the first argument of word().
ASKED = re.compile(r'\bword\("((?:[^"\\]|\\.)*)"')


def texts():
    """Return every text that the scripts ask for."""
    return {text for path in SCRIPTS for text in ASKED.findall(path.read_text(encoding="utf-8"))}


def places(text):
    return sorted(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_text_is_translated(language):
    words = words_of()[language]
    assert texts() - set(words) == set(), "add them to otlab/web/words.json"
    assert set(words) - texts() == set(), "no script asks for these any more"
    assert [text for text, translated in words.items() if places(text) != places(translated)] == []


def test_a_page_of_one_language_has_its_words_alone():
    page = lab_page(read("ilokano"), language="de")
    assert '<html lang="de">' in page
    assert "Sprache" in page
    assert "Langue" not in page
    assert "Langue" in lab_page(read("ilokano"))
    with pytest.raises(InputError, match="no language zh"):
        lab_page(read("ilokano"), language="zh")


def test_the_command_line_fixes_the_language(tmp_path, capsys):
    out = tmp_path / "lab.html"
    assert main(["page", "-o", str(out), "ilokano", "--language", "ja"]) == 0
    assert out.read_text(encoding="utf-8") == lab_page(read("ilokano"), language="ja")
    assert main(["page", "-o", str(out), "ilokano", "--language", "klingon"]) == 2
    assert "no language klingon" in capsys.readouterr().err
