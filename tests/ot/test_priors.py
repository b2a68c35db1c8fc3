"""Files of priors: each constraint once, every fault at once."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import read
from otlab.ot.learners.priors import equal_prior, read_prior


@pytest.fixture
def toy():
    return read("ilokano")


def written(folder, text):
    path = folder / "prior.txt"
    path.write_text(text, encoding="utf-8")
    return path


def faults(path, tableau):
    with pytest.raises(InputError) as caught:
        read_prior(path, tableau)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize("mark", ["\t", ", "])
def test_each_constraint_is_given_once_in_any_order(tmp_path, toy, mark):
    names = list(toy.constraints)
    lines = [f"{name}{mark}{k}.5{mark}{k + 1}" for k, name in reversed(list(enumerate(names)))]
    prior = read_prior(written(tmp_path, "\n".join(["# a comment", *lines])), toy)
    assert prior.mean.tolist() == [0.5, 1.5, 2.5]
    assert prior.sd.tolist() == [1, 2, 3]


def test_every_fault_is_reported_at_once(tmp_path, toy):
    first, second, _ = toy.constraints
    messages = faults(
        written(tmp_path, f"{first}\t0\t1\n{first}\t0\t1\nNoSuch\t0\t1\n{second}\tx\t1\n{second}\t0\n"), toy
    )
    assert [line.split(":")[1] for line in messages] == ["2", "3", "4", "5"]


def test_constraints_left_out_are_named(tmp_path, toy):
    first, second, third = toy.constraints
    messages = faults(written(tmp_path, f"{second}\t0\t1\n"), toy)
    assert messages == [f"prior.txt: no prior for {first}, {third}; give every constraint one"]


def test_a_file_that_is_no_table_is_refused(tmp_path, toy):
    assert "1 cell in place of 3" in faults(written(tmp_path, "x" * 200_000), toy)[0]
    assert "cannot be read" in faults(tmp_path, toy)[0]


def test_an_equal_prior_is_the_same_for_all(toy):
    prior = equal_prior(toy, 2.0)
    assert np.array_equal(prior.mean, np.zeros(3))
    assert np.array_equal(prior.sd, np.full(3, 2.0))
