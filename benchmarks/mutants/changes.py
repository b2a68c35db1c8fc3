"""Small changes of a function: one operator, number, condition or statement at a time."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Change", "changes"]

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Change:
    """A module with one change in it.

    Attributes
    ----------
    function
        The function that is changed, with the classes it is in.
    line
        Of the module as it is.
    before, after
        The piece that is changed.
    tree
        The changed module.
    """

    function: str
    line: int
    before: str
    after: str
    tree: ast.Module


def changes(source: str) -> Iterator[Change]:
    """Yield all changes of a module's functions, in the order of their lines; messages and names stay."""
    tree = ast.parse(source)
    for name, function in _functions(tree, ()):
        for node in _inside(function):
            for path, new in _variants(node):
                yield _changed(tree, name, node, path, new)


def _functions(node: ast.AST, outer: tuple[str, ...]) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield functions and methods; those inside a function are part of it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield ".".join((*outer, child.name)), child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, (*outer, child.name))


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a body but what raises errors, documents and annotates."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        checks = isinstance(node, ast.keyword) and node.arg == "strict"  # of zip: True where nothing is wrong
        if documents or checks or isinstance(node, ast.Raise):
            continue
        yield node
        skipped = {getattr(node, "annotation", None), getattr(node, "returns", None)}
        waiting += [child for child in reversed(list(ast.iter_child_nodes(node))) if child not in skipped]


def _variants(node: ast.AST) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield what of a node is changed, as a field or a field and an index, and into what."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            for other in COMPARED[type(op)]:
                yield ("ops", str(i)), other()
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in COMPUTED:
        yield ("op",), COMPUTED[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        yield ("op",), ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield ("op",), ast.UAdd() if isinstance(node.op, ast.USub) else ast.Constant(value=None)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ("value",), not node.value
        elif isinstance(node.value, int | float):
            yield ("value",), node.value + 1
    if isinstance(node, ast.If | ast.IfExp) and not isinstance(node.test, ast.Compare):
        yield ("test",), ast.UnaryOp(ast.Not(), node.test)
    if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield (), ast.Pass()
    elif isinstance(node, ast.Break | ast.Continue):
        yield (), ast.Continue() if isinstance(node, ast.Break) else ast.Break()


def _changed(tree: ast.Module, name: str, node: ast.AST, path: tuple[str, ...], new: object) -> Change:
    """Return the change of a copy of the tree; a `not` is left out with its operator."""
    memo: dict[int, object] = {}
    fresh = copy.deepcopy(tree, memo)
    target: Any = memo[id(node)]
    before = ast.unparse(node)
    if path == () or isinstance(new, ast.Constant):
        put: Any = target.operand if isinstance(target, ast.UnaryOp) else new
        after = ast.unparse(put)
        _replace(fresh, target, ast.copy_location(put, target))
    else:
        if len(path) == 2:
            getattr(target, path[0])[int(path[1])] = new
        else:
            setattr(target, path[0], new)
        after = ast.unparse(target)
    before, after = (text.split("\n")[0] for text in (before, after))
    return Change(name, getattr(node, "lineno", 0), before, after, ast.fix_missing_locations(fresh))


def _replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list) and any(each is old for each in value):
                value[next(i for i, each in enumerate(value) if each is old)] = new
