"""No text says "1 runs": a number that may be 1 gets its noun from ``counted`` or ``counted_text``."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import otlab

ROOT = Path(otlab.__file__).parent
COUNTED = {"counted", "counted_text"}
NUMBERS = {"", ",", "d", ",d"}  # formats of whole numbers
ALLOWED = {
    ("ot/io/praat.py", "constraints"),  # as Praat writes it
    ("ui/lexicon/open_sound.py", "frames"),  # identifies stored data
}
"""Files and nouns of texts that are not for readers."""


def trees():
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def nouns():
    """Return the plurals of all nouns that the package counts in this way."""
    found = set()
    for _, tree in trees():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in COUNTED:
                words = [a.value for a in call.args[1:] if isinstance(a, ast.Constant)]
                found |= {words[1] if len(words) > 1 else f"{words[0]}s"} if words else set()
    return found


def no_number_or_above_one(value, around):
    """Whether a value is a name, a constant, or compared with one in a condition around it."""
    if re.search(r"(^|\b)(name|tier|left|document)$|^quoted\(", value) or re.fullmatch(
        r"_?[A-Z][A-Z_ -]+", value
    ):
        return True
    tests = [test for test in map(ast.unparse, around) if value in test]
    return any(re.search(r"[<>=!]=? ?(\d|_?[A-Z]{3})|\d [<>]", test) for test in tests)


def plain_numbers(tree, plurals):
    """Yield line, number and noun of each number in a text that stands before a plural."""

    def walk(node, around):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            around = [*around, node.test]
        if isinstance(node, ast.BoolOp):
            around = [*around, *node.values]
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
                    continue
                form = "" if value.format_spec is None else ast.unparse(value.format_spec)[2:-1]
                word = re.match(r" (\w+)\b", str(after.value))
                number = ast.unparse(value.value)
                if (
                    form in NUMBERS
                    and word
                    and word[1] in plurals
                    and not no_number_or_above_one(number, around)
                ):
                    yield value.lineno, number, word[1]
        for child in ast.iter_child_nodes(node):
            yield from walk(child, around)

    yield from walk(tree, [])


def test_numbers_before_nouns_are_counted():
    plurals = nouns()
    assert {"runs", "inputs", "candidates"} <= plurals
    found = [
        f"otlab/{path}:{line}: {{{number}}} {noun}"
        for path, tree in trees()
        for line, number, noun in plain_numbers(tree, plurals)
        if (path, noun) not in ALLOWED
    ]
    assert not found, "\n".join(found)


def test_what_is_found_and_what_is_not():
    text = 'f"{n} runs"; f"{MOST} runs"; f"{n} runs" if n > 1 else ""; f"{x:.2f} runs"; f"{n} sees"'
    assert [number for _, number, _ in plain_numbers(ast.parse(text), {"runs"})] == ["n"]
