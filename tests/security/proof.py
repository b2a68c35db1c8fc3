"""Whether a value can hold text that was not escaped, shown from the source alone.

A value is harmless if it is a constant, a number, ``Markup`` (by its annotation, which mypy checks), or built
of harmless values. A name is harmless if all that is ever bound to it is; a parameter also if every call
passes a harmless value. That is the greatest fixed point: all is harmless until something shows that
it is not.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from tests.security.kinds import Kinds, words
from tests.security.sources import Part, callee

NUMBER = re.compile(
    r"[-+ #0-9.,<>^=]*(\.\d+)?[bcdeEfFgGnoxX%]$|[+ ]?,(\.\d+)?$"
)  # formats that refuse a text
NUMBERS = words(
    "len int float abs round range bool isinstance escape any all ord count index find urlencode quote"
)
SAME = words(
    "str sorted reversed list tuple dict set zip filter max min sum iter next enumerate islice chain"
)
SAME |= words("Markup cast dedent divmod Path partial")
METHODS = words(
    "replace strip lstrip rstrip lower upper capitalize title split splitlines removeprefix sub item"
)
METHODS |= words(
    "removesuffix items values keys get copy pop tolist sum mean partition translate maketrans glob"
)
METHODS |= words("resolve read_text joinpath")
EXPRESSIONS = {  # whose harmlessness is that of their parts
    "JoinedStr": "values",
    "BoolOp": "values",
    "IfExp": "body orelse",
    "List": "elts",
    "Tuple": "elts",
    "Set": "elts",
    "Dict": "keys values",
    "ListComp": "elt",
    "SetComp": "elt",
    "GeneratorExp": "elt",
    "DictComp": "key value",
    "NamedExpr": "value",
    "Starred": "value",
    "Subscript": "value",
    "Await": "value",
    "Lambda": "body",
}


class Proof(Kinds):
    """What is harmless in some sources.

    `trusted` are functions (file, name) that return what is harmless for another reason, `passing` the names
    of those that return their first argument with other letters.
    """

    def __init__(self, sources, trusted=(), passing=()):
        super().__init__(sources)
        self._trusted, self._passing = frozenset(trusted), frozenset(passing)
        self._facts, self._queue = {}, []
        self._readers, self._asking = defaultdict(set), None  # of a fact; the fact that is looked at

    def harmless(self, values):
        """Return for each value whether it cannot hold text that was not escaped."""
        values = [*values]
        for value in values:
            self.value(value)
        while self._queue:
            self._asking = key = self._queue.pop()
            if self._facts[key] and not getattr(self, "_" + key[0])(*key[1:]):
                self._facts[key] = False
                self._queue += self._readers.pop(key, ())
        self._asking = None
        return [self.value(value) for value in values]

    def _fact(self, *key):
        """Return what is known of a name; who asks is asked again if it turns out to be otherwise."""
        if key not in self._facts:
            self._facts[key] = True
            self._queue.append(key)
        if self._facts[key] and self._asking is not None:
            self._readers[key].add(self._asking)
        return self._facts[key]

    def _all(self, nodes):
        return all(self.value(node) for node in nodes if node is not None)

    def value(self, node):
        """Return whether an expression is harmless, by what is known so far."""
        kind = type(node).__name__
        if kind in EXPRESSIONS:
            parts = [getattr(node, each) for each in EXPRESSIONS[kind].split()]
            return all(self._all(part if isinstance(part, list) else [part]) for part in parts)
        look = getattr(self, f"_at_{kind}", None)
        return look is not None and look(node)

    def _at_Constant(self, node):
        return True

    _at_Compare = _at_Constant

    def _at_FormattedValue(self, node):
        form = node.format_spec
        plain = form and all(isinstance(v, ast.Constant) for v in form.values)
        return bool(plain and NUMBER.match(form.values[0].value)) or self.value(node.value)

    def _at_BinOp(self, node):
        if self.is_markup(node.left) or self.is_markup(node.right):
            return self.value(node.left) or self.value(node.right)
        return self._all([node.left, node.right])

    def _at_UnaryOp(self, node):
        return isinstance(node.op, ast.Not) or self.value(node.operand)

    def _at_AnnAssign(self, node):  # declared, and bound elsewhere
        return self.type(node.annotation)

    def _at_Part(self, node):
        """Look at one of the values of ``zip`` and of ``enumerate``, also of ``enumerate(zip(...))``."""
        whole, k = node.whole, node.k
        if (
            isinstance(whole, Part)
            and isinstance(whole.whole, ast.Call)
            and callee(whole.whole) == "enumerate"
        ):
            whole = whole.whole.args[0] if whole.k == 1 else whole
        if isinstance(whole, ast.Call) and not any(isinstance(a, ast.Starred) for a in whole.args):
            if callee(whole) == "zip" and k < len(whole.args):
                return self.value(whole.args[k])
            if callee(whole) == "enumerate":
                return k == 0 or self.value(whole.args[0])
        return self.value(whole)

    # ---- names

    def _at_Name(self, node):
        if node.id in ("__file__", "str"):
            return True
        at = self.sources.scopes[node]
        for scope in at.outwards():
            inside = not isinstance(scope.node, ast.ClassDef) or scope is at
            if inside and (node.id in scope.bound or scope.takes(node.id)):
                return self._fact("bound", scope, node.id)
        if self.sources.functions[node.id]:  # a function itself, as an argument
            return self._fact("returns", node.id, at.path)
        found = self.sources.modules[node.id]
        return bool(found) and all(self._fact("bound", where, node.id) for where in found)

    def _bound(self, scope, name):
        """Return whether all that a name is ever bound to is harmless."""
        if name in scope.annotated and self.type(scope.annotated[name]):
            return True
        if scope.takes(name):
            note = scope.parameters[name]
            if not (note is not None and self.type(note)) and not self._fact("parameter", scope, name):
                return False
        values = [v for v in scope.bound[name] if not isinstance(v, ast.AnnAssign)]
        grown = [c for c in self.sources.grown[name] if scope in self.sources.scopes[c].outwards()]
        return self._all(values) and all(self._all(call.args) for call in grown)

    def _parameter(self, scope, name):
        """Return whether every call passes something harmless; of a class, its fields are the parameters."""
        own, names = scope.called_as()
        if name not in names or name.startswith("_"):
            return False
        at, default, given = names.index(name), scope.default(name), []
        for reference, child in self.sources.others(scope, own):
            if not (isinstance(reference, ast.Call) and callee(reference) == "map"):
                return False  # given away: who calls it with what cannot be seen
            assert child is reference.args[0]
            given.append(reference.args[1 + at] if at + 1 < len(reference.args) else default)
        for call in self.sources.called(scope, own):
            keyword = next((k.value for k in call.keywords if k.arg == name), None)
            positional = call.args[at] if at < len(call.args) else None
            starred = any(isinstance(a, ast.Starred) for a in call.args[: at + 1])
            if starred or (keyword is positional is None and any(k.arg is None for k in call.keywords)):
                return False
            given.append(keyword or positional or default)
        if isinstance(scope.node, ast.ClassDef):  # dataclasses.replace, of any class
            changed = [*self.sources.calls["replace"], *self.sources.calls["_replace"]]
            given += [k.value for call in changed for k in call.keywords if k.arg == name]
        return bool(given) and None not in given and self._all(given)

    def _returns(self, name, path):
        """Return whether the functions that a name can be, in a file, return what is harmless."""
        found = self.sources.functions[name]
        source = self.sources.imports.get((path, name), "-")
        near = [each for each in found if each.path in (f"{source}.py", f"{source}/__init__.py")]
        near = near or [each for each in found if each.path == path]
        found = near or [each for each in found if each.path.startswith(f"{source}/")] or found
        return bool(found) and all(self._fact("result", each) for each in found)

    def _result(self, scope):
        node = scope.node
        if (scope.path, scope.name) in self._trusted or (
            node.returns is not None and self.type(node.returns)
        ):
            return True
        ends = [n for n in ast.walk(node) if isinstance(n, ast.Return | ast.Yield | ast.YieldFrom)]
        returned = [n.value for n in ends if self.sources.scopes[n] is scope]
        return bool(returned) and self._all(returned)

    # ---- attributes

    def _at_Attribute(self, node):
        base, name = node.value, node.attr
        if name in ("parent", "stem"):  # of a file of the package
            return self.value(base)
        if classes := self.classes(base):
            return all(self._fact("field", each, name) for each in classes)
        if isinstance(base, ast.Name) and not self.sources.attributes[name]:
            if base.id == "str":
                return True
            if any(isinstance(scope.outer.node, ast.Module) for scope in self.sources.functions[name]):
                return self._fact("returns", name, "")
        return self._fact("attribute", name)

    def _field(self, scope, name):
        """Return whether what an attribute of a class, or of its relatives, holds is harmless."""
        family = self.sources.relatives(scope)
        bound, known, typed = self.sources.attributes[name], False, False
        for each in family:
            note = each.annotated.get(name)
            harmless = note is not None and self.type(note)
            if note is not None and not harmless and not self._fact("parameter", each, name):
                return False
            own = [v for v, where in bound if where is each and not isinstance(v, ast.AnnAssign)]
            methods = [m for m in self.sources.functions[name] if m.outer is each]
            if not (harmless or self._all(own)) or not all(self._fact("result", m) for m in methods):
                return False
            known, typed = known or bool(note or own or methods), typed or harmless
        return known and (typed or self._all(v for v, where in bound if where is None))

    def _attribute(self, name):
        """Return whether what is bound to an attribute anywhere, or returned by a property, is harmless."""
        bound, constants = self.sources.attributes[name], self.sources.modules[name]
        classes = [*self.sources.declared[name], *(where for _, where in bound if where is not None)]
        classes += [s.outer for s in self.sources.functions[name] if isinstance(s.outer.node, ast.ClassDef)]
        given = [v for v, where in bound if where is None]
        return (
            bool(classes or given or constants)
            and all(self._fact("field", each, name) for each in classes)
            and (bool(classes) or self._all(given))
            and all(self._fact("bound", each, name) for each in constants)
        )

    # ---- calls

    def _at_Call(self, node):
        name, base = callee(node), node.func.value if isinstance(node.func, ast.Attribute) else None
        given = [*node.args, *(k.value for k in node.keywords if k.arg != "key")]
        if name in NUMBERS:
            return True
        if base is not None:
            return self._method(node, name, base, given)
        if name == "map":
            f, *rest = node.args
            named = f.id if isinstance(f, ast.Name) else ""
            return named in NUMBERS or (self._all(rest) if named in SAME else self.value(f))
        if called := self.called(node):
            return all(self._fact("result", each) for each in called)
        scope = self.sources.scopes[node]
        if taking := self.is_parameter(name, scope):
            return self._fact("bound", taking, name)
        if name in self._passing:
            return self._all(given[:1])
        return self._all(given) if name in SAME else self._fact("returns", name, scope.path)

    def _method(self, node, name, base, given):
        """Return whether the result of a method, or of a function of a module, is harmless."""
        if name == "to_html":  # of pandas, which escapes unless it is told otherwise
            return not any(k.arg in ("escape", "formatters") for k in node.keywords)
        if name == "join":
            return self._all([base, *given])
        if name in ("format", "format_map"):
            return self.value(base) and (self.is_markup(base) or self._all(given))
        module = base.id if isinstance(base, ast.Name) else ""
        if module in ("re", "json"):
            return self._all(given[1:] if name == "sub" else given)
        if module == "param":
            return name in ("Integer", "Number", "Boolean")
        if name in METHODS or not self.sources.functions[name]:
            return name in METHODS and self._all([base, *given])
        family = {c for each in self.classes(base) for c in self.sources.relatives(each)}
        methods = [each for each in self.sources.functions[name] if each.outer in family]
        if methods:
            return all(self._fact("result", each) for each in methods)
        return self._fact("returns", name, self.sources.scopes[node].path if name.startswith("_") else "")
