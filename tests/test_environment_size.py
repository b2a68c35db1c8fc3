"""The list of packages that otlab needs, with their sizes."""

from __future__ import annotations

from benchmarks.environment import main, needed, size


def test_direct_and_indirect_packages_are_named_with_those_that_ask_for_them():
    asked = needed()
    assert {"numpy", "numba", "panel", "bokeh"} <= asked.keys()
    assert asked["llvmlite"] == {"numba"}
    assert "soundfile" not in asked
    assert needed(extras=["audio"])["soundfile"] == {"otlab"}
    assert 0 < size("segno") < size("numpy")
    assert size("no-such-package") == 0.0


def test_each_package_is_a_line_and_the_last_is_the_sum(capsys):
    assert main([]) == 0
    *lines, total = capsys.readouterr().out.splitlines()
    assert len(lines) == len(needed())
    assert abs(sum(float(line.split()[0]) for line in lines) - float(total.split()[0])) < 0.1 * len(lines)
