"""How large files, functions, kernels and folders may be, and which modules only one other reads.

The limits are those of CONTRIBUTING; each exception stands here with its reason.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.test_imports import ROOT, imported, modules, trees

MOST_LINES = 500  # of a file
MOST_CODE = 60  # lines of a function, without docstring, comments and blank lines
MOST_PARAMETERS = 12  # of a kernel
MOST_FILES = 16  # in a folder: about 15
MOST_LAB = 150  # lines of a whole lab with one learner

LONG_FUNCTIONS = {
    "otlab/tagging/kernels/franchise.py sweep_tokens": "that of gibbs.py, with states that come and go",
    "otlab/tagging/kernels/gibbs.py sweep": "its phases share some twenty scalars",
    "otlab/tagging/kernels/trigrams.py sweep_trigrams": "the same, with the two states before",
}
FULL_FOLDERS = {
    "otlab/cli": "one file a command",
    "otlab/inference": "what all learners share, each a concept",
    "otlab/ot": "data, conditions, probabilities and formulas, each a concept",
    "otlab/ot/analysis": "one file an analysis",
    "otlab/ot/io": "one file a format, and what they share",
    "otlab/ot/kernels": "the inner loops of a learner, a file or three for each",
    "otlab/ot/learners": "one file a learner",
    "otlab/tagging/learners": "one file a learner, and what they share",
    "otlab/ui": "what all labs share, each a concept",
    "otlab/ui/ot/tabs": "one file a tab or a card, and what they share",
}

# A module that a single other one imports is right where a folder holds one file for each of its kind: a tab
# of a lab, a learner of a registry, a kernel of a learner, a picture of a tab; and where both together
# would pass the limit of a file. The others are concepts with a name of their own.
ONE_OF_A_KIND = ("tabs", "learners", "kernels", "viz", "cli")
CONCEPTS = {
    "otlab.discovery.channel.composed_estep": "the E-step by a chart, beside the one by segmentations",
    "otlab.discovery.io.trees": "files of sampled trees, beside how they are drawn",
    "otlab.discovery.io.sound_headers": "what sound files say of their length, beside how they are read",
    "otlab.forms.correspondence": "alignment of input and candidate, beside what is counted in it",
    "otlab.forms.neighbours": "a kind of formula, beside the others",
    "otlab.inference.lbfgs": "an algorithm of its own",
    "otlab.tagging.hmm.entropic": "an M-step, beside the others",
    "otlab.tagging.hmm.weak_limit": "estimates of a prior, beside the learner that has it",
    "otlab.tagging.hmm.log_linear": "rows and their gradient, beside the learner that climbs it",
    "otlab.ot.analysis.questions": "an analysis",
    "otlab.ot.analysis.two_candidates": "models of two candidates, beside the differences of their logits",
    "otlab.ot.kernels.mixed_ranking": "likelihood of rankings, beside those of the other models",
    "otlab.ot.group_rates": "rates of speakers and items, beside the fit that has them",
    "otlab.ot.io.comparative": "a file format",
    "otlab.ot.io.levels": "a file format: a line for each input, overt form and parse",
    "otlab.ot.io.ucla": "a file format",
    "otlab.ot.io.sums": "totals of pivot tables, beside the other rows and columns of a table",
    "otlab.ot.io.unseen": "hidden rows and columns, beside the file format that has them",
    "otlab.ot.io.merged": "merged cells, beside the file format that has them",
    "otlab.mg.io.other_formats": "Prolog and Python files of others",
    "otlab.ot.analysis.reduction": "fusional reduction (Brasoveanu & Prince 2011), an algorithm of its own",
    "otlab.ot.io.spreadsheet": "a file format",
    "otlab.ui.classroom.handed_in": "files of answers, beside the board that shows them",
    "otlab.ui.classroom.answers": "the answers of a class as CSV",
    "otlab.ui.classroom.codes": "short codes of students' links",
    "otlab.ui.classroom.student": "a page",
    "otlab.ui.classroom.teacher": "a page",
    "otlab.ui.lessons.player": "the bar of a lesson, with its own component",
    "otlab.ui.lexicon.settings": "the settings of a lab, as in every lab",
    "otlab.ui.mg.classwork": "what a class sees of a lab, as in every lab",
    "otlab.ui.ot.forms.generate": "the work beside the page, which is tested without one",
    "otlab.ui.tagging.classwork": "what a class sees of a lab, as in every lab",
    "otlab.ui.ot.trust": "what the badge of a lab says, as in every lab",
    "otlab.ui.tagging.trust": "what the badge of a lab says, as in every lab",
    "otlab.ui.server.file_detection": "which lab a file belongs to",
    "otlab.ui.server.first_start": "a page",
    "otlab.ui.server.home": "a page",
    "otlab.ui.server.message_order": "one change to two libraries, beside the caches of one",
    "otlab.ui.server.static_files": "files that the server hands out",
    "otlab.ui.lexicon.sweep": "the runs of a lab as a sweep, as in every lab",
    "otlab.ui.ot.sweep": "the runs of a lab as a sweep, as in every lab",
    "otlab.ui.sweep.page": "a page",
    "otlab.ui.documents.field_types": "what fields of a data class may hold",
    "otlab.ui.tagging.table_texts": "a table as HTML, LaTeX and CSV, beside its runs",
    "otlab.ui.tagging.model_choice": "what a tab compares, beside the corpus",
}


def sources(*folders):
    """Return every Python file below some folders of the project."""
    return [path for folder in folders for path in sorted((ROOT.parent / folder).rglob("*.py"))]


def short(path):
    """Return the path of a file from the project's folder."""
    return path.relative_to(ROOT.parent).as_posix()


