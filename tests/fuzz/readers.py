"""The registry: every function that reads what a user types, drops, opens or follows, with samples."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from otlab import ot
from otlab.discovery.channel.pairs import parse_pairs
from otlab.discovery.corpus import Corpus as Phones
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.io.readings import readings as phone_readings
from otlab.discovery.sound.audio import wav_bytes
from otlab.discovery.sound.gold import Heard, read_gold
from otlab.discovery.sound.speech import read_recording
from otlab.discovery.sound.zerospeech import parse_classes
from otlab.errors import InputError
from otlab.forms import counting, features, feet, gen, notation, tiers
from otlab.mg.io.read import loads as read_lexicon
from otlab.mg.io.spell_out import read_spell_out
from otlab.mg.io.times import read_times
from otlab.mg.sentences import read_corpus_text
from otlab.ot.constraint_names import parse_names
from otlab.ot.io import write
from otlab.ot.io.apriori import parse_apriori
from otlab.ot.io.bias import parse_bias
from otlab.ot.io.read import read_bytes, read_pasted
from otlab.ot.learners.schedules import read_schedule
from otlab.sweep.plan import parse_plan
from otlab.tagging.dictionary import TagDictionary
from otlab.tagging.io.detection import readings as tagged_readings
from otlab.tagging.io.read import open_text
from otlab.ui import packing
from otlab.ui.documents import encoding
from otlab.ui.documents.archive import read_archive
from otlab.ui.lessons.lesson import read_lesson
from otlab.ui.lexicon.open_sound import sound_of
from otlab.ui.opened_document import empty_state
from otlab.ui.server.file_detection import lab_of_file, refused, taken_for

ROOT = Path(__file__).parents[2]
DOCUMENTS = ROOT / "tests" / "ui" / "documents" / "fixtures"
CASES = ROOT / "tests" / "discovery" / "sound" / "cases"


@dataclass(frozen=True)
class Reader:
    """A reader of bytes, and whole files for it."""

    name: str
    read: Callable[[bytes], object]
    samples: Callable[[], Iterable[bytes]]


def text_of(data: bytes) -> str:
    """Return typed or pasted text, which may hold lone surrogates as a browser sends them."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    """Return the reader of bytes that gives their text to a reader of text."""
    return lambda data: read(text_of(data))


def encoded(*texts: str) -> Callable[[], list[bytes]]:
    """Return samples that are texts."""
    return lambda: [text.encode() for text in texts]


# -- Optimality Theory ------------------------------------------------------------------

OTSOFT = "\t\t\tOnset\tNoCoda\tMax\r\n\t\t\tOns\tNoC\t\r\nVC\t.VC.\t3\t1\t1\t\r\n \t.V.\t\t1\t\t1\r\n"
PRAAT = (
    'File type = "ooTextFile"\nObject class = "OTGrammar 2"\n\n<OptimalityTheory> 0.0\n2 constraints\n'
    'constraint [1]: "\\s{Onset}" 100.0 100.0 1.0 ! Onset\nconstraint [2]: "Max" 99 99 1 ! Max\n\n'
    "1 fixed rankings\n   1 2\n\n"
    '2 tableaus\ninput [1]: "VC" 2\n   candidate [1]: ".VC." 1 0\n   candidate [2]: "" 0 2\n'
    'input [2]: "V" 1\n   candidate [1]: ".V." 1 0\n'
)
PAIRS = (
    'File type = "ooTextFile"\nObject class = "PairDistribution"\n\npairs: size = 2\npairs [1]:\n'
    '    string1 = "VC"\n    string2 = ".VC."\n    weight = 30\npairs [2]:\n'
    '    string1 = "V"\n    string2 = ".V."\n    weight = 1e2\n'
)
TABLES = (
    OTSOFT,
    OTSOFT.replace("\t", ","),
    "Input,Output,Frequency,A,B\n# noise: 2\ni,o,27%,1,0\ni,p,73%,0,1\n",
    "Input,Output,Overt,Frequency,A,B\nLL,(L1 L),L1 L,3,1,0\nLL,(L L1),L L1,0,0,1\n",
    "Input,Output,Speaker,Word,Frequency,A,B\ni,o,ann,w1,3,1,0\ni,p,ann,w1,1,0,1\ni,o,bob,w2,2,1,0\n",
    "Input,Winner,Loser,A,B,C\ni,o,p,W,L,e\nj,q,r,L,W,\n",
    "/bed/,,Max,*[+voice]#\n☞ bet,1,*,\nbed,3,,*!\n",
    "Input;Output;Frequency;A\ni;o;0,5;1\ni;p;1,5;0\n",
    "# formula Ident: Ident[voice]\nInput,Output,Frequency,Ident\nbed,bet,3,1\nbed,bed,1,0\n",
)


def _shipped(folder: str, pattern: str, most: int = 3000) -> list[bytes]:
    """Return the shipped samples, the beginnings of large ones."""
    paths = sorted((ROOT / f"sample_{folder}").glob(pattern))
    return [path.read_bytes()[:most].rpartition(b"\n")[0] + b"\n" for path in paths]


@cache
def _ilokano() -> Any:
    return ot.read("ilokano")


def _tables() -> list[bytes]:
    tableau = _ilokano()
    more = [write.to_otsoft(tableau), write.to_maxent_ot(tableau), write.to_csv(tableau)]
    whole = [path.read_bytes() for path in sorted((ROOT / "sample_tableaux").glob("*.csv"))]
    small = [data for data in whole if len(data) < 4000]
    return [*(text.encode() for text in (*TABLES, *more)), OTSOFT.encode("utf-16"), *small]


def _books() -> list[bytes]:
    import openpyxl

    found = []
    for rows in ([["Input", "Output", "Frequency", "A"], ["i", "o", 0.5, 1], ["", "p", 2, None]],):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.create_sheet("more").append(["x", True, "=A1"])
        out = io.BytesIO()
        book.save(out)
        found.append(out.getvalue())
    return found


def _pasted(text: str) -> None:
    format = ("", "table", "pairs", "paper")[len(text) % 4]
    read_pasted(text, "pasted text", format=format)


def _schedule(data: bytes) -> None:
    with _folder() as folder:
        (folder / "s.txt").write_bytes(data)
        read_schedule(folder / "s.txt")


@contextlib.contextmanager
def _folder() -> Any:
    place = Path(
        tempfile.mkdtemp(prefix="otlab-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    )
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


APRIORI = ("\t*C-ONS\tAL\tI_BR\n*C-ONS\t\tx\t\nAL\t\t\t\nI_BR\t\t\t\n", PRAAT.replace("Max", "AL"))
BIAS = ("*C-ONS\t0\t1\nAL\t3.5\t1\nI_BR;1;2\n", "Constraint,Mu,Sigma\nAL,0,1\n", "AL;0,5;1,25\n")
SCHEDULE = "Trials\tPlastMark\tPlastFaith\tNoiseMark\tNoiseFaith\n500\t2\t2\t2\t2\n500\t0.2\t0.2\t2\t2\n"

PROLOG = (
    "% seed\n[] :: [='V','C'].\n['Mary'] :: ['D', -k].  /* a\ncomment */\n[laughs]::[= 'D',+k,'V'].\n"
    "startCategory('C').\n"
)
MGTDB = (
    "mg0 = [([], [('sel','V'),('cat','C')]), (['Mary'], [('cat','D')]),\n"
    "  (['laughs'], [('sel','D'),('cat','V')])]\n"
)
OCAML = '[(["Mary"],[Cat "D"]); (["laughs"],[Sel "D"; Cat "V"])]\n'
LEXICON_TABLE = "phon,features,alpha\nMary,d,1\nsleeps,d= v,0.5\n"
SPELL_OUT = "# verbs\ngo -ed -> went\ndo -s → does\n"
TIMES = "sentence,word,ms\n1,mary,310\n1,sleeps,420\n2,john,305\n2,sleeps,NA\n"


def _lexicon(kind: str) -> Callable[[bytes], object]:
    return of_text(lambda text: read_lexicon(text, kind=kind, file=f"a{kind}", start="v C"))


TAGGED = (
    "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdo\tdo\tAUX\tVB\t_\t0\troot\t_\t_\n\n",
    "# global.columns = ID FORM UPOS PARSEME:MWE\n1\tgive\tVERB\t1:VPC\n2\tup\tADP\t1\n\n",
    "the/DT dog/NN runs/VBZ ./.\nshe/PRP sleeps/VBZ ./.\n",
    "the_DT dog_NN runs_VBZ ._.\nshe_PRP sleeps_VBZ ._.\n",
    "the\tDT\ndog\tNN\nruns\tVBZ\n\nshe\tPRP\nsleeps\tVBZ\n",
    "-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n. . O O\n",
    "[ The/DT dog/NN ]\nruns/VBZ\n./.\n=====\n[ She/PRP ]\nsleeps/VBZ\n./.\n",
    "\tThe/at dog/nn runs/vbz ./.\n\n\tShe/pps sleeps/vbz ./.\n",
    "The\tDT\tthe\ndog\tNN\tdog\nruns\tVBZ\trun\n.\tSENT\t.\n<s>\n",
    "the dog runs .\nshe sleeps .\n",
)
DICTIONARY = "# allowed\nthe DT\ndog NN VB\nruns VBZ NNS\n"


def _gzipped() -> list[bytes]:
    import gzip

    return [gzip.compress(text.encode(), mtime=0) for text in TAGGED[:2]]


def _tagged(name: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        with contextlib.suppress(InputError):
            tagged_readings(data, name)
        open_text(io.BytesIO(data), name).corpus()

    return read


PHONES = (
    "ðə dɔɡ\nðə kæt\n",
    "ð ə # d ɔ ɡ\nð ə # k æ t\n",
    "ð ə ;eword d ɔ ɡ ;eword\n",
    "# separator: .\nð.ə d.ɔ.ɡ\n",
    "@UTF8\n@Begin\n*MOT:\tthe dog .\n%pho:\tðə dɔɡ\n%mor:\tdet|the n|dog .\n@End\n",
)
TRANSCRIPT = (
    "@UTF8\n@Begin\n*CHI:\t<I don't> [//] it's , my ice+cream [: cream] &-uh xxx . \x151_2\x15\n"
    "%mor:\tpro|it~v|be cm|cm\n\tdet|my n|+n|ice+n|cream^n|cream .\n"
    "*MOT:\t0is “no” ?\n%mor:\tbq|bq co|no eq|eq ?\n"
)
GRAMMARS = (
    "# words\nUtterance -> Word+\n@Word 1500 100 0\nWord -> Phon+\n",
    "Utterance -> Colloc+\n@Colloc 100 10 0.2\nColloc -> Word+\n@Word 1500 100 0\nWord -> Stem\n"
    "Word -> Stem Phon\n2.5 Stem -> 'a' 'b'\nStem -> Phon+\n",
)
CHANNEL_PAIRS = "d ɔ ɡ\td ɔ k\nk æ t\tk æ\n"
CLASSES = "Class 1\nu1 0.10 0.35 word\nu2 1.00 1.20 word\n\nClass 2 other\nu1 0.5 0.7\n\n"


def _phones(name: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        with contextlib.suppress(InputError):
            phone_readings(data, name)
        Phones.from_bytes(data, name)

    return read


@cache
def _tone() -> np.ndarray:
    return 0.3 * np.sin(np.arange(4000) * 0.1) * np.linspace(0.2, 1, 4000)


def _sounds(ending: str, format: str) -> Callable[[], list[bytes]]:
    def make() -> list[bytes]:
        import soundfile

        out, two = io.BytesIO(), io.BytesIO()
        soundfile.write(out, _tone(), 16000, format=format)
        soundfile.write(two, np.stack([_tone(), -_tone()], axis=1), 8000, format=format)
        more = [wav_bytes(_tone(), 16000)] if ending == ".wav" else []
        return [out.getvalue(), two.getvalue(), *more]

    return make


def _arrays() -> list[bytes]:
    out = io.BytesIO()
    np.save(out, np.ones((30, 13), dtype=np.float32))
    return [out.getvalue()]


def _htk() -> list[bytes]:
    head = (
        (30).to_bytes(4, "big")
        + (100_000).to_bytes(4, "big")
        + (52).to_bytes(2, "big")
        + (6).to_bytes(2, "big")
    )
    return [head + np.ones((30, 13), dtype=">f4").tobytes()]


def _sound_archives() -> list[bytes]:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("set/u1.wav", wav_bytes(_tone(), 16000))
        file.writestr("set/u1.TextGrid", TEXTGRID)
        file.writestr("set/words.tsv", "utt\tstart_s\tend_s\tlabel\nu1\t0.0\t0.1\tone\n")
        file.writestr("set/u1.phn", "0 1600 a\n1600 3200 s\n")
    return [out.getvalue()]


TEXTGRID = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 0.25\ntiers? <exists>\n'
    'size = 2\nitem []:\n    item [1]:\n        class = "IntervalTier"\n        name = "phones"\n'
    "        xmin = 0\n"
    "        xmax = 0.25\n        intervals: size = 2\n        intervals [1]:\n            xmin = 0\n"
    '            xmax = 0.1\n            text = "a"\n        intervals [2]:\n            xmin = 0.1\n'
    '            xmax = 0.25\n            text = "s ""q"""\n    item [2]:\n        class = "TextTier"\n'
    '        name = "marks"\n        xmin = 0\n        xmax = 0.25\n        points: size = 1\n'
    '        points [1]:\n            number = 0.1\n            mark = "x"\n'
)
ALIGNMENTS = {
    "u1.TextGrid": (
        TEXTGRID,
        '"ooTextFile short"\n"TextGrid"\n0\n0.25\n<exists>\n1\n'
        '"IntervalTier"\n"phones"\n0\n0.25\n1\n0\n0.2\n"a"\n',
    ),
    "phones.tsv": ("utt\tstart_s\tend_s\tlabel\nu1\t0.0\t0.1\ta\nu1\t0.1\t0.2\ts\n",),
    "u1.phn": ("0 1600 a\n1600 3200 s\n", "u1 0.0 0.1 a\nu1 0.1 0.2 s\n"),
    "u1.lab": ("0 1000000 a\n1000000 2000000 s -42.1\n", "0.1 122 a\n", "a s\n"),
    "all.mlf": ('#!MLF!#\n"*/u1.lab"\n0 1000000 a\n1000000 2000000 s\n.\n',),
    "words.ctm": (";; from a recogniser\nu1 1 0.0 0.1 one 0.98\nu1 1 0.1 0.1 two\n",),
    "u1.phones": ("nfields 1\n#\n  0.10 122 {B_TRANS}\n  0.20 122 ow; x\n",),
}


