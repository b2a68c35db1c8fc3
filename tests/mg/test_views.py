"""Six views of one derivation, its exports, and its picture."""

import itertools
import json
import re
import xml.etree.ElementTree as ET

import pytest

from otlab.errors import InputError
from otlab.mg.io.read import loads
from otlab.mg.parsing.parse import parse
from otlab.mg.views import exports
from otlab.mg.views.exports import to_brackets, to_json
from otlab.mg.views.show import TREE_VIEWS, draw, sequence, steps
from otlab.samples import load_sample, samples
from otlab.viz.mg.tree import SPACINGS, to_png, tree_svg


def derivation(name="figure1_wh", sentence="what did you see"):
    return parse(load_sample(name), sentence).best(1)[0].derivation


def every_derivation():
    for sample in samples("mg"):
        lexicon = load_sample(sample.name)
        for sentence in lexicon.corpus:
            yield from (r.derivation for r in parse(lexicon, sentence).best(3))


BRACKETS = {
    "derivation": "[(what did you see:c) [(did you see:+wh c, what:-wh) ε [(did you see:i, what:-wh) did "
    "[(you see:v, what:-wh) [(you see:=d v) see you] what]]]]",
    "bare": "[> what [< ε [< did [< [> you see] t_1]]]]",
    "x-bar": "[CP [DP_1 [D what]] [C′ [C ε] [IP [I did] [VP [V′ [DP [D you]] [V see]] t_1]]]]",
    "movement": "[c what [c′ ε [i did [v [v′ you see] ⟨what⟩]]]]",
    "memory": "[¹CP₂ [²C′₃ ³ε₇ [³IP₄ ⁴did₈ [⁴VP₅ [⁵V′₉ ⁹you₁₀ ⁹see₁₁] ⁵what₆]]]]",
}


@pytest.mark.parametrize("view", TREE_VIEWS)
def test_figure_1_in_brackets(view):
    assert exports.to_brackets(derivation(), view) == BRACKETS[view]


def test_the_sequence_with_probabilities():
    texts = ("ε :: =i +wh c", "did :: =v i", "see :: d= =d v", "you :: d", "what :: d -wh")
    assert sequence(derivation(), {"you :: d": 0.5}) == [(t, 0.5 if t == "you :: d" else None) for t in texts]


@pytest.mark.slow
def test_words_of_every_view_are_the_sentence():
    for d in every_derivation():
        spoken = sorted(d.words)
        for view in TREE_VIEWS:
            leaves = [n for n in draw(d, view).tree.walk() if n.style == "word"]
            assert sorted(w for n in leaves for w in n.label.split()) == spoken
        for view in ("bare", "x-bar", "movement"):
            in_order = [w for n in draw(d, view).tree.walk() if n.style == "word" for w in n.label.split()]
            assert tuple(in_order) == d.words


REMNANT = """
@convention nondirectional
@start c
ε :: =i c
ε :: =i +wh c
-s :: =pred +v +k i
ε :: =vt +k =d pred
praise :: =d vt -v
titus :: d -k
who :: d -k -wh
"""


def test_arrows_follow_the_steps_of_remnant_movement():
    """The object leaves the verb phrase for k, the verb phrase moves, then the object moves on for wh."""
    d = parse(loads(REMNANT), "who titus praise -s").best(1)[0].derivation
    drawing = draw(d, "movement")
    nodes = list(drawing.tree.walk())
    who = [a for a in drawing.arrows if "who" in nodes[a.target].label]
    assert [a.label for a in who] == ["k", "wh"]
    assert who[0].target == who[1].source, "the second begins where the first ended"
    (fronting,) = (a for a in drawing.arrows if a.label == "v")
    inside = range(fronting.source, fronting.source + len(list(nodes[fronting.source].walk())))
    assert who[0].source in inside, "the object starts in the lower copy of the verb phrase"
    lower = list(nodes[fronting.source].walk())
    assert [(n.label, n.style) for n in lower] == [("vt", "node"), ("praise", "copy"), ("who", "copy")]
    assert [a.label for a in drawing.arrows] == ["k", "v", "k", "wh"]
    assert rf"\draw[->] (n{who[0].source})" in exports.to_forest(d)


def test_a_phrase_that_waits_stands_where_it_has_come_to():
    d = parse(loads(REMNANT), "who titus praise -s").best(1)[0].derivation
    for step in steps(d)[:-1]:
        drawing = draw(d, "movement", step.node)
        moves = [n for n in step.node.walk() if n.mover is not None]
        assert len(drawing.arrows) == len(moves)
        spoken = [n.label for n in drawing.tree.walk() if n.style == "word"]
        assert sorted(spoken) == sorted(
            w for n in step.node.walk() if n.item is not None for w in n.item.words
        )


