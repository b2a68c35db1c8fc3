"""The home page's drawings, one a lab: 320 by 150, in the page's own colours."""

from __future__ import annotations

import math

__all__ = ["LEXICON", "MG", "OT", "TAGGING"]


def _svg(body: str) -> str:
    return f'<svg viewBox="0 0 320 150" width="100%" height="150" aria-hidden="true">{body}</svg>'


def _bell(centre: float, token: str, width: float = 46.0) -> str:
    xs = [20 + 4 * i for i in range(71)]
    points = " ".join(f"{x},{128 - 92 * math.exp(-((x - centre) ** 2) / (2 * width**2)):.1f}" for x in xs)
    handle = f'<rect x="{centre - 5.5}" y="119" width="11" height="18" rx="5.5" fill="var(--ot-surface)" stroke="var(--ot-{token})" stroke-width="1.6"/>'
    return (
        f'<polygon points="20,128 {points} 300,128" fill="var(--ot-{token})" fill-opacity=".09"/>'
        f'<polyline points="{points}" fill="none" stroke="var(--ot-{token})" stroke-width="1.6"/>{handle}'
    )


def _con(x: float, name: str, token: str) -> str:
    return f'<text x="{x}" y="26" text-anchor="middle" class="con" fill="var(--ot-{token})">{name}</text>'


OT = _svg(
    '<path d="M20 128h280" stroke="var(--ot-line2)"/>'
    + _bell(104, "ink2") + _bell(150, "ink2") + _bell(212, "accent")
    + _con(104, "I<tspan baseline-shift='sub' font-size='10'>br</tspan>", "ink")
    + _con(150, "*C-ons", "ink") + _con(212, "Al", "accent")
)  # fmt: skip

_COUNTS = [
    58,
    56,
    44,
    35,
    33,
    32,
    30,
    30,
    28,
    27,
    26,
    25,
    25,
    24,
    23,
    23,
    22,
    21,
    21,
    20,
    20,
    19,
    18,
    18,
    17,
    17,
    16,
    15,
]
_GOLD = [
    118,
    100,
    80,
    72,
    44,
    44,
    42,
    38,
    37,
    37,
    36,
    30,
    26,
    25,
    23,
    18,
    16,
    13,
    10,
    8,
    6,
    5,
    4,
    4,
    3,
    3,
    3,
    3,
]


def _steps() -> str:
    path = "".join(f"V{134 - g}H{20 + 10 * (i + 1)}" for i, g in enumerate(_GOLD))
    return f'<path d="M20 134{path}" fill="none" stroke="var(--ot-ink)" stroke-width="1.6"/>'


TAGGING = _svg(
    "".join(
        f'<rect x="{20.6 + 10 * i}" y="{134 - c}" width="8.4" height="{c}" rx="1.5" fill="var(--ot-em)" stroke="var(--ot-em-edge)" stroke-width=".8"/>'
        for i, c in enumerate(_COUNTS)
    )
    + _steps()
    + '<text x="74" y="44" class="word" fill="var(--ot-ink2)">gold tags</text>'
    + '<text x="170" y="98" class="word" font-weight="600" fill="var(--ot-em-text)">EM</text>'
)


def _node(x: float, y: float, label: str, token: str = "ink") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="middle" class="node" fill="var(--ot-{token})">{label}</text>'


MG = _svg(
    '<g stroke="var(--ot-line2)" stroke-width="1.3" fill="none">'
    '<path d="M150 26 62 44M150 26l36 16M182 56l-46 12M188 56l40 10M228 80l-36 12M232 80l30 10M260 104l-16 12M266 104l16 12"/></g>'
    '<path d="M276 138v2a6 6 0 0 1-6 6H64a6 6 0 0 1-6-6V62" fill="none" stroke="var(--ot-accent)" stroke-width="1.6"/>'
    '<path d="m54 66 4-6 4 6z" fill="var(--ot-accent)"/>'
    + _node(150, 20, "c") + _node(58, 54, "what", "accent") + _node(186, 54, "c′") + _node(134, 80, "ε")
    + _node(230, 77, "i") + _node(190, 104, "did") + _node(263, 101, "v") + _node(240, 129, "you")
    + '<text x="282" y="129" text-anchor="middle" class="node" text-decoration="line-through" fill="var(--ot-ink3)">what</text>'
)  # fmt: skip

_UTTERANCES = [
    (("j", "u", "w", "ɑ", "n", "t", "ð", "ə", "b", "ʊ", "k"), (2, 6, 8)),
    (("w", "ʌ", "t", "s", "ð", "ə", "d", "ɔ", "ɡ", "i"), (4, 6)),
    (("t", "eɪ", "k", "ɪ", "t", "aʊ", "t", "n", "aʊ"), (3, 5, 7)),
]


def _utterance(row: int, phones: tuple[str, ...], boundaries: tuple[int, ...]) -> str:
    y = 18 + 42 * row
    box = f'<rect x="16" y="{y}" width="{23 * len(phones) + 8}" height="30" rx="5" fill="var(--ot-surface)" stroke="var(--ot-line)"/>'
    said = "".join(
        f'<text x="{31 + 23 * i}" y="{y + 21}" text-anchor="middle" class="phone" fill="var(--ot-ink)">{p}</text>'
        for i, p in enumerate(phones)
    )
    cuts = "".join(
        f'<rect x="{18 + 23 * b - 0.5}" y="{y}" width="4.5" height="30" rx="2" fill="var(--ot-maxent)"/>'
        for b in boundaries
    )
    return box + said + cuts


LEXICON = _svg("".join(_utterance(i, *utterance) for i, utterance in enumerate(_UTTERANCES)))
