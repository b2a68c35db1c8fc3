"""The benchmark of published grammars and trees, on small ones written here."""

from benchmarks.published_grammars import main, open_grammar, read_tree
from otlab.mg.processing.metrics import read_metrics

# John likes [who, moved]: the linear order is who John likes.
TREE = r"""[CP, name=CP
    [C, empty]
    [TP % a comment
        [John]
        [T$'$, name=Tbar [likes] [who, name=who]]
    ]
]
"""
MOVE = r"\draw[move = {wh}] (who) .. controls +(65:12em) and +(190:2em) .. (CP);"
LINEAR = "who; 222\nC; 1\nJohn; 21\nlikes; 221\n"
NOTES = r"""\node[index] at (CP) {1}; % the root
\node[outdex] at (CP) {2};
"""


def write_tree(folder, name, linear=LINEAR, notes=NOTES):
    (folder / f"{name}.tree.forest").write_text(TREE)
    (folder / f"{name}.linear").write_text(linear)
    (folder / f"{name}.move.forest").write_text(MOVE)
    (folder / f"{name}.io.forest").write_text(notes)


def test_a_tree_has_the_numbers_of_a_top_down_parse(tmp_path):
    write_tree(tmp_path, "wh")
    tree = read_tree(tmp_path / "wh.tree.forest")
    found = {tree.names[id(v.node)]: (v.index, v.outdex, v.kind) for v in tree.use.visits}
    assert found == {
        "CP": (1, 2, "I"),
        "t2": (2, 3, "I"),
        "Tbar": (3, 4, "I"),
        "who": (4, 5, "P"),
        "t1": (2, 6, "U"),
        "t21": (3, 7, "P"),
        "t221": (4, 8, "P"),
    }
    (size,) = read_metrics("MaxS")
    assert size(tree.use) == 3
    assert set(tree.differing) == set(found) - {"CP"}  # the others have no printed numbers


def test_equal_and_other_numbers_are_told(tmp_path, capsys):
    write_tree(tmp_path, "wh")
    found = read_tree(tmp_path / "wh.tree.forest")
    of = {found.names[id(v.node)]: (v.index, v.outdex) for v in found.use.visits}
    notes = "".join(
        f"\\node[index] at ({name}) {{{i}}};\n\\node[outdex, boxed] at ({name}) {{{o}}};\n"
        for name, (i, o) in of.items()
    )
    write_tree(tmp_path, "wh", notes=notes.replace("(who)", "(t222)"))  # named after it was printed
    write_tree(tmp_path, "wrong", notes=notes.replace("{8}", "{9}"))
    write_tree(tmp_path, "in_order", linear="C; 1\nJohn; 21\nlikes; 221\nwho; 222\n")
    (tmp_path / "all.compare").write_text("# name; ; winner; loser\none; ; in_order; wh;\n")
    assert main([str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "wrong: other numbers at t221" in told
    assert "1 of 3 annotated trees equal at every node" in told
    (line,) = [line for line in told.splitlines() if line.startswith("all.compare")]
    assert "MaxT" in line


def test_a_refusal_names_its_place(tmp_path, capsys):
    (tmp_path / "good.pl").write_text("[john]::[d].\n[sleeps]::[=d,v].\n[v]<<[p].\nstartCategory(v).\n")
    bad = tmp_path / "bad.pl"
    bad.write_text("[john]::['D',-k].\n['D',-k]<<['D',-k].\nstartCategory('D').\n")
    (tmp_path / "parser.pl").write_text("go :- fail.\n")
    assert open_grammar(tmp_path / "good.pl") == ""
    assert "bad.pl:2:" in open_grammar(bad)
    assert "adjunction of this form is not supported: ['D',-k]<<['D',-k]" in open_grammar(bad)
    assert main([str(tmp_path)]) == 0
    assert "1 of 2 grammars opened" in capsys.readouterr().out