def test_steps_say_what_they_make():
    made = steps(parse(load_sample("english_pp_attachment"), "john saw the man").best(1)[0].derivation)
    assert "the::=n d + man::n ⇒ the man:d" in [s.equation for s in made]
    assert {s.rule for s in made} == {"Merge", ""}
    made = steps(parse(loads(REMNANT), "who titus praise -s").best(1)[0].derivation)
    moves = [s.what for s in made if s.rule == "Move"]
    assert moves[0] == "who checks +k of ε and will move on"
    assert moves[-1] == "who checks +wh of ε and lands at its left"
    assert {n.detail for n in draw(derivation(), "derivation").tree.walk() if n.children} == {"Merge", "Move"}


def test_every_movement_has_its_arrow_and_lands_higher():
    for d in every_derivation():
        drawing = draw(d, "movement")
        phrases = sum(n.mover is not None for n in d.root.walk())
        heads = sum(n.checked is not None and n.checked.moves_head for n in d.root.walk())
        assert len(drawing.arrows) == phrases + heads
        nodes = list(drawing.tree.walk())
        assert all(nodes[a.source].trace for a in drawing.arrows)
        assert {nodes[a.target].mover or nodes[a.target].trace for a in drawing.arrows} == {
            nodes[a.source].trace for a in drawing.arrows
        }


def test_positions_name_the_items_of_the_sequence():
    for d in every_derivation():
        for view in ("derivation", "movement"):
            leaves = {n.position: n.label for n in draw(d, view).tree.walk() if n.position >= 0}
            assert leaves == {i: item.phon for i, item in enumerate(d.items)}


def test_unfinished_derivations_can_be_drawn():
    d = derivation("naive_english_remnant", "who titus praise -s")
    for step in steps(d):
        for view in TREE_VIEWS:
            drawing = draw(d, view, step.node)
            words = sorted(w for n in drawing.tree.walk() if n.style == "word" for w in n.label.split())
            strings = (step.node.head, *step.node.movers)
            assert words == sorted(w for chain in strings for w in chain.words)


def test_latex():
    d = derivation()
    moved = exports.to_qtree(d, "movement")
    assert moved.startswith("% In the preamble: \\usepackage{tikz-qtree}\n")
    assert r"\draw[->] (n10) to[" in moved
    assert r"\node(n10){\sout{what}};" in moved, "the arrow leaves the copy"
    assert r"\node(n1){what" in moved, "and reaches the pronounced word"
    assert moved.count(r"\node(") == 2
    assert moved.endswith(r"\end{tikzpicture}")
    packages, tree = exports.to_qtree(d).split("\n")
    assert packages == r"% In the preamble: \usepackage{qtree}"
    assert tree.startswith(r"\Tree [.{CP} [.{DP\textsubscript{1}} [.{D} {what} ] ]")
    assert "{C$'$}" in tree
    forest = exports.to_forest(d)
    first, second, begin, style, *_ = forest.splitlines()
    assert r"\usepackage[linguistics]{forest}" in first
    assert r"\usepackage[normalem]{ulem}" in second
    assert begin == r"\begin{forest}"
    assert style == "for tree={align=center, parent anchor=south, child anchor=north}"
    assert r"{$\varepsilon$\\{\scriptsize =i +wh c}}" in forest, "silent heads keep their features"
    assert "ulem" not in exports.to_forest(d, "x-bar")
    assert r"\sout{what}" in forest
    assert r"\draw[->] (n10)" in forest
    for text in (exports.to_qtree(d), forest):
        bare = re.sub(r"\\\\|\\[{}]", "", text)
        assert bare.count("{") == bare.count("}")
        assert bare.count("[") == bare.count("]")


def test_latex_escapes_what_tex_would_read():
    from otlab.mg.io.read import loads

    text = exports.to_qtree(parse(loads("@start c\n50%_a&b :: c\n"), "50%_a&b").best(1)[0].derivation)
    assert r"50\%\_a\&b" in text


_STRANGE = ("a[b]", "x&y%", "{br}$#~^", "a\\b<>′", "c_1")


