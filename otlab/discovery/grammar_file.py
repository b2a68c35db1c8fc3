"""Read grammar files: one rule per line.

::

    # words of a few phones, after Johnson (2008)
    Utterance -> Word+              the first left side is the start symbol
    @Word 1500 100 0                Word adapts: truncation, concentration, discount
    Word -> Phon+                   Phon is every phone of the corpus
    2.5 Stem -> 'a' 'b'             a weight is the rule's Dirichlet pseudo-count

Grammars of py-cfg (``1 1 Words --> Word Words``) are translated: :mod:`otlab.discovery.io.py_cfg`.
Alternatives are written on further lines. Every fault is reported, with line and column.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otlab.discovery.grammar import CLASSES, Adaptor, Grammar, Rule, Terminal, reachable
from otlab.discovery.io.py_cfg import is_py_cfg, translated
from otlab.errors import DataWarning, Fault, InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["parse_grammar"]

MOST_SYMBOLS = 1000  # with rules: grammars that were published have a few dozen
MOST_UNDEFINED = 100  # are reported

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'[^']*')|(?P<arrow>->|→)|(?P<at>@)|(?P<name>[^\s'@#|+]+)(?P<plus>\+?)|(?P<odd>\S))"
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


@dataclass
class _Draft:
    """Grammar read so far: the sides of its rules, and the line where each symbol is first used.

    `unread` if a rule was faulty, so that its symbol seems to be undefined.
    """

    name: str
    rules: list[Rule] = field(default_factory=list)
    sides: set[tuple[str, tuple[str | Terminal, ...]]] = field(default_factory=set)
    first_use: dict[str, int] = field(default_factory=dict)
    adapted: dict[str, Adaptor] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    unread: bool = False

    def fault(self, what: str, hint: str, line: int, column: int) -> None:
        self.faults.append(Fault(what, hint, self.name, line or None, column or None))


def parse_grammar(text: str, name: str = "grammar") -> Grammar:
    r"""Read a grammar and check it.

    Parameters
    ----------
    text
        One rule a line.
    name
        For messages.

    Raises
    ------
    InputError
        With every fault: bad syntax, undefined or unproductive symbols, cycles of
        single-symbol rules, adapted symbols that contain themselves, a discount outside
        [0, 1), a concentration not above minus the discount.

    Warns
    -----
    DataWarning
        For a symbol nothing leads to, for left recursion (which is parsed exactly), and for adapted symbols
        of py-cfg whose numbers are not in the grammar.

    Examples
    --------
    >>> grammar = parse_grammar("S -> Word+\n@Word 100 10 0.2\nWord -> Phon+")
    >>> print(grammar)
    S -> Word+
    @Word 100 10 0.2
    Word -> Phon+
    """
    if is_py_cfg(text):
        text, remark = translated(text)
        if remark:
            warnings.warn(str(Fault(remark, file=name)), DataWarning, stacklevel=2)
    draft = _Draft(name, lines=unicodedata.normalize("NFC", text).splitlines())  # as phones are
    for number, line in enumerate(draft.lines, 1):
        _read_line(draft, number, _tokens(line))
    if not draft.rules and not draft.faults:
        draft.fault("no rule", "write one, as: Utterance -> Word+", 0, 0)
    if not draft.rules or draft.unread:
        raise InputError(draft.faults)
    symbols = len({*draft.adapted, *(rule.left for rule in draft.rules)})
    if symbols > MOST_SYMBOLS:
        what = f"{symbols:,} symbols on the left; at most {MOST_SYMBOLS:,} are read"
        raise InputError(Fault(what, "leave out those that are not used", name))
    grammar = Grammar(name, draft.rules[0].left, (*draft.rules, *_plus_rules(draft.rules)), draft.adapted)
    _check(draft, grammar)
    if draft.faults:
        raise InputError(draft.faults)
    for fault in _warnings(draft, grammar):
        warnings.warn(str(fault), DataWarning, stacklevel=2)
    return grammar


def _tokens(line: str) -> list[_Token]:
    out: list[_Token] = []
    position = 0
    while match := _TOKEN.match(line, position):
        kind = str(match.lastgroup if match.lastgroup != "plus" else "name")
        if kind == "odd" and match["odd"] == "#":
            break
        text = match["name"] + match["plus"] if kind == "name" else match[kind]
        if (
            kind == "odd"
            and text == "+"
            and out
            and out[-1].kind == "quoted"
            and match.start("odd") == position
        ):
            out[-1] = _Token("quoted", out[-1].text + "+", out[-1].column)
        else:
            out.append(_Token(kind, text, match.start(kind) + 1))
        position = match.end()
    return out


def _read_line(draft: _Draft, number: int, tokens: list[_Token]) -> None:
    if not tokens:
        return
    if tokens[0].kind == "at":
        _read_adaptor(draft, number, tokens)
    else:
        _read_rule(draft, number, tokens)


def _read_adaptor(draft: _Draft, number: int, tokens: list[_Token]) -> None:
    values = [t.text for t in tokens[1:]]
    if len(values) != 4:
        hint = "write @Name, truncation, concentration, discount, as: @Word 1500 100 0"
        draft.fault(
            f"an adapted symbol needs 3 numbers, not {max(0, len(values) - 1)}",
            hint,
            number,
            tokens[0].column,
        )
        return
    symbol = values[0]
    if symbol in draft.adapted:
        draft.fault(f"{symbol} is adapted twice", "keep one of the two lines", number, tokens[0].column)
    try:
        adaptor = Adaptor(int(values[1]), float(values[2]), float(values[3]))
    except ValueError:
        what = f"'{' '.join(values[1:])}' are not a whole number and two numbers"
        draft.fault(what, "write as: @Word 1500 100 0", number, tokens[2].column)
        return
    draft.adapted[symbol] = adaptor
    draft.places[symbol] = (number, tokens[1].column)
    _check_adaptor(draft, adaptor, number, tokens)


def _check_adaptor(draft: _Draft, adaptor: Adaptor, number: int, tokens: list[_Token]) -> None:
    if adaptor.truncation < 1:
        draft.fault(
            f"truncation {adaptor.truncation} is below 1", "write 1 or more", number, tokens[2].column
        )
    if not 0 <= adaptor.discount < 1:
        what = f"discount {adaptor.discount:g} is outside [0, 1)"
        draft.fault(what, "write the concentration first, then the discount", number, tokens[4].column)
    elif not -adaptor.discount < adaptor.concentration < float("inf"):
        what = f"concentration {adaptor.concentration:g} is not above minus the discount"
        draft.fault(what, "write a positive number", number, tokens[3].column)


def _read_rule(draft: _Draft, number: int, tokens: list[_Token]) -> None:
    prior = 1.0
    if len(tokens) > 1 and tokens[1].kind != "arrow" and (weight := _number(tokens[0].text)) is not None:
        prior = weight
        if not 0 < prior < float("inf"):
            draft.fault(
                f"weight {prior:g} is not a positive number", "write one above 0", number, tokens[0].column
            )
        tokens = tokens[1:]
    if len(tokens) < 2 or tokens[0].kind != "name" or tokens[1].kind != "arrow":
        draft.unread = True
        hint = "write one rule a line, as: Word -> Phon+"
        draft.fault("neither a rule nor an adapted symbol", hint, number, tokens[0].column)
        return
    left = tokens[0]
    if left.text.endswith("+"):
        draft.fault(f"{left.text} on the left", "'+' belongs on the right side only", number, left.column)
    right = [symbol for token in tokens[2:] if (symbol := _symbol(draft, number, token)) is not None]
    if len(tokens) == 2:
        draft.unread = True
        draft.fault("nothing after the arrow", "every symbol must cover a phone", number, tokens[1].column)
    elif right:
        rule = Rule(left.text, tuple(right), prior, number, left.column)
        if (rule.left, rule.right) in draft.sides:
            draft.fault(f"{rule} is there twice", "keep one, with a weight if wanted", number, left.column)
        draft.sides.add((rule.left, rule.right))
        for symbol in rule.right:
            draft.first_use.setdefault(str(symbol), number)
        draft.rules.append(rule)


def _symbol(draft: _Draft, number: int, token: _Token) -> str | Terminal | None:
    if token.kind == "name":
        return token.text
    if token.kind == "quoted":
        phone, plus = token.text.rstrip("+").strip("'"), token.text.endswith("+")
        if phone:
            return f"'{phone}'+" if plus else Terminal(phone)
        draft.fault("empty quotes", "write a phone between them", number, token.column)
        return None
    hint = "write each alternative on a line of its own" if token.text == "|" else "quote it if it is a phone"
    draft.fault(f"unexpected {token.text}", hint, number, token.column)
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _plus_rules(rules: list[Rule]) -> list[Rule]:
    """Return the two rules of each ``X+`` used."""
    used = dict.fromkeys(s for rule in rules for s in rule.right if isinstance(s, str) and s.endswith("+"))
    one: dict[str, str | Terminal] = {p: Terminal(p[1:-2]) if p.startswith("'") else p[:-1] for p in used}
    return [r for p in used for r in (Rule(p, (one[p],)), Rule(p, (one[p], p)))]


def _check(draft: _Draft, grammar: Grammar) -> None:
    known = {*grammar.by_left, *CLASSES}
    named = sorted(symbol for symbol in known if not symbol.endswith("+"))
    for symbol in grammar.adapted.keys() - grammar.by_left.keys():
        draft.fault(
            f"{symbol} is adapted but has no rule", did_you_mean(symbol, named), *draft.places[symbol]
        )
    used = dict.fromkeys(s for rule in grammar.rules for s in rule.right if isinstance(s, str))
    for symbol in [s for s in used if s not in known][:MOST_UNDEFINED]:
        hint = f"give it a rule, or quote it if it is a phone ({did_you_mean(symbol, named)})"
        draft.fault(f"{symbol} is not defined", hint, *_place(draft, grammar, symbol))
    if not draft.faults:
        _check_cycles(draft, grammar)
    if not draft.faults:
        _check_productive(draft, grammar)


def _place(draft: _Draft, grammar: Grammar, symbol: str) -> tuple[int, int]:
    """Return the line where a symbol is defined, or first used if it is not defined."""
    own = [(rule.line, rule.column) for rule in grammar.by_left.get(symbol, ()) if rule.line]
    if own:
        return own[0]
    line = min((draft.first_use[s] for s in (symbol, f"{symbol}+") if s in draft.first_use), default=0)
    return line, draft.lines[line - 1].rfind(symbol) + 1 if line else 0


def _check_productive(draft: _Draft, grammar: Grammar) -> None:
    productive: set[str] = set(CLASSES) - set(grammar.by_left)
    while new := {r.left for r in grammar.rules if r.left not in productive and _all_in(r, productive)}:
        productive |= new
    for symbol in [s for s in grammar.by_left if s not in productive]:
        what = f"{symbol} is unproductive: it never ends in phones"
        draft.fault(what, "give it a rule that does not lead back to it", *_place(draft, grammar, symbol))


def _all_in(rule: Rule, symbols: set[str]) -> bool:
    return all(isinstance(s, Terminal) or s in symbols for s in rule.right)


def _check_cycles(draft: _Draft, grammar: Grammar) -> None:
    """Report one symbol of each cycle as a fault."""
    single = {
        left: {r.right[0] for r in rules if len(r.right) == 1} for left, rules in grammar.by_left.items()
    }
    chains = {left: {s for s in rights if isinstance(s, str)} for left, rights in single.items()}
    named: set[str] = set()
    for symbol in [s for s in grammar.by_left if s in reachable(chains, s)]:
        if named.isdisjoint(reachable(chains, symbol)):
            named.add(symbol)
            what = f"cycle: {symbol} can be rewritten as {symbol} alone"
            draft.fault(what, "remove one of the single-symbol rules", *_place(draft, grammar, symbol))
    for symbol in [a for a in grammar.adapted if a in grammar.below[a] and a not in named]:
        what = f"cycle among adapted symbols: {symbol} can contain {symbol}"
        draft.fault(what, "an adapted symbol must not dominate itself", *_place(draft, grammar, symbol))


def _warnings(draft: _Draft, grammar: Grammar) -> Iterator[Fault]:
    def warning(what: str, hint: str, symbol: str) -> Fault:
        line, column = _place(draft, grammar, symbol)
        return Fault(what, hint, draft.name, line or None, column or None)

    corners = {
        left: {s for r in rules if isinstance(s := r.right[0], str)}
        for left, rules in grammar.by_left.items()
    }
    for symbol in [s for s in grammar.by_left if not s.endswith("+")]:
        if symbol != grammar.start and symbol not in grammar.below[grammar.start]:
            yield warning(f"nothing leads to {symbol}", "remove its rules, or use it", symbol)
        if symbol in reachable(corners, symbol):
            yield warning(
                f"{symbol} is left-recursive", "it is parsed exactly; right recursion is faster", symbol
            )
