"""Heads of columns, as tables of candidates name them in lower case."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = [
    "COUNTS",
    "FREQUENCY_HEADS",
    "HEADS",
    "HIDDEN",
    "ITEMS",
    "LABELS",
    "LETTERS",
    "LOSERS",
    "MARKS",
    "NO_MARKS",
    "OVERT",
    "PERCENTS",
    "REMARKS",
    "RESULTS",
    "SHARES",
    "SPEAKERS",
    "TOTALS",
    "VALUES",
    "WINNERS",
    "head_name",
]

HEADS = (
    {
        *("input", "ur", "underlying", "underlying form", "underlying representation", "input form"),
        *("eingabe", "entrée", "entrada", "入力"),
    },
    {
        *("output", "candidate", "surface", "sr", "candidates", "outputs"),
        *("surface form", "surface representation", "output form", "output candidate"),
        *("kandidat", "ausgabe", "candidat", "sortie", "candidato", "salida", "候補", "出力"),
    },
)
"""Of the first two columns."""
OVERT = {"overt", "overt form", "heard", "what is heard"}
"""Of a column with what is heard of a candidate."""
HIDDEN = {"hr", "hidden", "hidden form", "parse"}
"""Of a column with the candidate, beside which ``SR`` is what is heard (Staubs; Prickett)."""
SPEAKERS = {"speaker", "speakers", "subject", "participant", "informant"}
"""Of a column with who said a candidate."""
ITEMS = {"item", "items", "word", "lexeme"}
"""Of a column with the word in which a candidate was said."""
WINNERS = {
    *("winner", "winners", "optimum", "optimal", "opt", "opt.", "winner?", "w/l", "winner/loser", "attested"),
    *("grammatical", "correct"),
}
LOSERS = {"loser", "losers", "rival", "competitor"}
"""Of columns with both candidates of a pair; one of winners alone marks them."""
COUNTS = {
    *("frequency", "freq", "freq.", "count", "counts", "tokens", "frequencies", "observed frequency"),
    *("häufigkeit", "anzahl", "fréquence", "effectif", "frecuencia", "頻度"),
}
PERCENTS = {"percent", "%", "percentage", "prozent"}
LETTERS = {"p", "f"}
"""Of a column of frequencies, or of a constraint."""
PROPORTIONS = {
    *("proportion", "proportions", "share", "shares", "probability", "prob"),
    *("relative frequency", "rel. frequency", "rel. freq.", "rel. freq", "rel freq"),
}
SHARES = {*PROPORTIONS, "n", *LETTERS, "observed", "obs", *PERCENTS}
FREQUENCY_HEADS = {"", *COUNTS, *SHARES}
LABELS = {"", "id", "no", "no.", "nr", "nr.", "#", "row", "index"}
"""Of columns that number the rows, before the candidates."""
TOTALS = {
    *("total", "totals", "grand total", "sum", "subtotal", "gesamt", "gesamtergebnis", "summe"),
    *("total général", "total general", "somme", "suma", "総計", "合計"),
}
"""Of rows and columns of sums."""
RESULTS = {
    *COUNTS,
    *TOTALS,
    *("predicted", "pred", "expected", "observed", "obs", "maxent score", "exp(-h)", "e^-h"),
    *PERCENTS,
    *PROPORTIONS,
}
"""Of columns that hold no violations, whatever is in them."""
REMARKS = {
    *SHARES,
    *RESULTS,
    *("comment", "comments", "note", "notes", "remark", "remarks", "gloss", "translation", "meaning"),
    *("harmony", "h", "score", "z", "source", "reference", "example"),
    *("eharmony", "e-harmony", "e^(-h)", "e^h", "exp(h)", "numerator", "denominator", "plog", "log p"),
    *("log likelihood", "log-likelihood", "loglik", "ll", "o-e", "error", "squared error", "difference"),
    *("predicted probability", "predicted frequency", "observed probability", "p(pred)", "p(obs)"),
}
"""Of columns that hold no violations, if what is in them says so too."""
MARKS = {"x", "×", "✓", "✔", "☑", "yes", "y", "true", "w", "1", "*", "☞", "☛", "👉", "→", "⇒", "winner"}
"""In a column of winners, at the winner."""
NO_MARKS = {"", "-", "–", "—", "no", "n", "false", "l", "0", "loser"}
"""In a column of winners, at other candidates."""
VALUES = {"weight", "weights", "w", "ranking value", "ranking values", "ranking", "values"}
"""In a row of weights."""
_PERCENT = re.compile(
    r"\s*[(\[]?\s*(?:\b(?:in|as)\s+)?"
    r"(?:%|\b(?:percentage|percent|per cent|pct|prozent|pour cent|por ciento)\b\.?)\s*[)\]]?\s*"
)
_KIND = re.compile(
    r"(?:observed|obs\.?|attested|token|raw|absolute|abs\.?|corpus|n|no\.?|nr\.?|number|#)(?: of)? "
    r"(?:(?P<count>frequency|frequencies|freq\.?|counts?|tokens|observations|responses)|(?P<share>.*))"
)
_NUMBER = re.compile(r"(.+?)\s*[(\[]\s*(?:n|#|raw|counts?|tokens?)\s*[)\]]")


@lru_cache(maxsize=4096)
def head_name(text: str) -> str:
    """Return a head as the sets of this module have it: in lower case, by what its unit is.

    Examples
    --------
    >>> head_name("Frequency (%)"), head_name("% freq."), head_name("Count (n)"), head_name("Surface_Form")
    ('percent', 'percent', 'count', 'surface form')
    >>> head_name("Token frequency"), head_name("Obs. prob"), head_name("Type frequency")
    ('frequency', 'probability', 'type frequency')
    >>> head_name("Predicted (%)"), head_name("Max (%)")
    ('predicted', 'max (%)')
    """
    name = " ".join(text.lower().replace("_", " ").split()).rstrip(": ")
    bare = _PERCENT.sub(" ", name).strip().removeprefix("of ")
    if bare != name:
        if not bare or bare in COUNTS | SHARES | TOTALS | {"responses", "all"}:
            return "percent"
        return bare if bare in REMARKS else name
    number = _NUMBER.fullmatch(name)
    if number and number[1] in COUNTS:
        return number[1]
    kind = _KIND.fullmatch(name)
    if kind and kind["count"]:
        return "frequency"
    return "probability" if kind and kind["share"] in PROPORTIONS else name