@cache
def functions(path):
    """Return each function of a file with its lines of code and its number of parameters."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    found = []
    for node in ast.walk(trees()[path.relative_to(ROOT).as_posix()]):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = set(range(node.body[0].lineno, node.end_lineno + 1))
            if ast.get_docstring(node) is not None:
                inside -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
            code = [k for k in inside if lines[k - 1].strip() and not lines[k - 1].strip().startswith("#")]
            arguments = node.args
            parameters = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
            found.append((node.name, len(code), len(parameters)))
    return found


def test_no_file_is_longer_than_one_reads_at_once():
    lengths = {
        short(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in sources("otlab", "tests", "benchmarks")
    }
    assert {name: n for name, n in lengths.items() if n > MOST_LINES} == {}


def test_a_lab_with_one_learner_is_a_short_file():
    assert len((ROOT.parent / "tests/ui/toy.py").read_text(encoding="utf-8").splitlines()) <= MOST_LAB


def test_functions_are_short():
    found = {
        f"{short(path)} {name}"
        for path in sources("otlab")
        for name, code, _ in functions(path)
        if code > MOST_CODE
    }
    assert found == set(LONG_FUNCTIONS)


def test_kernels_take_few_parameters():
    kernels = [path for path in sources("otlab") if "kernels" in path.parts]
    assert len(kernels) > 20
    assert {name for path in kernels for name, _, n in functions(path) if n > MOST_PARAMETERS} == set()


def test_folders_hold_what_one_takes_in():
    files = Counter(short(path.parent) for path in sources("otlab") if path.name != "__init__.py")
    assert {folder for folder, n in files.items() if n > MOST_FILES} == set(FULL_FOLDERS)


def public_modules(tree):
    """Return the modules from which a package imports its public names when they are first used."""
    return {
        value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id == "_MODULES"
        for value in node.value.values
        if isinstance(value, ast.Constant)
    }


@pytest.fixture(scope="module")
def single_importers():
    """Module -> its only importer; not packages, nor modules of public names, which users import."""
    known = modules()
    graph = {
        name: {m for m in imported(tree, known) if m in known and m != name} for name, tree in known.items()
    }
    readers = {name: [m for m, names in graph.items() if name in names] for name in known}
    packages = {".".join(path.parent.relative_to(ROOT.parent).parts) for path in ROOT.rglob("__init__.py")}
    public = {
        f"{name}.{module}" for name in packages & known.keys() for module in public_modules(known[name])
    }
    return {name: m[0] for name, m in readers.items() if len(m) == 1 and name not in packages | public}


def lines_of(module):
    path = ROOT.parent / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return len(path.read_text(encoding="utf-8").splitlines())


def test_a_module_that_one_other_reads_is_one_of_a_kind_or_a_concept(single_importers):
    unexplained = {
        name
        for name, reader in single_importers.items()
        if not set(ONE_OF_A_KIND) & set(name.split(".")) and lines_of(name) + lines_of(reader) <= MOST_LINES
    }
    assert unexplained <= set(CONCEPTS)


def test_a_reason_is_for_a_module_that_one_other_reads(single_importers):
    assert set(CONCEPTS) <= set(single_importers)
