"""Of which type a value is, as far as annotations tell, and which types can hold no text."""

from __future__ import annotations

import ast

from tests.security.sources import callee


def words(text):
    """Return words as a set."""
    return frozenset(text.split())


TYPES = words(
    "int float bool None Markup floating integer bool_ int64 float64 FloatArray IntArray range slice"
)
TYPES |= {"Generator"}  # of random numbers
HOLDERS = words(
    "list tuple dict set frozenset Iterable Iterator Sequence Mapping Collection ClassVar Final Optional"
)
_DEEPEST = 4


class Kinds:
    """Classes and types of values in some sources."""

    def __init__(self, sources):
        self.sources = sources

    def _fact(self, *key):
        raise NotImplementedError

    def type(self, note):
        """Return whether values of a type are harmless."""
        if isinstance(note, ast.Constant):
            if isinstance(note.value, str):
                return self.type(ast.parse(note.value, mode="eval").body)
            return note.value is None or note.value is ...
        if isinstance(note, ast.Name | ast.Attribute):
            name = note.id if isinstance(note, ast.Name) else note.attr
            return name in TYPES or self._fact("alias", name)
        if isinstance(note, ast.BinOp):
            return self.type(note.left) and self.type(note.right)
        if isinstance(note, ast.Subscript):
            name = note.value.id if isinstance(note.value, ast.Name) else getattr(note.value, "attr", "")
            parts = note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]
            if name == "Callable":
                return self.type(parts[-1])
            return name in ("Literal", "NDArray") or (name in HOLDERS and all(map(self.type, parts)))
        return False

    def _alias(self, name):
        """Return whether a name of a type, defined somewhere in the sources, is of a harmless type."""
        values = [v for scope in self.sources.modules[name] for v in scope.bound[name]]
        types = ast.Subscript | ast.BinOp | ast.Name | ast.Attribute
        return bool(values) and all(isinstance(v, types) and self.type(v) for v in values)

    def is_markup(self, node):
        """Return whether a value escapes what is added to it."""
        if isinstance(node, ast.BinOp):
            return self.is_markup(node.left) or self.is_markup(node.right)
        if not isinstance(node, ast.Call):
            return False
        notes = [each.node.returns for each in self.sources.functions[callee(node)]]
        markup = bool(notes) and all(isinstance(note, ast.Name) and note.id == "Markup" for note in notes)
        return markup or callee(node) in ("Markup", "escape")

    def classes(self, node, depth=0):
        """Return the classes of the sources that a value is of; none if annotations do not say."""
        if depth > _DEEPEST:
            return []
        if isinstance(node, ast.Name):
            return self._of_name(node, depth)
        if isinstance(node, ast.Attribute):
            notes = [c.annotated.get(node.attr) for c in self.classes(node.value, depth + 1)]
            return self._named(notes[0]) if len(notes) == 1 else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            made = self.sources.classes.get(callee(node))
            return made or self._named(self._annotation(node, depth + 1))
        return []

    def _of_name(self, node, depth):
        name, scope = node.id, self.sources.scopes[node]
        if name == "self":
            around = self.sources.class_around(scope)
            return [around] if around else []
        for each in scope.outwards():
            if isinstance(each.node, ast.ClassDef):
                continue
            if name in each.annotated:
                return self._named(each.annotated[name])
            if name in each.bound:
                found = [self._of_value(name, value, depth) for value in each.bound[name]]
                alike = all(f == found[0] for f in found) and name not in each.parameters
                return found[0] if alike else []
            if name in each.parameters:
                return self._named(each.parameters[name])
        return []

    def _of_value(self, name, value, depth):
        """Return the classes of what is bound to a name: a value, or those that a loop goes through."""
        if name in self.sources.loops.get(value, ()):
            note = self._annotation(value, depth)
            if not isinstance(note, ast.Subscript):
                return []
            return self._named(note.slice.elts[0] if isinstance(note.slice, ast.Tuple) else note.slice)
        return (
            self.classes(value, depth + 1) if isinstance(value, ast.Name | ast.Attribute | ast.Call) else []
        )

    def _annotation(self, node, depth):
        """Return the annotation of a parameter, a variable, a field, or of what a function returns."""
        if isinstance(node, ast.Name):
            for scope in self.sources.scopes[node].outwards():
                if not isinstance(scope.node, ast.ClassDef):
                    note = scope.parameters.get(node.id) or scope.annotated.get(node.id)
                    if note is not None:
                        return note
        notes = []
        if isinstance(node, ast.Attribute):
            notes = [c.annotated.get(node.attr) for c in self.classes(node.value, depth + 1)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            notes = [f.node.returns for f in self.sources.functions[callee(node)]]
        return notes[0] if len(notes) == 1 else None

    def _named(self, note):
        """Return the classes that an annotation names, None aside."""
        if isinstance(note, ast.BinOp):
            sides = [
                n for n in (note.left, note.right) if not (isinstance(n, ast.Constant) and n.value is None)
            ]
            found = [self._named(side) for side in sides]
            return [each for one in found for each in one] if all(found) else []
        if isinstance(note, ast.Subscript):
            note = note.value
        return self.sources.classes.get(note.id, []) if isinstance(note, ast.Name) else []

    def called(self, node):
        """Return the functions ``__call__`` of what is called, if it is an object of the sources."""
        name, scope = callee(node), self.sources.scopes[node]
        if name == "self":
            around = [self.sources.class_around(scope)]
        else:
            notes = [each.parameters[name] for each in scope.outwards() if name in each.parameters]
            around = self._named(notes[0]) if notes and isinstance(notes[0], ast.Name) else []
        return [each for each in self.sources.functions["__call__"] if each.outer in around]

    def is_parameter(self, node, scope):
        """Return the function of which a name is a parameter, if any."""
        return next((s for s in scope.outwards() if s.takes(node)), None)
