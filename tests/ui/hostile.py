"""Files, sound and links in which every name is script: none of it may become an element of a page."""

from __future__ import annotations

import csv
import io
import zipfile
from urllib.parse import urlencode

from otlab.errors import InputError
from otlab.ot import read_text, to_csv
from otlab.ot.formulas import with_formula
from otlab.samples import sample_path
from otlab.ui import packing
from otlab.ui.fields import values_of

IMG = "<img/src=x/onerror=window.hit=1>"
QUOTE = "\"'><svg/onload=window.hit=1>"
SCRIPT = "<script>window.hit=1</script>"
NAME = "<img src=x onerror=window.hit=1>"
"""One without a slash, for a file."""
_TAGGED = ([(IMG, IMG), ("dog", SCRIPT), (QUOTE, IMG)], [(SCRIPT, "N"), (IMG, SCRIPT), ("dog", "N")])
_ITEMS = (f"{IMG} :: d", f"{SCRIPT} :: d", f"{QUOTE} :: d= =d v", "sleeps :: d= v")
TABLE = (
    f"Input,Output,Frequency,{IMG},{SCRIPT},B",
    f"{IMG},{IMG}1,3,1,0,0",
    f",{SCRIPT},1,0,1,0",
    f'{SCRIPT},"o",2,0,0,1',
)
_UTTERANCES = (f"d|ɔ|{IMG} {IMG}|k|æ", f"{SCRIPT}|æ d|ɔ|ɡ", f"d|ɔ|{QUOTE} k|æ")


def _conllu():
    """Return the tagged sentences in ten columns."""
    for sentence in _TAGGED * 4:
        for n, (word, tag) in enumerate(sentence, 1):
            yield f"{n}\t{word}\t_\t{tag}\t{tag}\t_\t_\t_\t_\t_"
        yield ""


FILES = {
    "ot_lab": (".csv", TABLE),
    "tagging_lab": (".conllu", [*_conllu()]),
    "mg_lab": (
        ".mg",
        ["@start v", *_ITEMS, f"@sentence 1 | {IMG} sleeps", f"@sentence 1 | sleeps {IMG} sleeps"],
    ),
    "lexicon_lab": (".txt", ["# separator: |", *_UTTERANCES * 4]),
}
"""Ending and lines of a file of each lab; a lab without one fails the test."""


def uploaded(name, lines):
    """Return a file as a browser is given one."""
    return {"name": name, "mimeType": "text/plain", "buffer": "\n".join([*lines, ""]).encode()}


def spoken():
    """Return the lines of a table with speakers and items, whose first constraint counts itself."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["Speaker", "Item", "Input", "Output", "n", IMG, SCRIPT, QUOTE])
    for k, speaker in enumerate([IMG, SCRIPT, QUOTE, "Ana"]):
        for j, item in enumerate([IMG, SCRIPT, QUOTE]):
            for form, other in ((IMG, SCRIPT), (SCRIPT, QUOTE)):
                rows.writerow([speaker, item, form, form, 3 + k + j, 0, 1, 0])
                rows.writerow([speaker, item, form, other, 9 - k - j, 0, 0, 1])
    return to_csv(with_formula(read_text(text.getvalue()), 0, "Max")).splitlines()


def long_lexicon():
    """Return the lines of a lexicon of thousands of items, too large for a link."""
    items = [line for k in range(1100) for line in (f"{IMG}{k} :: d", f"{SCRIPT}{k} :: =d d= v")]
    return ["@start v", *items]


def sound():
    """Return a ZIP of sound and of its transcript, with such names and labels."""
    folder, packed = sample_path("spoken_toy", "discovery"), io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for k in range(4):
            archive.write(folder / f"u00{k}.flac", f"{NAME}{k}.flac")
        for tier in ("phones.tsv", "words.tsv"):
            head, *lines = (folder / tier).read_text(encoding="utf-8").splitlines()
            parts = [line.split("\t") for line in lines if line < "u004"]
            rows = [f"{NAME}{utterance[-1]}\t{start}\t{end}\t{SCRIPT}" for utterance, start, end, _ in parts]
            archive.writestr(tier, "\n".join([head, *rows]))
    return packed.getvalue()


def _leaves(values, path=()):
    """Yield where the texts and numbers of a document are."""
    inside = values.items() if isinstance(values, dict) else enumerate(values)
    for name, value in inside:
        if isinstance(value, dict | list):
            yield from _leaves(value, (*path, name))
        elif (*path, name) != ("lab",):
            yield *path, name


def _worse(lab, values):
    """Return what a lab reads although as many as possible of its texts and numbers are script."""
    for *path, name in _leaves(values):
        inside = values
        for each in path:
            inside = inside[each]
        kept, inside[name] = inside[name], f"{IMG}{inside[name]}"
        try:
            lab.from_dict(values)
        except InputError:
            inside[name] = kept
    return values


def link(entry):
    """Return a link to a lab, all of whose values are script, and as much in its data as the lab reads."""
    lab = entry.make()
    ending, lines = FILES[entry.route]
    try:
        lab.open_file(NAME + ending, "\n".join([*lines, ""]).encode())
        settings = dict.fromkeys(values_of(lab.settings), IMG)
        worst = _worse(lab, packing.unpack(packing.pack(lab.to_dict())))
    finally:
        lab.close()
    names = dict.fromkeys(("example", "document", "file", "lesson", IMG), IMG + SCRIPT)
    return f"{entry.route}?{urlencode({**names, **settings, 'data': packing.pack(worst)})}"
