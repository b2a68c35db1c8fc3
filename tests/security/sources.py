"""The Python sources of otlab as the proof needs them: who defines, binds, calls and refers to a name."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field

GROWS = {"append", "extend", "insert", "add", "update", "appendleft", "setdefault"}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Part(ast.expr):
    """One of the values that another value is unpacked into."""

    _fields = ("whole",)

    def __init__(self, whole, k):
        super().__init__()
        self.whole, self.k = whole, k


def callee(call):
    """Return the last part of the name of what is called."""
    f = call.func
    return f.id if isinstance(f, ast.Name) else f.attr if isinstance(f, ast.Attribute) else ""


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension: its names, each with all that is ever bound to it."""

    path: str
    node: ast.AST
    outer: Scope | None = None
    bound: dict[str, list[ast.AST]] = field(default_factory=lambda: defaultdict(list))
    annotated: dict[str, ast.expr] = field(default_factory=dict)

    def outwards(self):
        """Return this scope and those around it."""
        return [self, *(self.outer.outwards() if self.outer else [])]

    @property
    def name(self):
        """Names of the classes and functions it is in, and its own."""
        return ".".join(filter(None, (getattr(s.node, "name", "") for s in reversed(self.outwards()))))

    @property
    def parameters(self):
        """Names and annotations of what a function takes, or of the fields of a dataclass."""
        if isinstance(self.node, ast.ClassDef):
            return self.annotated
        if not isinstance(self.node, FUNCTIONS):
            return {}
        a = self.node.args
        listed = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        return {each.arg: each.annotation for each in listed}

    def takes(self, name):
        """Return whether a name is a parameter of this function."""
        return isinstance(self.node, FUNCTIONS) and name in self.parameters

    @property
    def of_module(self):
        """Whether this is a function of a module."""
        return isinstance(self.node, FUNCTIONS) and isinstance(self.outer.node, ast.Module)

    def called_as(self):
        """Return the name by which it is called, and the parameters in the order in which they are given."""
        if isinstance(self.node, ast.Lambda):
            return "", []
        names, own = [*self.parameters], self.node.name
        if isinstance(self.node, ast.ClassDef) or not isinstance(self.outer.node, ast.ClassDef):
            return own, names
        if own.startswith("__") and own != "__init__":
            return "", []
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in self.node.decorator_list)
        return self.outer.node.name if own == "__init__" else own, names if static else names[1:]

    def default(self, name):
        """Return what a parameter is when it is not given; None if it always is."""
        if isinstance(self.node, ast.ClassDef):
            return next((v for v in self.bound[name] if not isinstance(v, ast.AnnAssign)), None)
        a = self.node.args
        pairs = [*zip([*a.posonlyargs, *a.args][::-1], a.defaults[::-1], strict=False)]
        pairs += zip(a.kwonlyargs, a.kw_defaults, strict=True)
        return next((value for arg, value in pairs if arg.arg == name), None)


