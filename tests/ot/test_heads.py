"""Heads of columns: percents, shares and counts in all the ways that people call them."""

import pytest

from otlab.ot.io.heads import head_name
from otlab.ot.io.read import read_pasted
from otlab.ot.io.write import to_csv

PERCENTS = (
    "Frequency (%)", "Freq. (%)", "Freq(%)", "freq [%]", "%", "% ", "Percent", "Percent (%)", "percentage",
    "Frequency in %", "Häufigkeit (in %)", "% freq", "Count (percent)", "Percentage of tokens",
    "Probability (%)", "observed_percent", "Freq. pct.", "% of total", "Frequency\u00a0(%)",
)  # fmt: skip
"""Read as counts, with a warning; a test of the page reads them, too."""
COUNTED = (
    "Token frequency", "Attested freq.", "Obs. freq", "N tokens", "Number of responses", "# of observations",
    "Count (n)", "Frequency [tokens]", "Freq. (n)", "Counts (#)", "observed_frequency", "Frequency:",
)  # fmt: skip
SHARED = (
    "Proportion",
    "share",
    "Relative frequency",
    "Rel. freq.",
    "relative_frequency",
    "Probability",
    "Obs. prob",
    "observed share",
)


def table(head):
    return f"Input,Output,{head},*Coda,Max\ntat,tat,80,1,0\n,ta,20,0,1\n"


@pytest.mark.parametrize("head", PERCENTS)
def test_percents_are_counts_as_of_100_observations_which_is_said(head):
    reading = read_pasted(table(head), "mine")
    (warning,) = map(str, reading.warnings)
    assert f"'{head.strip()}' is read as counts, as of 100 observations an input" in warning
    assert list(reading.tableau.frequencies) == [80, 20]
    assert reading.tableau.constraints == ("*Coda", "Max")


@pytest.mark.parametrize("head", [*COUNTED, *SHARED])
def test_counts_and_shares_are_frequencies(head):
    reading = read_pasted(table(head), "mine")
    assert reading.warnings == ()
    assert list(reading.tableau.frequencies) == [80, 20]


@pytest.mark.parametrize("head", ["Predicted (%)", "Freq. (%)", "MaxEnt score"])
def test_beside_counts_such_a_column_is_left_out(head):
    reading = read_pasted(f"Input,Output,Freq,*Coda,{head}\ntat,tat,8,1,80\n,ta,2,0,20\n", "mine")
    assert list(reading.tableau.frequencies) == [8, 2]
    assert reading.tableau.constraints == ("*Coda",)
    assert "holds no violations: the column was left out" in str(reading.warnings[0])


@pytest.mark.parametrize("head", ["Max (%)", "Max (n)", "*[%]", "Dep (tokens)", "Align(percent)"])
def test_constraints_with_such_signs_are_constraints(head):
    assert head_name(head) == head.lower()
    assert read_pasted(f"Input,Output,Freq,{head}\ntat,tat,8,1\n,ta,2,0\n", "mine").tableau.constraints == (
        head,
    )


def test_a_constraint_of_such_a_name_comes_back_from_a_file():
    text = "# constraint: Freq. (%) = Freq. (%)\nInput,Output,Frequency,Max,Freq. (%)\nx,y,1,1,0\nx,z,1,0,1\n"
    tableau = read_pasted(text, "mine").tableau
    assert tableau.constraints == ("Max", "Freq. (%)")
    assert read_pasted(to_csv(tableau), "mine").tableau.constraints == tableau.constraints
