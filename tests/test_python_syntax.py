"""Python's syntax is parsed by one thread at a time."""

from __future__ import annotations

import ast
import threading
import time

import pytest

from otlab import python_syntax
from otlab.python_syntax import parse_expression, parse_module


def test_threads_take_turns(monkeypatch):
    inside, most = [], []
    real = ast.parse

    def slow(*what, **how):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.02)
        inside.pop()
        return real(*what, **how)

    monkeypatch.setattr(python_syntax.ast, "parse", slow)
    works = [lambda: parse_module("a = 1"), lambda: parse_expression("a | None")] * 3
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 6


def test_trees_and_faults_are_those_of_python():
    assert ast.dump(parse_module("x = 1")) == ast.dump(ast.parse("x = 1"))
    assert isinstance(parse_expression("a | None"), ast.BinOp)
    with pytest.raises(SyntaxError):
        parse_module("x = ")
    with pytest.raises(SyntaxError):
        parse_expression("x = 1")
