r"""Praat's notation in names: special symbols typed as a backslash and two characters, and text styles.

A name is kept in a :class:`~otlab.ot.io.praat.PraatGrammar` as Praat has it, and shown with
its symbols and without its styles:

>>> print(shown(r"P\s{ARSE}"), shown(r"\ict\ef"), shown(r"[L1] \-> /(L1)/"))
PARSE ɪtɛ [L1] → /(L1)/
>>> print(typed("a\\b"), shown(typed("a\\b")))
a\bsb a\b
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["SYMBOLS", "shown", "shown_names", "typed"]

EMPTY = "∅"
"""How a name without characters is shown."""

# Letters that take an accent, by the mark that follows them.
_ACCENTED = {
    "'\u0301": "ACEINOSUYZaceinosuyz",
    "`\u0300": "AEIOUaeiou",
    "^\u0302": "AEIOUaeiou",
    '"\u0308': "AEIOUYaeiouy",
    "~\u0303": "ANOano",
    "<\u030c": "CDEGNRSTZcdegnrstz",
}
# Two characters that follow a backslash, and the symbol they mean.
_SPACING = r"""
!d¡ +-± --– ->→ -m− ..⋯ .3∴ .c· .fˑ /d∕ 9-ʢ 9eʕ :-÷ :fː <-← <<« <=⇐ <>↔ <_≤ =/≠ =3≡ =>⇒ =~≅ >>» >_≥ ?-ʡ
?d¿ ?gʔ A;Ą AeÆ AlΑ AoÅ At∀ BeΒ C,Ç CiΧ D-Đ DeΔ E;Ę EpΕ Er∃ EtΗ FIﬁ FLﬂ FiΦ G^ʛ GaΓ IoΙ KaΚ L/Ł LaΛ Lp£
MuΜ NuΝ O.ʘ O/Ø O:Ő Oeɶ OmΩ OnΟ O|∅ PiΠ PsΨ RoΡ SS§ SiΣ TM™ TaΤ TeΘ ThÞ Tt⊥ U:Ű UoŮ UpΥ Vr√ XiΞ Y=¥ Z!Ż
ZeΖ [f[ ]f] ^#⇑ ^9ˁ ^?ˀ ^Gᶭ ^Hʱ ^Mᵚ ^Nᵑ ^Yᶣ ^fᶠ ^gˠ ^hʰ ^jʲ ^lˡ ^mᵐ ^nⁿ ^sˢ ^wʷ ^xˣ ^yʸ ^|↑ _#⇓ _u‿ _|↓
a;ą a_ª abɒ aeæ alα an∧ aoå apʼ asɑ atɐ ayɒ b^ɓ bcʙ beβ bfβ bu• c,ç c/¢ c=⊂ ccɕ cfχ ciχ cl♣ co© ctɔ cu¤
d-đ d.ɖ d^ɗ dd∂ deδ dg° dhð di♦ e-ɘ e;ę e=∈ efɛ epε eq⇔ erɜ etη eu€ f.ɽ f2ϕ f5❀ fdƒ ffɸ fhɾ fiφ g^ɠ gaγ
gcɢ gfɣ gsɡ h-ħ h^ɦ hcʜ he♥ hjɧ hr˞ hsʊ htɥ i-ɨ icɪ idɿ in∫ ioι irʅ j-ɟ j^ʄ jcʝ kaκ kbɞ l-ɬ l.ɭ l/ł laλ
lcʟ lzɮ l~ɫ mjɱ mlɰ mtɯ muμ n.ɳ ncɴ ngŋ ni∩ njɲ no¬ nuν o+⊕ o-ɵ o/ø o2ϖ o:ő o_º oc∝ oeœ omω onο oo∞ or∨
ox⊗ pf☞ piπ psψ r.ɻ rcʀ re® rhɤ riʁ rlɺ roρ rtɹ s.ʂ s2ς shʃ siσ sp♠ srɚ ssß su∑ swə t.ʈ t2ϑ tSʧ taτ teθ
tfθ thþ tm™ tsʦ u-ʉ u:ű un_ uoů upυ uu∪ vsʋ vtʌ wtʍ xiξ xx× ycʏ ytʎ z!ż z.ʐ zcʑ zeζ zhʒ |-ǂ |1ǀ |2ǁ |f|
||¶ ~~≈
"""
_COMBINING = (
    "+v\u031f -^\u0304 -v\u0320 0^\u030a 0v\u0325 3v\u0339 :^\u0308 :v\u0324 Dv\u033b N^\u0306 Nv\u032a "
    "T(\u0318 T)\u0319 T^\u031d Tv\u031e Uv\u033a ^^\u0302 `^\u0300 cn\u031a cv\u031c li\u0361 nv\u032f "
    "v^\u030c |v\u0329 ~<\u0334 ~^\u0303 ~v\u0330 "
)
SYMBOLS = {entry[:2]: entry[2:] for entry in (_SPACING + _COMBINING).split()} | {"bs": "\\"}
SYMBOLS |= {
    letter + mark[0]: unicodedata.normalize("NFC", letter + mark[1])
    for mark, letters in _ACCENTED.items()
    for letter in letters
}
_TRIGRAPH = re.compile(r"\\(..)", re.DOTALL)
_STYLED = re.compile(r"(?:\\s|[%#^_])\{([^{}]*)\}")
_OPENS_STYLE = re.compile(r"([%#^_])(?=\{)")


def shown(raw: str) -> str:
    """Return a name of Praat's as it is shown: symbols for backslash sequences, no styles, on one line.

    Small capitals, italics, bold, superscript and subscript are known in their forms with braces; a
    single ``%``, ``#``, ``^`` or ``_`` is kept, for in names of forms it usually means itself. A
    backslash that begins no known symbol is kept.
    """
    plain = " ".join(_TRIGRAPH.sub(_symbol, _STYLED.sub(r"\1", raw)).split())
    return plain or EMPTY


def _symbol(match: re.Match[str]) -> str:
    pair = match[1]
    return pair[0] if pair[1] == " " else SYMBOLS.get(pair, match[0])


def shown_names(raws: tuple[str, ...]) -> tuple[str, ...]:
    """Return different names as they are shown; those that would become equal stay as they are."""
    names = tuple(map(shown, raws))
    if len(set(names)) == len(set(raws)):
        return names
    return tuple(name if names.count(name) == 1 else raw for name, raw in zip(names, raws, strict=True))


def typed(name: str) -> str:
    """Return a name as Praat has to have it, so that :func:`shown` gives the name itself."""
    return _OPENS_STYLE.sub(r"\\\1 ", name.replace("\\", "\\bs"))
