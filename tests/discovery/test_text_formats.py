"""Every format of phonemic text is recognised, and its items are those of a plain count."""

import unicodedata
import warnings

import numpy as np
import pytest

from otlab.discovery.channel.pairs import parse_pairs
from otlab.discovery.corpus import Corpus
from otlab.discovery.grammar import Terminal
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.io.phones import phones_of
from otlab.discovery.io.readings import form_of, readings
from otlab.discovery.io.text import FORMATS, TextFormat, choose, formats_of
from otlab.errors import DataWarning, InputError

WORDS = [["juː", "viː", "kʊkɪz"], ["duː", "juː"], ["aɪ", "siː", "kʊkɪz"]]
PHONES = [[phones_of(word) for word in line] for line in WORDS]
CHAT = (
    "\ufeff@UTF8\n@Begin\n@Participants:\tCHI Target_Child\n*CHI:\tjuː viː\n\tkʊkɪz . \x151_20\x15\n"
    "%pho:\tjuː viː\n\tkʊkɪz\n*MOT:\twhat's that ?\n*CHI:\tduː [//] &-uh juː xxx !\n%pho:\tduː juː .\n"
    "%gra:\t1|2\n*CHI:\taɪ (si)s .\n%mod:\taɪ siːz\n%pho:\taɪ siː kʊkɪz\n@End\n"
)


def written(between_phones, between_words, end=""):
    lines = [between_words.join(between_phones.join(word) for word in line) + end for line in PHONES]
    return "\n".join(lines) + "\n"


