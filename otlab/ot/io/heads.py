"""Heads of columns, as tables of candidates name them in lower case."""

from __future__ import annotations

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
    *("winner", "winners", "optimum", "optimal", "winner?", "w/l", "winner/loser", "attested"),
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
SHARES = {"probability", "prob", "n", *LETTERS, "observed", "obs", *PERCENTS}
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
    *("predicted", "pred", "expected", "observed", "obs", "proportion", "share", "relative frequency"),
    *PERCENTS,
    *("probability", "prob", "maxent score", "exp(-h)", "e^-h"),
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
