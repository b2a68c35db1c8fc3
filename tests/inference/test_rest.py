"""Whether an objective is at rest, from the traces alone."""

import numpy as np
import pytest

from otlab.inference.rest import AT_REST, WINDOW, unrest

SETTLED = np.full((2, 60), -100.0)


def rising(by, last):
    """Return two traces of which the second rises by `by` in each of its `last` iterations."""
    traces = SETTLED.copy()
    traces[1, -last:] += by * np.arange(1, last + 1)
    return traces


@pytest.mark.parametrize(
    ("traces", "sampler", "why"),
    [
        (SETTLED[:, :WINDOW], False, "too early to say"),
        (SETTLED, False, ""),
        (rising(1.1 * AT_REST, WINDOW), False, "still improving"),
        (rising(0.9 * AT_REST, WINDOW), False, ""),
        (SETTLED, True, ""),
        (rising(10 * AT_REST, 15), True, "still climbing"),
        (rising(10 * AT_REST, 15)[:, -4 * WINDOW + 1 :], True, ""),  # too few to tell
    ],
)
def test_a_run_is_at_rest_when_no_objective_has_changed(traces, sampler, why):
    assert unrest(traces, WINDOW, sampler=sampler) == why