def _alignment(name: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        with _folder() as folder:
            (folder / name).write_bytes(data)
            read_gold(folder, {"u1": Heard(16000, 0.25)})

    return read


FORMULAS = (
    "*[+voice,-son]#", "Max[V]", "Ident[voice]/_#", "Dep or Max", "*V...V", "NoCoda", "/[ptk]$/",
    "Agree[voice]", "*CC", "Linearity", "AFL", "O-Contig",
    "Ident[place]/V_", "*(ˈL L)", "Max[+syllabic] or Dep[ʔ]", "*C[+lateral,-dorsal]", "*{p,t}V", "*a(b|c)d",
)  # fmt: skip
OPERATIONS = ("delete,insert:ʔ,change:voice/nasal", "insert:i ʔ", "change:voice", "swap,syllabify,foot")
FORMS = ("(ˈta.ta)(ˌtaː)ku", "(L1 L) H", "t͡sanːa", "/bed/ -> [bet]", "ka.ⁿda", "∅")
FEATURE_TABLE = "\tvoice\tnasal\nt\t-\t-\nd\t+\t-\nn\t+\t+\n"


def _formula(text: str) -> None:
    counting.Forms(["bed", "kanta", "∅"], ["bet", "kan.ta", "(ˈa)"], features.hayes()).count(text)


def _documents() -> list[bytes]:
    return [p.read_bytes() for p in sorted(DOCUMENTS.glob("format_2/*.otlab")) if p.stat().st_size < 100_000]


def _older() -> list[bytes]:
    paths = sorted(DOCUMENTS.glob("format_1/*.otlab"))
    return [
        part for path in paths for part in read_archive(path.read_bytes()).parts.values() if len(part) < 9000
    ]


def _archive(data: bytes) -> None:
    for part in read_archive(data).parts.values():
        with contextlib.suppress(encoding.UnreadableError):
            encoding.loads(part)


def _part(data: bytes) -> None:
    try:
        encoding.loads(data)
    except encoding.UnreadableError as error:  # which callers know
        raise InputError(str(error)) from error


def _parts() -> list[bytes]:
    return [part for data in _documents() for part in read_archive(data).parts.values() if len(part) < 20_000]


_state = cache(empty_state)


def _link(lab: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        try:
            values = json.loads(text_of(data))
            packed = packing.pack(values)
        except (ValueError, RecursionError, UnicodeEncodeError):
            return  # no link holds it
        _state(lab).from_dict(packing.unpack(packed))

    return read


def _contents(lab: str) -> Callable[[], list[bytes]]:
    def make() -> list[bytes]:
        found = [read_archive(data) for data in _documents()]
        values = [each.values for each in found if each.summary.lab == f"{lab}_lab"]
        return [data for data in (json.dumps(each).encode() for each in values) if len(data) < 30_000]

    return make


def _links() -> list[bytes]:
    return [packing.pack({"example": "ilokano", "name": "", "learners": ["gla"]}).encode()]


LESSON = (
    "# Title\n> goal: to see; lab: ot_lab\n\n## One\n> example: ilokano; learners: gla; run\nText.\n\n"
    "## Two\n> replay: 0.5\n"
)
PLAN = (
    'seed = 5\nseeds = 2\nsystem = "tagging"\nlearner = ["em", "vb"]\ndata = "ewt"\n\n'
    "[settings]\nstates = [10, 20]\n"
)


def _home(data: bytes) -> None:
    for name in ("a", "a.txt", "a.csv", "a.gr"):
        route = lab_of_file(name, data[:8192])
        if route:
            taken_for(name, data[:8192], route)
        else:
            refused(name, data[:8192])


def _homes() -> list[bytes]:
    texts = [*TABLES, PRAAT, MGTDB, *TAGGED, *PHONES, TEXTGRID]
    return [*(text.encode() for text in texts), *_books(), *_arrays(), *_sound_archives(), *_gzipped()]


def _of(name: str, read: Callable[[bytes], object], samples: Callable[[], Iterable[bytes]]) -> Reader:
    return Reader(name, read, cache(lambda: tuple(samples())))


READERS: tuple[Reader, ...] = (
    _of("tableau", lambda data: read_bytes(data, "t.csv"), _tables),
    _of("pasted", of_text(_pasted), _tables),
    _of("xlsx", lambda data: read_bytes(data, "t.xlsx"), _books),
    _of("praat", lambda data: read_bytes(data, "t.OTGrammar"), encoded(PRAAT, PRAAT + PAIRS)),
    _of("pairs", lambda data: ot.io.praat.parse_praat(data, "t.PairDistribution"), encoded(PAIRS)),
    _of("apriori", lambda data: parse_apriori(data, "a.txt", _ilokano()), encoded(APRIORI[0])),
    _of("bias", lambda data: parse_bias(data, "b.txt", _ilokano()), encoded(*BIAS[1:])),
    _of("schedule", _schedule, encoded(SCHEDULE)),
    _of("names", of_text(lambda text: parse_names(text, _ilokano().constraints)), encoded("AL")),
    _of("mg", _lexicon(".mg"), lambda: _shipped("lexicons", "*.mg")),
    _of("prolog", _lexicon(".pl"), encoded(PROLOG)),
    _of("mgtdb", _lexicon(".py"), encoded(MGTDB, OCAML)),
    _of("lexicon table", _lexicon(".csv"), encoded(LEXICON_TABLE)),
    _of("spell-out", of_text(read_spell_out), encoded(SPELL_OUT)),
    _of("reading times", of_text(read_times), encoded(TIMES)),
    _of("sentences", of_text(read_corpus_text), encoded("mary sleeps | 3\njohn sleeps\n")),
    _of("tagged text", _tagged("a.txt"), encoded(*TAGGED)),
    _of("conllu", _tagged("a.conllu"), lambda: [TAGGED[0].encode(), *_shipped("corpora/ewt", "*.conllu")]),
    _of("tagged gzip", _tagged("a.conllu.gz"), _gzipped),
    _of("tagged chat", _tagged("a.cha"), encoded(PHONES[4], TRANSCRIPT)),
    _of("dictionary", of_text(TagDictionary.parse), encoded(DICTIONARY)),
    _of("phones", _phones("a.txt"), encoded(*PHONES[:4])),
    _of("chat", _phones("a.cha"), encoded(PHONES[4])),
    _of("grammar", of_text(parse_grammar), encoded(*GRAMMARS)),
    _of("channel pairs", of_text(parse_pairs), encoded(CHANNEL_PAIRS)),
    _of("classes", of_text(parse_classes), encoded(CLASSES)),
    *(
        _of(f"sound {end}", lambda data, end=end: read_recording(data, f"a.{end}"), _sounds(f".{end}", end))
        for end in ("wav", "flac", "mp3", "ogg")
    ),
    _of("sound npy", lambda data: read_recording(data, "a.npy"), _arrays),
    _of("sound htk", lambda data: read_recording(data, "a.htk"), _htk),
    _of("sound zip", lambda data: sound_of("a.zip", data), _sound_archives),
    *(
        _of(f"times {Path(name).suffix}", _alignment(name), encoded(*texts))
        for name, texts in ALIGNMENTS.items()
    ),
    _of("formula", of_text(_formula), encoded(*FORMULAS)),
    _of("operations", of_text(gen.parse_operations), encoded(*OPERATIONS)),
    _of("feet", of_text(feet.read_footed), encoded(*FORMS[:2])),
    _of("segments", of_text(notation.segments), encoded(*FORMS)),
    _of("features", of_text(features.read_features), encoded(FEATURE_TABLE)),
    _of("tiers", of_text(lambda t: tiers.read_tiers(t, features.hayes())), encoded("Vowel +syllabic : a\n")),
    _of("archive", _archive, _documents),
    _of("part", _part, _parts),
    _of("part format 1", _part, _older),
    _of("link", of_text(packing.unpack), _links),
    *(_of(f"link {lab}", _link(lab), _contents(lab)) for lab in ("ot", "mg", "tagging", "lexicon")),
    _of("lesson", of_text(read_lesson), encoded(LESSON)),
    _of("sweep", of_text(lambda text: parse_plan(text)), encoded(PLAN)),
    _of("home page", _home, _homes),
)
