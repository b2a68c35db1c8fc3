"""docs/forms.md has the well-known names, and formulas that can be read."""

import doctest
import re

import pytest

from otlab.errors import InputError
from otlab.forms import hayes, parse_formula, read_tiers
from otlab.forms.gen import OPERATIONS
from tests.docs.conftest import DOCS

PAGE = (DOCS / "forms.md").read_text(encoding="utf-8")
_ROWS = re.findall(r"^\| (`.*?) \|", PAGE[PAGE.index("## Formulas") : PAGE.index("## Names")], re.MULTILINE)
_PARTS = {"[+son,-syll]", "[^+son]", "{p,t,[+nasal]}", "V₀", "C₁", *"CVNGLT"}
FORMULAS = [one for row in _ROWS for one in re.findall(r"`([^`]+)`", row) if one != "(tier=Vowel)"]


def test_the_table_of_names_is_up_to_date(make_forms):
    assert make_forms.page(PAGE) == PAGE, "run: python docs/make_forms.py"
    assert make_forms.names_table() in PAGE


@pytest.mark.parametrize("formula", FORMULAS)
def test_every_formula_on_the_page_can_be_read(formula):
    tiers = read_tiers("Vowel +syllabic", hayes())
    assert parse_formula(f"*{formula}t" if formula in _PARTS else formula, hayes(), tiers).terms


def test_what_the_page_calls_wrong_is_wrong():
    with pytest.raises(InputError):
        parse_formula("*[+voise]")


def test_every_operation_is_told():
    section = PAGE[PAGE.index("## Candidates") :]
    assert set(re.findall(r"^\| (\w+)", section, re.MULTILINE)) - {"operation"} == set(OPERATIONS)


def test_python_sessions_print_what_the_page_shows():
    blocks = re.findall(r"^```python\n(>>> .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, "forms.md", "forms.md", 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