TEXTS = {
    "plain": (written("", " "), TextFormat()),
    "dots": (written(".", " "), TextFormat("plain", ".", " ")),
    "hash": (written(" ", " # "), TextFormat("blanks", " ", "#")),
    "wide": (written(" ", "  "), TextFormat("blanks", " ", "  ")),
    "tabs": (written(" ", "\t"), TextFormat("blanks", " ", "  ")),
    "bars": (written(" ", " | ", " |"), TextFormat("blanks", " ", "|")),
    "wordseg": (written(" ", " ;eword ", " ;eword"), TextFormat("wordseg", " ", ";eword")),
    "syllables": (
        written(" ;esyll ", " ;esyll ;eword ", ";esyll ;eword"),
        TextFormat("wordseg", " ", ";eword"),
    ),
    "cha": (CHAT, TextFormat("cha", tier="%pho")),
    "slashes": (
        "".join(f"/{line}/\n" for line in written("", "/ /").splitlines()), TextFormat("bracketed"),
    ),
    "brackets": (
        "".join(f"[{line}]\n" for line in written("", " ").splitlines()), TextFormat("bracketed"),
    ),
    "slashed phones": (
        "".join(f"/{line}/\n" for line in written(" ", "/ /").splitlines()),
        TextFormat("bracketed", " ", "  "),
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::otlab.errors.DataWarning")
@pytest.mark.parametrize("kind", TEXTS)
def test_every_format_gives_the_words_and_phones_of_a_plain_count(kind):
    text, expected = TEXTS[kind]
    corpus = Corpus.from_bytes(text.encode())
    assert corpus.form == formats_of(text)[0] == expected
    assert [corpus.words(u, corpus.gold) for u in range(len(corpus))] == WORDS
    assert int(corpus.gold.sum()) == sum(map(len, WORDS))
    assert corpus.phones.size == sum(len(word) for line in PHONES for word in line)


def test_blanks_between_phones_without_word_edges_are_no_gold():
    corpus = Corpus.from_bytes("j uː v iː k ʊ k ɪ z\nd uː j uː\n".encode())
    assert (corpus.gold, corpus.phones.size, corpus.form.word_separator) == (None, 13, "")


def test_a_blank_that_was_typed_twice_is_no_word_edge():
    lines = ["d  uː j uː", *["v iː k ʊ k ɪ z"] * 9]
    assert Corpus.from_bytes("\n".join(lines).encode()).form.word_separator == ""


def test_a_text_in_one_long_line_is_refused_by_what_it_is():
    with (
        pytest.warns(DataWarning, match="over 250 phones, left out"),
        pytest.raises(InputError, match="no line has 250 phones or fewer"),
    ):
        Corpus.from_text("yu want tu si " * 50)


def test_phones_of_several_letters():
    text = "HH AY1 # DH EH1 R\nK UH1 K IY0 # AY1 # S IY1\nF AO1 R # M IY1 # T UW1\nB AO1 L\n"
    corpus = Corpus.from_text(text, separator=" ")
    assert choose(text) == corpus.form == TextFormat("blanks", " ", "#")
    assert [corpus.words(u, corpus.gold)[0] for u in range(4)] == ["HHAY1", "KUH1KIY0", "FAO1R", "BAO1L"]


def test_slashes_are_phones_where_that_is_chosen():
    data = "/kat/ /dɔɡ/\n/kat/\n".encode()
    first, *others = readings(data, "a.txt")
    assert first.preview == (("k a t", "d ɔ ɡ"), ("k a t",))
    plain = next(way for way in others if way.format == "plain")
    for form in (form_of(plain), choose(data.decode(), form="plain")):
        with pytest.warns(DataWarning, match=r"read as phones: '/' \(6 times\); delete them"):
            assert "/" in Corpus.from_bytes(data, form=form).symbols
    assert Corpus.from_bytes(b"/k.a.t/ /d.o/\n", separator=".").words(0, np.ones(5, bool)) == list("katdo")


@pytest.mark.parametrize("text", ["kat [laughs] dɔɡ\n", "a/b c\n", "g/tS@r\nd/rf@r\n", "/\n[ ]\n"])
def test_slashes_and_brackets_elsewhere_stay(text):
    assert choose(text).name != "bracketed"


def test_marks_in_ipa_that_are_read_as_phones_are_named():
    with pytest.warns(DataWarning, match=r"a.txt: read as phones: '.' \(2 times\), '\?' \(once\); delete"):
        Corpus.from_bytes("dɔ.ɡi\nbɑ.bi?\n".encode(), "a.txt")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        Corpus.from_bytes(b"yu want (, D)t\n")  # letters of an alphabet of ASCII characters
        Corpus.from_bytes(b"bO. tim\nlUk\nD&? .\n")


def test_full_stops_of_spelling_are_named():
    named = r"read as phones: ',' \(once\), '.' \(2 times\), '\?' \(once\); delete"
    with pytest.warns(DataWarning, match=named):
        Corpus.from_bytes(b"It rains.\nLook, a dog.\nWhat?\nYes\n", "a.txt")


def test_words_of_two_letters_stay_words():
    assert choose("ab ab\nab c\n") == TextFormat()
    assert choose("kʊ.kɪz a.ba\nlʊk ba.na.na\n") == TextFormat()  # dots between syllables


@pytest.mark.parametrize("text", [entry[0] for entry in TEXTS.values()])
@pytest.mark.parametrize("form", FORMATS)
def test_a_format_that_is_named_is_used(text, form):
    assert choose(text, form=form).name == form


def test_what_a_transcript_lacks_is_named():
    with pytest.warns(DataWarning, match=r"a\.cha:8: utterance without a %pho line, left out$"):
        Corpus.from_bytes(CHAT.encode(), "a.cha")
    with pytest.warns(DataWarning, match=r"utterance without a %mod line, left out \(and 2 more: 8, 9\)"):
        corpus = Corpus.from_text(CHAT, "a.cha", form=TextFormat("cha", tier="%mod"))
    assert corpus.words(0, corpus.gold) == ["aɪ", "siːz"]
    spelled = Corpus.from_text(CHAT, "a.cha", form=TextFormat("cha", tier="*"))
    assert [" ".join(spelled.words(u, spelled.gold)) for u in range(len(spelled))] == [
        "juː viː kʊkɪz",
        "what's that",
        "duː juː",
        "aɪ sis",
    ]


def test_marks_of_chat_are_no_phones():
    text = (
        "@UTF8\n@Begin\n*CHI:\talright, ice+cream [/] spa^ghe:tti to_go +... \x151_2\x15\n"
        "%pho:\t‹ɔ ɹaɪt› ‹aɪskɹim› (.) xxx xx\n@End\n"
    )
    spelled = Corpus.from_text(text, "a.cha", form=TextFormat("cha", tier="*"))
    assert spelled.words(0, spelled.gold) == ["alright", "icecream", "spaghetti", "togo"]
    heard = Corpus.from_text(text, "a.cha", form=TextFormat("cha", tier="%pho"))
    assert heard.words(0, heard.gold) == ["ɔ", "ɹaɪt", "aɪskɹim"]


def test_a_line_without_phones_is_named():
    with pytest.warns(DataWarning, match=r"text:2: no phone in this line, left out"):
        assert len(Corpus.from_text("a b # c\n# #\nb a\n", separator=" ")) == 2


def test_a_wrong_format_is_refused():
    with pytest.raises(InputError, match="did you mean wordseg"):
        choose("ab", form="wordsge")


@pytest.mark.parametrize(
    ("word", "phones"),
    [
        ("bʱatʰa", ["bʱ", "a", "tʰ", "a"]),
        ("ʔˀatˢadᶻ", ["ʔˀ", "a", "tˢ", "a", "dᶻ"]),
        ("əʳtˤa", ["əʳ", "tˤ", "a"]),
        ("ma˥˩pa˧", ["m", "a˥˩", "p", "a˧"]),
        ("ⁿdaⁿda", ["ⁿd", "aⁿ", "d", "a"]),
        ("ˈⁿdaˌkiː", ["ˈ", "ⁿd", "a", "ˌ", "k", "iː"]),
        ("t͡ʃʼa˞", ["t͡ʃʼ", "a˞"]),
        ("x^a`", ["x", "^", "a", "`"]),
        ("\ufeffk\u200da\u00ad\u200ft\u200b", ["k", "a", "t"]),
    ],
)
def test_modifier_letters_belong_to_a_letter(word, phones):
    assert phones_of(word) == phones
    assert phones_of(unicodedata.normalize("NFD", word)) == phones


@pytest.mark.parametrize("separator", ["", ".", " "])
def test_a_letter_with_a_mark_is_one_phone_however_it_is_typed(separator):
    one, two = unicodedata.normalize("NFC", "ã"), unicodedata.normalize("NFD", "ã")
    between = separator or ""
    corpus = Corpus.from_text(f"p{between}{one}{between}p{between}{two}\n", separator=separator)
    assert corpus.symbols == ("p", "ã")


@pytest.mark.parametrize("separator", ["", ".", " "])
def test_a_character_that_is_not_seen_is_no_phone(separator):
    between = separator or ""
    corpus = Corpus.from_text(f"\u200fp{between}\u200da{between}\u200b\n", separator=separator)
    assert corpus.symbols == ("a", "p")


def test_phones_of_headers_grammars_and_pairs_are_those_of_texts():
    two = unicodedata.normalize("NFD", "ã")
    assert Corpus.from_text(f"# vowels: {two}\npã\n").vowels == ("ã",)
    grammar = parse_grammar(f"S -> W+\n@W 9 1 0\nW -> 'p' '{two}'\n")
    assert (Terminal("p"), Terminal("ã")) in [rule.right for rule in grammar.rules]
    assert parse_pairs(f"ã\t{two}\n").symbols == ("ã",)


def test_xml_is_no_text():
    with pytest.raises(
        InputError, match=r"s\.eaf: is XML, and no text with an utterance on each line; export"
    ):
        Corpus.from_bytes(b'<?xml version="1.0"?>\n<ANNOTATION_DOCUMENT>\n</ANNOTATION_DOCUMENT>\n', "s.eaf")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("u.TextGrid", 'File type = "ooTextFile"\nObject class = "TextGrid"\n'),
        ("u.txt", '"ooTextFile short"\n"TextGrid"\n0\n1\n'),
        ("u.phn", "0 3000000 a\n3000000 5000000 s\n"),
        ("u.lab", "0.00 0.25 a\n0.25 0.5 s\n"),
        ("u.ctm", "u 1 0.25 0.5 dog 0.98\nu 1 0.75 0.5 cat 0.98\n"),
    ],
)
def test_gold_times_are_no_utterances(name, text):
    with pytest.raises(InputError, match=rf"{name}: holds times .* with --audio"):
        Corpus.from_bytes(text.encode(), name)


def test_numbers_of_lines_are_no_words():
    text = "1 yu want tu si D6 bUk\n2 lUk D*z 6 b7\n3 &nd 6 dOgi\n"
    with pytest.raises(InputError, match="has the number of the line at the beginning of each line"):
        Corpus.from_bytes(text.encode(), "brent.txt")
    assert len(Corpus.from_bytes(text.replace("2 lUk", "6 lUk").encode(), "brent.txt")) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ðə dɔg\nðə dɔɡ\nɡɔ\n", "'g' (once) and 'ɡ' (2 times)"),
        ("t͡ʃ ɪ p\nt͜ʃ ɪ p\n", "'t͜ʃ' (once) and 't͡ʃ' (once)"),
        ("k\u0430t\nðə kat\n", "'a' (once) and '\u0430' (once)"),
    ],
)
def test_phones_that_look_alike_are_named(text, said):
    with pytest.warns(DataWarning) as found:
        Corpus.from_bytes(text.encode(), "a.txt")
    assert [str(each.message) for each in found] == [
        f"a.txt: phones that look alike: {said}; write them in one way"
    ]