@pytest.mark.parametrize("word", _STRANGE)
@pytest.mark.parametrize("write", [exports.to_forest, exports.to_qtree])
def test_latex_stays_balanced_whatever_the_words(word, write):
    """Every view of each compiled with pdfLaTeX and XeLaTeX when this was written."""
    from otlab.mg.io.read import loads

    lexicon = loads(f"@start c\nthe :: =d c\n{word} :: d\n")
    text = write(parse(lexicon, f"the {word}").best(1)[0].derivation)
    tree = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[\\{}&%$#_]|\\textbackslash\{\}|\\textascii\w+\{\}", "", tree)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"[&%#~_]", bare)
    assert bare.count("$") % 2 == 0


def test_json_names_every_item():
    value = json.loads(exports.to_json(derivation()))
    assert value["items"][0] == "ε :: =i +wh c"
    assert value["tree"]["expression"] == "[what did you see:c]"


@pytest.mark.slow
@pytest.mark.parametrize("spacing", SPACINGS)
def test_pictures_are_well_formed_and_keep_labels_apart(spacing):
    for d in every_derivation():
        for view in TREE_VIEWS:
            root = ET.fromstring(tree_svg(draw(d, view), spacing=spacing))
            width, height = (float(root.get(k)) for k in ("width", "height"))
            texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
            assert all(0 <= float(t.get("x")) <= width and 0 <= float(t.get("y")) <= height for t in texts)


def test_a_compact_picture_says_the_same_in_less_height():
    drawing = draw(derivation(), "movement")
    wide, compact, dense = (ET.fromstring(tree_svg(drawing, spacing=s)) for s in SPACINGS)
    assert list(wide.itertext()) == list(compact.itertext())
    assert float(compact.get("height")) < 0.85 * float(wide.get("height"))
    assert compact.get("class") == "ot-tree ot-compact"
    assert sorted(" ".join(dense.itertext()).split()) == sorted(" ".join(wide.itertext()).split())
    assert float(dense.get("width")) < 0.85 * float(compact.get("width"))


def test_features_that_have_two_lines_in_a_dense_picture_stay_off_other_labels():
    """The boxes of texts, estimated from above, of long and of short labels."""
    lexicon = load_sample("copy_ww")
    drawing = draw(parse(lexicon, "a b b a a b b a").best(1)[0].derivation, "movement")
    root = ET.fromstring(tree_svg(drawing, spacing="dense"))
    assert float(root.get("width")) < 1400  # 2,040 with the features on one line
    boxes = []
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        x, y, size = (float(text.get(k)) for k in ("x", "y", "font-size"))
        half = 0.26 * size * len("".join(text.itertext()))
        boxes.append((x - half, x + half, y - 0.75 * size, y))
    for a, b in itertools.combinations(boxes, 2):
        assert not (a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3])


def test_pictures_take_their_colours_from_the_page():
    svg = tree_svg(draw(derivation(), "movement"), highlight={3})
    assert not re.search(r'(fill|stroke)="#', svg)
    assert "var(--ot-warn-bg" in svg


def test_png():
    pytest.importorskip("cairosvg")
    assert to_png(tree_svg(draw(derivation()))).startswith(b"\x89PNG")


def test_a_derivation_too_deep_for_a_tree_says_so():
    """Three thousand silent heads: it is derived, listed and refused as a tree."""
    chain = [f" :: =c{i + 1} c{i}" for i in range(3000)]
    derivation = parse(loads("\n".join(["@start c0", *chain, "a :: c3000"])), "a").best(1)[0].derivation
    assert len(steps(derivation)) == 3001
    assert derivation.depth == 3001
    for refused in (lambda: draw(derivation), lambda: to_brackets(derivation), lambda: to_json(derivation)):
        with pytest.raises(InputError, match="3,001 items is too deep for a tree; see its sequence"):
            refused()


@pytest.mark.parametrize("view", ["derivation", "bare", "movement", "memory"])
def test_a_tree_of_one_word_is_in_brackets_which_qtree_needs(view):
    from otlab.mg.io.read import loads

    text = exports.to_qtree(parse(loads("@start c\nyes :: c\n"), "yes").best(1)[0].derivation, view)
    tree = text.splitlines()[-1]
    assert tree.startswith(r"\Tree [.{")
    assert tree.endswith("} ]")


@pytest.mark.parametrize("write", [exports.to_forest, exports.to_qtree])
def test_letters_that_pdflatex_lacks_are_named_before_the_tree(write):
    from otlab.mg.io.read import loads

    told = "% Compile with XeLaTeX or LuaLaTeX"
    for word, expected in (("ɔŋ", True), ("이", True), ("müßig", False), ("a′", False)):
        lexicon = loads(f"@start c\nε :: =d c\n{word} :: d\n")
        assert (told in write(parse(lexicon, word).best(1)[0].derivation)) == expected
