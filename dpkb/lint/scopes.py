"""The names of a file: its imports, where each name gets its value, and what each call calls."""

import ast
import builtins
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from dpkb.lint import library_names
from dpkb.lint.linking import read_imports
from dpkb.lint.nodes import (
    Definition,
    Function,
    MethodCall,
    Scope,
    called_name,
    find_receiver,
    group,
    is_method_call,
    text_of,
)
from dpkb.lint.syntax_tree import SyntaxTree


@dataclass(frozen=True)
class Binding:
    """One place where a name gets a value. value: the expression; None if there is none.

    index: the name gets this item of the value, as in `a, b = value`. is_item: it gets each item in a loop.
    """

    node: ast.AST
    value: ast.expr | None = None
    index: int | None = None
    is_item: bool = False


class Variable(list[Binding]):
    """The places where a name of one scope gets its value. It is compared by identity, as a key of answers."""

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


class Scopes:
    """What the names of a file are bound to."""

    def __init__(self, tree: SyntaxTree, names: dict[str, Definition] | None = None) -> None:
        """names: the names of the file itself that stand for definitions of other files, see linking.py."""
        self._tree = tree
        self._names = names or {}
        self._bindings: dict[ast.AST, dict[str, Variable]] = defaultdict(lambda: defaultdict(Variable))
        self._callees: dict[ast.Call, str] = {}
        self._calls_by_receiver: dict[str, dict[str, list[ast.Call]]] = {}
        # Names that some assignment binds to an attribute, as in `squash = torch.sigmoid`.
        self._alias_names: set[str] = set()
        self._bind()
        found: list[ast.Import | ast.ImportFrom] = tree.within(tree.root, ast.Import, ast.ImportFrom)
        statements = [node for node in found if not tree.part_of(node)]
        self.imports = read_imports(statements, self._bindings[tree.root])
        self._read_aliases()

    def full_name(self, node: ast.AST | None) -> str:
        """The canonical dotted name of something in a library; "" for anything else."""
        attributes = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        part = self._tree.part_of(node)
        imports, names = (part.imports, part.names) if part else (self.imports, self._names)
        if node.id not in imports or (names and ".".join([node.id, *attributes[-1:]]) in names):
            return ""
        return library_names.canonicalize(".".join([imports[node.id], *reversed(attributes)]))

    def linked_definition(self, node: ast.expr | None) -> Definition | None:
        """The function or class of another file that an expression names, if it is read with this file."""
        root = node.value if isinstance(node, ast.Attribute) else node
        if not isinstance(root, ast.Name):
            return None
        part = self._tree.part_of(root)
        names = part.names if part else self._names
        return names.get(text_of(node)) if names and not self.bindings(root) else None

    def callee(self, call: ast.Call) -> str:
        """The canonical name of what is called, if it is a function or class of a library; else ""."""
        if call not in self._callees:
            self._callees[call] = self.full_name(call.func) or self.full_name(self._alias(call.func))
        return self._callees[call]

    def _alias(self, node: ast.expr) -> ast.expr | None:
        """The attribute that a name is bound to, if only once: torch.sigmoid in `squash = torch.sigmoid`."""
        if not isinstance(node, ast.Name) or node.id not in self._alias_names:
            return None
        bindings = self.bindings(node)
        value = bindings[0].value if len(bindings) == 1 and not bindings[0].is_item else None
        return value if isinstance(value, ast.Attribute) else None

    def _read_aliases(self) -> None:
        """Treat `F = nn.functional` and `loss_fn = F.cross_entropy` at the top of a file as imports."""
        for node in self._tree.nodes(ast.Assign):
            if not (isinstance(node.value, ast.Attribute) and isinstance(node.targets[0], ast.Name)):
                continue
            name = node.targets[0].id
            self._alias_names.add(name)
            full = self.full_name(node.value)
            if (
                full.startswith("torch.")
                and node in self._tree.root.body
                and len(self._bindings[self._tree.root][name]) == 1
            ):
                self.imports[name] = full

    def calls_of(self, *callees: str) -> list[ast.Call]:
        """The calls of these canonical names."""
        return [call for name in callees for call in self._calls_by_library_name.get(name, ())]

    @cached_property
    def _calls_by_library_name(self) -> dict[str, list[ast.Call]]:
        return group((name, call) for call in self._tree.calls if (name := self.callee(call)))

    def method_calls(self, *methods: str) -> list[MethodCall]:
        """The calls of the form something.name()."""
        calls = (call for name in methods for call in self.calls_by_name.get(name, ()))
        return [call for call in calls if is_method_call(call)]

    def calls_on(self, receiver: str, method: str) -> list[ast.Call]:
        """The calls of a method of what has this text, in the order of the text."""
        if method not in self._calls_by_receiver:
            calls = self.method_calls(method)
            self._calls_by_receiver[method] = group((text_of(find_receiver(call)), call) for call in calls)
        return self._calls_by_receiver[method].get(receiver, [])

    def imports_from(self, *packages: str) -> bool:
        """Whether the file imports something from one of these packages."""
        return any(name.partition(".")[0] in packages for name in self.imports.values())

    def bindings(self, name: ast.Name) -> Variable:
        """The places where this name gets its value, in the nearest scope that has such a place."""
        scope: Scope | None = self._tree.scope_of(name)
        first = True
        while scope is not None:
            # Methods do not see the names of the class body around them.
            if (first or not isinstance(scope, ast.ClassDef)) and name.id in self._bindings[scope]:
                return self._bindings[scope][name.id]
            first = False
            scope = self._tree.scope_of(scope) if not isinstance(scope, ast.Module) else None
        return Variable()

    def bindings_in(self, scope: Scope, name: str) -> list[Binding]:
        """The places in this scope where a name gets its value, without comprehensions: each is a scope."""
        return [
            binding
            for binding in self._bindings.get(scope, {}).get(name, [])
            if not isinstance(self._tree.parents.get(binding.node), ast.comprehension)
        ]

    def only_binding(self, name: ast.Name) -> Binding | None:
        """The one place in its scope where a name gets its value; None if it may change elsewhere."""
        bindings = self.bindings_in(self._tree.scope_of(name), name.id)
        may_change = name.id in self.imports or name.id in self._changed_elsewhere
        return bindings[0] if len(bindings) == 1 and not may_change else None

    @cached_property
    def _changed_elsewhere(self) -> set[str]:
        """The names that are global, nonlocal or deleted somewhere."""
        shared: list[ast.Global | ast.Nonlocal] = self._tree.within(self._tree.root, ast.Global, ast.Nonlocal)
        deleted = {node.id for node in self._tree.nodes(ast.Name) if isinstance(node.ctx, ast.Del)}
        return deleted.union(*(node.names for node in shared))

    def is_bound(self, name: str) -> bool:
        """Whether the file binds a name anywhere, and so may hide a builtin."""
        return name in self.imports or name in self._bound_names

    @cached_property
    def _bound_names(self) -> set[str]:
        return {name for names in self._bindings.values() for name in names}

    def is_builtin_or_torch(self, call: ast.Call) -> bool:
        """Whether a call is of a function of torch or of a builtin, and so runs no code of the program."""
        return self.callee(call).startswith("torch.") or (
            isinstance(call.func, ast.Name)
            and hasattr(builtins, call.func.id)
            and not self.is_bound(call.func.id)
        )

    @cached_property
    def calls_by_name(self) -> dict[str, list[ast.Call]]:
        """The last name of what is called -> its calls."""
        return group((name, call) for call in self._tree.calls if (name := called_name(call)))

    def parameters(self, function: Function | ast.Lambda) -> list[ast.arg]:
        """The positional and keyword parameters."""
        return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]

    def defaults(self, function: Function | ast.Lambda) -> dict[ast.arg, ast.expr | None]:
        """Parameter -> its default."""
        values = [*function.args.defaults, *function.args.kw_defaults]
        return dict(zip(reversed(self.parameters(function)), reversed(values), strict=False))

    def _bind(self) -> None:
        self._bind_assignments()
        for loop in self._tree.iterations:
            for name in ast.walk(loop.target):
                if isinstance(name, ast.Name):
                    self._add(name.id, Binding(loop.target, loop.iter, is_item=True))
        for item in self._tree.nodes(ast.withitem):
            if item.optional_vars is not None:
                self._bind_target(item.optional_vars, item.optional_vars, item.context_expr)
        for function in (*self._tree.functions, *self._tree.nodes(ast.Lambda)):
            self._bind_parameters(function)
        for definition in (*self._tree.functions, *self._tree.nodes(ast.ClassDef)):
            self._add(definition.name, Binding(definition))

    def _bind_assignments(self) -> None:
        for node in self._tree.nodes(ast.Assign):
            for target in node.targets:
                self._bind_target(target, node, node.value)
        others: list[ast.AnnAssign | ast.AugAssign | ast.NamedExpr] = [
            *self._tree.nodes(ast.AnnAssign),
            *self._tree.nodes(ast.AugAssign),
            *self._tree.nodes(ast.NamedExpr),
        ]
        for other in others:
            if isinstance(other.target, ast.Name):
                value = None if isinstance(other, ast.AugAssign) else other.value
                self._add(other.target.id, Binding(other, value))

    def _bind_parameters(self, function: Function | ast.Lambda) -> None:
        """Bind each parameter, and its default if that is no literal."""
        defaults = self.defaults(function)
        for parameter in filter(
            None, (*self.parameters(function), function.args.vararg, function.args.kwarg)
        ):
            bindings = self._bindings[function][parameter.arg]
            bindings.append(Binding(parameter))
            default = defaults.get(parameter)
            if default is not None and not isinstance(default, ast.Constant):
                bindings.append(Binding(default, default))

    def _bind_target(self, target: ast.expr, node: ast.AST, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._add(target.id, Binding(node, value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, item in enumerate(target.elts):
                if isinstance(item, ast.Name):
                    self._add(item.id, Binding(node, value, index))
                elif isinstance(item, (ast.Tuple, ast.List, ast.Starred)):
                    for name in ast.walk(item):
                        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                            self._add(name.id, Binding(node))

    def _add(self, name: str, binding: Binding) -> None:
        self._bindings[self._tree.scope_of(binding.node)][name].append(binding)