class Sources:
    """All files, and what is where by its name; `texts` are the contents by path."""

    def __init__(self, texts):
        self.scopes = {}  # in which a node stands
        self.functions, self.classes, self.modules = defaultdict(list), defaultdict(list), defaultdict(list)
        self.calls, self.references, self.attributes = defaultdict(list), defaultdict(list), defaultdict(list)
        self.grown = defaultdict(list)  # calls that add to a list, by its name
        self.declared, self.below = defaultdict(list), defaultdict(list)  # classes by attribute, by base
        self.imports, self.aliases = {}, defaultdict(list)  # modules by file and name; files and other names
        self.loops = {}  # names of what a loop goes through, by that
        for path, text in texts.items():
            tree = ast.parse(text)
            self._walk(tree, Scope(path, tree))

    def _walk(self, node, scope):
        self.scopes[node] = inner = scope
        if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)):
            inner = Scope(scope.path, node, scope)
            self._define(node, inner)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope.path)
        elif isinstance(node, ast.Call):
            self.calls[callee(node)].append(node)
            f = node.func
            if isinstance(f, ast.Attribute) and f.attr in GROWS and isinstance(f.value, ast.Name):
                self.grown[f.value.id].append(node)
        self._bind(node, scope)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Name | ast.Attribute) and isinstance(child.ctx, ast.Load):
                named = child.id if isinstance(child, ast.Name) else child.attr
                if not (isinstance(node, ast.Call) and child is node.func):
                    self.references[named].append((node, child))
            around = child in getattr(node, "decorator_list", ()) or child is getattr(node, "returns", None)
            self._walk(child, scope if around else inner)

    def _define(self, node, inner):
        if isinstance(node, ast.ClassDef):
            self.classes[node.name].append(inner)
            for base in node.bases:
                if isinstance(base, ast.Name):
                    self.below[base.id].append(node.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.functions[node.name].append(inner)

    def _import(self, node, path):
        for each in node.names:
            source = each.name if isinstance(node, ast.Import) else node.module or ""
            self.imports[path, each.asname or each.name] = source.replace(".", "/")
            if each.asname:
                self.aliases[each.name].append((path, each.asname))

    def _bind(self, node, scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._target(target, node.value, scope)
        elif isinstance(node, ast.AugAssign | ast.NamedExpr):
            around = next(s for s in scope.outwards() if not isinstance(s.node, COMPREHENSIONS))
            self._target(node.target, node.value, around)
        elif isinstance(node, ast.For | ast.comprehension):
            if isinstance(node.target, ast.Name):
                self.loops.setdefault(node.iter, set()).add(node.target.id)
            self._target(node.target, node.iter, scope)
        elif isinstance(node, ast.AnnAssign):
            if isinstance(node.target, ast.Name):
                scope.annotated[node.target.id] = node.annotation
            self._target(node.target, node.value or node, scope)
        elif isinstance(node, ast.withitem) and node.optional_vars:
            self._target(node.optional_vars, node.context_expr, scope)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            scope.bound[node.name].append(node)

    def _target(self, target, value, scope):
        if isinstance(target, ast.Tuple | ast.List):
            matched = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
            for k, each in enumerate(target.elts):
                self._target(each, value.elts[k] if matched else self._part(value, k, scope), scope)
        elif isinstance(target, ast.Starred):
            self._target(target.value, value, scope)
        elif isinstance(target, ast.Name):
            scope.bound[target.id].append(value)
            if isinstance(scope.node, ast.ClassDef):
                self.attributes[target.id].append((value, scope))
                self.declared[target.id].append(scope)
            elif isinstance(scope.node, ast.Module) and scope not in self.modules[target.id]:
                self.modules[target.id].append(scope)
        elif isinstance(target, ast.Attribute):
            own = isinstance(target.value, ast.Name) and target.value.id in ("self", "cls")
            self.attributes[target.attr].append((value, self.class_around(scope) if own else None))
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            scope.bound[target.value.id].append(value)

    def _part(self, value, k, scope):
        part = Part(value, k)
        self.scopes[part] = scope
        return part

    @staticmethod
    def class_around(scope):
        """Return the class in whose method something stands, if any."""
        return next((each for each in scope.outwards() if isinstance(each.node, ast.ClassDef)), None)

    def relatives(self, scope):
        """Return a class with those it inherits from and those that inherit from it, by their names."""
        names = [scope.node.name]
        for name in names:
            bases = [base for each in self.classes[name] for base in each.node.bases]
            near = [base.id for base in bases if isinstance(base, ast.Name)] + self.below[name]
            names += [each for each in dict.fromkeys(near) if each not in names and each in self.classes]
        return [each for name in names for each in self.classes[name]]

    def called(self, scope, own):
        """Return the calls that can be of a function, or make an object of a class."""
        calls = [*self.calls[own]]
        for path, other in self.aliases[own]:
            calls += [call for call in self.calls[other] if self.scopes[call].path == path]
        if isinstance(scope.node, ast.ClassDef):
            calls += [call for call in self.calls["cls"] if self.class_around(self.scopes[call]) is scope]
        return [call for call in calls if self._meant(call.func, scope, own)]

    def others(self, scope, own):
        """Return where a function is named without being called: the node around, and the name."""
        if isinstance(scope.node, ast.ClassDef) or scope.node.name == "__init__":
            return []  # of a class that is an annotation, or a base
        return [pair for pair in self.references[own] if self._meant(pair[1], scope, own)]

    def _meant(self, node, scope, own):
        """Return whether a name or an attribute can be this function, as its file imports it."""
        path = self.scopes[node].path
        if own.startswith("_") and path != scope.path:
            return False
        if not scope.of_module:
            return True
        if isinstance(node, ast.Name):
            return path == scope.path or self._inside(scope.path, self.imports.get((path, node.id), "-"))
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return False
        return self._inside(scope.path, self.imports.get((path, node.value.id), "-"))

    @staticmethod
    def _inside(path, source):
        return path == f"{source}.py" or path.startswith(f"{source}/")
