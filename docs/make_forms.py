"""Write the table of well-known names in docs/forms.md: ``python docs/make_forms.py``."""

from __future__ import annotations

import re
from pathlib import Path

from otlab.forms.names import KNOWN

PAGE = Path(__file__).resolve().parent / "forms.md"
_TABLE = re.compile(r"(?<=<!-- names -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """Return the page with the present table of names."""
    return _TABLE.sub(lambda _: names_table(), text)


def names_table() -> str:
    """Return the well-known constraints as a table: names, formula, and what is counted."""
    lines = ["| name | also | formula | counts |", "|---|---|---|---|"]
    for known in dict.fromkeys(KNOWN.values()):
        also = ", ".join(f"`{name}`" for name in known.also)
        formula = f"`{known.formula}`" if known.formula else "footed form"
        lines.append(f"| `{known.name}` | {also} | {formula} | {known.counts} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
