"""What a wheel or sdist exports: its names and signatures, read from the source. Nothing is imported.

Each name has a value, one line of text. What the source alone cannot tell is `?`, never a guess:

    m           a module; `m?` may have names that are not seen; `m%` has names of compiled code; `m A,B` may have
                names that end in A or B
    c A,B       a class and its bases; `c?` may have more members, `c%` those of compiled code, and the instances of
                `c!` more attributes
    f a,b=,*,c= a function: `a=` may be left out; behind `|` what it may take besides (`?` any keyword, `#` any number
                of arguments, `?#` both)
    r TEXT      a function that only raises TEXT
    v           anything else that exists
    =NAME       another name for NAME
    ?           may or may not exist
"""

from __future__ import annotations

import ast
import bisect
import builtins
import contextlib
import importlib
import re
import sys
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from email.parser import HeaderParser
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
# The members of a class of another package in any release; None if they are not known.
OtherMembers = Callable[[str], "set[str] | None"]

_COMPILED = (".so", ".pyd", ".dylib")
# What is there, but not read. numpy.distutils is not in the wheels for Python 3.12 and newer.
_SKIPPED = re.compile(
    r"(^|/)(tests?|testing/_internal|_inductor|_dynamo|_decomp|_refs|_higher_order_ops|_functorch|_prims|_export|"
    r"_numpy|caffe2|dummy_\w+_objects\.py)(/|$)|^numpy/distutils/|modeling_(tf|flax)_|_(tf|flax)\.py$|"
    r"/(convert_|modular_)\w+\.py$|/commands/|/models/deprecated/"
)
# Decorators that leave the arguments as they are.
_TRANSPARENT = set(
    """staticmethod classmethod property abstractmethod abstractproperty contextmanager asynccontextmanager lru_cache
    cache cached_property no_grad inference_mode enable_grad set_grad_enabled unused ignore export wraps final
    override runtime_checkable total_ordering dataclass dataclass_transform experimental beta add_start_docstrings
    add_start_docstrings_to_model_forward add_end_docstrings add_code_sample_docstrings replace_return_docstrings
    auto_docstring requires is_training_loop singledispatch substitute_in_graph set_module array_function_dispatch
    register_module forbid_in_graph compatibility allow_in_graph script doc_controls""".split()
)
# A module without any of these words binds all of its names where they can be seen.
_OPENING = re.compile(rb"globals\(|vars\(|exec\(|load_submodules|attach\(|setattr\(")
# A lazy module that has what is in the __all__ of each file below it.
_SCANNING = "define_import_structure("
# Decorators of other packages that only warn: what they do to the arguments.
_WARNING = {
    "huggingface_hub.utils._deprecate_arguments": set[str](),
    "huggingface_hub.utils._deprecate_method": set[str](),
    "huggingface_hub.utils._deprecation._deprecate_arguments": set[str](),
    "huggingface_hub.utils._deprecation._deprecate_positional_args": {"#"},
    "typing_extensions.deprecated": set[str](),
    "warnings.deprecated": set[str](),
}
# Decorators of other packages that accept an old keyword, which is written there.
_RENAMING = {"transformers.utils.deprecation.deprecate_kwarg", "transformers.utils.deprecate_kwarg"}
_NOTE = re.compile(r"deprecat|removed|renamed|no longer|replaced by", re.IGNORECASE)
_QUOTED = re.compile(r"[`'\"]{1,2}(?:[\w.]+\.)?(\w+)(?:\(\))?=?[`'\"]{1,2}")
# Names that the compiled code of torch puts together from parts, so that they are not written in it.
_BUILT = re.compile(
    r"(q?u?int|b?float|complex|bits)\d\w*|c?(half|float|double)|short|int|long|bool|\w+_format|channels_last\w*|"
    r"sparse_\w+|strided|jagged|per_(tensor|channel)_\w+"
)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_MAX_NOTE = 240


@dataclass
class Binding:
    """What a name of a module is bound to: a `def`, `class`, `from`, `module` or `var`."""

    kind: str
    node: ast.stmt | None = None
    module: str = ""
    name: str = ""
    sure: bool = True


Bindings = dict[str, Binding]


class Archive:
    """The files of a wheel or an sdist, by their path as they are installed."""

    def __init__(self, path: Path):
        self._files: dict[str, bytes] = {}
        if path.name.endswith((".whl", ".zip")):
            self._zip: zipfile.ZipFile | None = zipfile.ZipFile(path)
            self.names = self._zip.namelist()
        else:
            self._zip = None
            with tarfile.open(path) as tar:
                for member in tar:
                    name = member.name.partition("/")[2].removeprefix("src/")
                    stream = tar.extractfile(member) if name.endswith((".py", ".pyi", "PKG-INFO")) else None
                    if stream is not None:
                        self._files[name] = stream.read()
            self.names = list(self._files)

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        return self._zip.read(name) if self._zip else self._files[name]

    def checksum(self, name: str) -> int:
        """A number that changes with the content of a file."""
        return self._zip.getinfo(name).CRC if self._zip else zlib.crc32(self._files[name])

    def metadata(self) -> dict[str, list[str]]:
        """Its Requires-Python, Requires-Dist and Classifier lines."""
        name = next((n for n in self.names if n.endswith((".dist-info/METADATA", "PKG-INFO"))), None)
        message = HeaderParser().parsestr(self.read(name).decode("utf-8", "replace") if name else "")
        return {
            key: list(message.get_all(key, [])) for key in ("Requires-Python", "Requires-Dist", "Classifier")
        }


class Module:
    """The names that one module binds at its top level."""

    def __init__(self, name: str, is_package: bool, source: bytes, is_stub: bool = False):
        self.name, self.is_package, self.source, self.is_stub = name, is_package, source, is_stub
        self.tree = _tree(source)
        self.lines = source.decode("utf-8", "replace").split("\n")
        self.stars: list[str] = []
        self.all: list[str] | None = None
        self.all_is_computed = False
        # The names that are written in __all__, also where it has others that are computed.
        self.written: set[str] = set()
        # The modules whose __all__ is a part of this one's.
        self.all_of: list[str] = []
        self.open = False
        # Whether its __getattr__ asks another object for any name.
        self.forwards = False
        self.lazy = False
        self.scans = False
        self.maybe: set[str] = set()
        # What a stub imports for itself alone.
        self.hidden: set[str] = set()
        self.refused: dict[str, str] = {}
        self._typed: Bindings = {}
        self._structure: dict[str, list[str]] = {}
        self.names = self._collect(self.tree.body)
        for child, binding in self._typed.items() if self.lazy else ():
            self.names.setdefault(child, binding)
        if self.lazy:
            self.scans = _SCANNING.encode() in source
            for submodule, names in self._structure.items():
                for child in names:
                    self.names[child] = Binding("from", None, f"{name}.{submodule}", child)
        self._find_openness()
        if is_stub and self.all is not None and not self.all_of:
            self.hidden = {n for n, b in self.names.items() if b.kind in ("from", "module")} - set(self.all)
        self.notes = list(self._find_notes(self.tree))
        # What is asked of each function later. Without their bodies, modules are small enough to be kept.
        self.attributes: dict[Function, set[str]] = {}
        self.messages: dict[Function, str | None] = {}
        for node in _functions(self.tree.body):
            self.attributes[node] = self._find_own_attributes(node)
            self.messages[node] = _only_raises(node)
            if not self.refused and "**" not in "".join(self.lines[node.lineno : node.end_lineno]):
                node.body = []
        del self.lines, self.source

    def _find_own_attributes(self, function: Function) -> set[str]:
        """The attributes that a method sets on its object."""
        if not function.args.args:
            return set()
        owner = re.escape(function.args.args[0].arg)
        text = "\n".join(self.lines[function.lineno : function.end_lineno])
        names = set(re.findall(rf"\b{owner}\.(\w+)\b[^=\n()]*=(?!=)", text))
        if re.search(rf"\bsetattr\({owner},|\b{owner}\.__dict__\b", text):
            names.add("__getattr__")
        return names

    def _find_notes(self, tree: ast.Module) -> Iterator[tuple[str, str]]:
        """What the library itself says of its old names: (name, text)."""
        wanted = ("eprecat", "emoved", "enamed", "no longer", "eplaced by")
        lines = [n for n, line in enumerate(self.lines, 1) if any(word in line for word in wanted)]
        todo: list[ast.AST] = [tree] if lines else []
        while todo:
            node = todo.pop()
            for child in ast.iter_child_nodes(node):
                first, last = getattr(child, "lineno", 0), getattr(child, "end_lineno", 0)
                if not first or bisect.bisect_left(lines, first) < bisect.bisect_right(lines, last):
                    todo.append(child)
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if (
                        isinstance(key, ast.Constant)
                        and _is_name(key.value)
                        and isinstance(value, ast.Constant)
                    ):
                        text = str(value.value)
                        if re.search(r"\b[Uu]se\b|instead|removed", text):
                            yield str(key.value), text
            elif isinstance(node, (ast.Call, ast.Raise)):
                for text in _messages(node):
                    quoted = _QUOTED.search(text)
                    if _NOTE.search(text) and quoted:
                        yield quoted[1], text

    def absolute(self, node: ast.ImportFrom) -> str:
        """The module that an import names."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        parts = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def _collect(self, body: Iterable[ast.stmt]) -> Bindings:
        into: Bindings = {}
        for node in body:
            self._add(node, into)
        return into

    def _add(self, node: ast.stmt, into: Bindings) -> None:
        if isinstance(node, Function):
            names = {"overload", "setter"} & {_last(d) for d in node.decorator_list}
            if node.name in into and names:
                return
            into[node.name] = Binding("def", node)
        elif isinstance(node, ast.ClassDef):
            into[node.name] = Binding("class", node)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                target = alias.name if alias.asname else alias.name.split(".")[0]
                into[alias.asname or target] = Binding("module", None, target)
                self._hide_import(alias)
        elif isinstance(node, ast.ImportFrom):
            module = self.absolute(node)
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append(module)
                else:
                    into[alias.asname or alias.name] = Binding("from", None, module, alias.name)
                    self._hide_import(alias)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._add_assignment(node, into)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self._add_call(node.value)
        elif isinstance(node, ast.If):
            self._add_if(node, into)
        elif isinstance(node, ast.Try):
            self._add_try(node, into)
        elif isinstance(node, ast.For):
            self._add_loop(node, into)
        elif isinstance(node, (ast.With, ast.While)):
            into.update(self._collect(node.body))
        elif isinstance(node, ast.Delete):
            for deleted in node.targets:
                if isinstance(deleted, ast.Name):
                    into.pop(deleted.id, None)

    def _hide_import(self, alias: ast.alias) -> None:
        """A stub exports what it imports only as `X as X`, or in its __all__ (PEP 484)."""
        if self.is_stub and alias.asname != alias.name:
            self.hidden.add(alias.asname or alias.name.split(".")[0])

    def _add_assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, into: Bindings) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name) and target.id == "__all__":
                self._extend_all(node.value, new=not isinstance(node, ast.AugAssign))
            elif _text(target).startswith("_import_structure") and node.value is not None:
                self._add_structure(target, node.value)
            elif _text(target).startswith("sys.modules[__name__]"):
                self.lazy = "_LazyModule" in _text(node.value)
                self.open |= not self.lazy
            elif isinstance(node, ast.AnnAssign) and node.value is None and not self.is_stub:
                continue
            elif isinstance(target, ast.Name) and isinstance(node.value, (ast.Name, ast.Attribute)):
                other = into.get(_text(node.value))
                into[target.id] = other or Binding("var", node)
            else:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        into[name.id] = Binding("var", node)

    def _extend_all(self, value: ast.expr | None, new: bool) -> None:
        if isinstance(value, ast.Attribute) and value.attr == "__all__" and not new:
            self.all_of.append(_text(value.value))
            return
        names = None if value is None else _strings(value)
        self.written.update(names or ())
        if names is None or (self.all is None and not new):
            self.all, self.all_is_computed = None, True
        elif not self.all_is_computed:
            self.all = names if new else [*(self.all or []), *names]

    def _add_structure(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(value, ast.Dict):
            for key, names in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant):
                    self._structure.setdefault(str(key.value), []).extend(_strings(names) or [])
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            self._structure.setdefault(str(target.slice.value), []).extend(_strings(value) or [])

    def _add_call(self, call: ast.Call) -> None:
        text = _text(call.func)
        if text == "extend_all" and call.args:
            self.all_of.append(_text(call.args[0]))
        elif text == "__all__.extend" and call.args:
            self._extend_all(call.args[0], new=False)
        elif text == "__all__.append" and call.args:
            self._extend_all(ast.List([call.args[0]]), new=False)
        elif text == "__all__.remove":
            self._extend_all(None, new=False)
        elif text.startswith("_import_structure[") and call.args and isinstance(call.func, ast.Attribute):
            value = call.args[0]
            wrapped = ast.List([value]) if isinstance(value, ast.Constant) else value
            self._add_structure(call.func.value, wrapped)

    def _add_if(self, node: ast.If, into: Bindings) -> None:
        test = _text(node.test)
        if "TYPE_CHECKING" in test and "not TYPE_CHECKING" not in test:
            stars = list(self.stars)
            typed = self._collect(node.body)
            extra, self.stars = self.stars[len(stars) :], stars
            other = self._collect(node.orelse)
            if self.lazy:
                self.stars += extra
            self._typed.update(typed)
            into.update(other)
            return
        if re.match(r"sys\.version_info(\[:2\])? >= \(3, [0-7]\b", test):
            into.update(self._collect(node.body))
            return
        if "SETUP__" in test or "__name__ ==" in test:
            into.update(self._collect(node.orelse))
            return
        body, other = self._collect(node.body), self._collect(node.orelse)
        # What a package exports if another one is installed is taken to be there; its inner parts are not.
        asks = self.is_package and "available" in test.lower()
        if "not TYPE_CHECKING" in test or (asks and "not " not in test):
            into.update(_join(other, body) if other else body)
        elif asks:
            into.update(other)
        else:
            _bind_some(into, _both(body, other))

    def _add_try(self, node: ast.Try, into: Bindings) -> None:
        body = self._collect(node.body)
        for handler in node.handlers:
            bound = self._collect(handler.body)
            if not (handler.body and isinstance(handler.body[-1], ast.Raise)):
                body = _both(body, bound)
        _bind_some(into, body)
        into.update(self._collect(node.orelse))
        into.update(self._collect(node.finalbody))

    def _add_loop(self, node: ast.For, into: Bindings) -> None:
        """`for name in dir(_C): globals()[name] = …` exports all names of _C."""
        source = re.fullmatch(r"dir\(([\w.]+)\)", _text(node.iter))
        if source and "globals()" in _text(node):
            first, _, rest = source[1].partition(".")
            binding = into.get(first)
            base = f"{binding.module}.{binding.name}" if binding and binding.kind == "from" else None
            base = base or (binding.module if binding else f"{self.name}.{first}")
            self.stars.append(base + ("." + rest if rest else ""))
            node.body = []
        else:
            into.update(self._collect(node.body))

    def _find_openness(self) -> None:
        """See whether the module may have names that are bound in other ways."""
        for node in ast.walk(self.tree) if _OPENING.search(self.source) else ():
            if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.value, ast.Call):
                if _last(node.value) in ("globals", "vars"):
                    stores = isinstance(node.ctx, ast.Store)
                    self.open |= stores or (isinstance(node, ast.Attribute) and node.attr == "update")
            elif isinstance(node, ast.Call):
                name = _last(node)
                self.open |= name in ("exec", "load_submodules", "attach")
                # The aliases of a lazy module are known by their ends.
                if name == "setattr" and node.args and not self.scans:
                    first = _text(node.args[0])
                    self.open |= "sys.modules" in first or first == "globals()"
        binding = self.names.get("__getattr__")
        if binding is None or self.lazy:
            return
        if isinstance(binding.node, Function):
            self._read_getattr(binding.node)
        elif "attach_stub" not in _text(binding.node):
            self.open = self.forwards = True

    def _read_getattr(self, function: Function) -> None:
        """The names that a module's __getattr__ may give: those that are written in the module."""
        text = _text(function)
        if re.search(r"(?<!def __)\bgetattr\(|__dict__", text):
            self.open = self.forwards = True
        self.maybe = {
            str(node.value)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Constant) and _is_name(node.value)
        }
        for node in ast.walk(function):
            if isinstance(node, ast.Try) and isinstance(node.body[0], ast.Assign):
                # try: text = TABLE[name] … else: def expired(): raise …
                found = node.body[0].value
                expired = [n for n in node.orelse if isinstance(n, Function) and _only_raises(n) is not None]
                if expired and isinstance(found, ast.Subscript):
                    self.refused[_text(found.value)] = ""
            test = node.test if isinstance(node, ast.If) else None
            if (
                isinstance(node, ast.If)
                and isinstance(test, ast.Compare)
                and isinstance(test.ops[0], ast.In)
                and isinstance(node.body[-1], ast.Raise)
                and not any(isinstance(n, ast.Return) for n in ast.walk(node))
            ):
                self.refused[_text(test.comparators[0])] = _message(node.body[-1])


@dataclass
class Found:
    """What a name leads to: `def` or `class` in a module, `module`, `var`, `other` (package), `?`."""

    kind: str
    path: str = ""
    node: ast.stmt | None = None
    module: Module | None = None


@dataclass
class Package:
    """The modules of one release."""

    archive: Archive
    top: str
    other_members: OtherMembers = lambda _: None
    # Modules of the release that was read before, by their content.
    cache: dict[tuple[str, int], Module] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    # Names that a __getattr__ refuses: certainly absent.
    refused: set[str] = field(default_factory=set)
    notes: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._files: dict[str, dict[str, str]] = {}
        # Modules that are not read, except for what a star import takes from them.
        self._skipped: dict[str, str] = {}
        self._modules: dict[str, Module | None] = {}
        self._exports: dict[tuple[str, frozenset[str]], set[str]] = {}
        self._stars: dict[str, dict[str, Module]] = {}
        self._effects: dict[tuple[str, bool], tuple[set[str], set[str] | None]] = {}
        self._resolving: set[tuple[str, str]] = set()
        self._queue: list[Found] = []
        self._binaries: list[str] = []
        for path in self.archive.names:
            if not path.startswith(self.top + "/"):
                continue
            if _SKIPPED.search(path):
                if path.endswith(".py"):
                    skipped = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                    self._skipped[skipped] = path
                    if path.endswith("/__init__.py"):
                        self.values[skipped] = "?"
                continue
            if path.endswith((".py", ".pyi")):
                name, kind = path.rsplit(".", 1)
            elif path.endswith(_COMPILED):
                self._binaries.append(path)
                if not re.search(r"\.(cpython|cp\d|abi3|pypy)|/_C\.", path):
                    continue
                name, kind = path.rsplit("/", 1)[0] + "/" + path.rsplit("/", 1)[1].split(".")[0], "compiled"
            else:
                continue
            parts = name.split("/")
            is_package = parts[-1] == "__init__"
            self._files.setdefault(".".join(parts[: -1 if is_package else None]), {})[
                kind + "/" * is_package
            ] = path
        # What a lazy module gives by itself: names with these ends.
        self._ends = self._lazy_ends()
        self._words: set[str] | None = None
        self.used: set[tuple[str, int]] = set()

    def may_compile(self, name: str) -> bool:
        """Whether a name is written in the compiled modules."""
        if self._words is None and self._binaries:
            self._words = set()
            for path in self._binaries:
                if re.search(r"\.(cpython|cp\d|abi3)|/_C\.|torch_python", path):
                    # Releases share most words, so each is kept once.
                    self._words.update(
                        sys.intern(w.decode()) for w in set(_WORD.findall(self.archive.read(path)))
                    )
        return self._words is not None and (name in self._words or bool(_BUILT.fullmatch(name)))

    def _lazy_ends(self) -> str:
        """The ends of names that lazy modules may give although nothing binds them, such as `TokenizerFast`."""
        files = [self._files.get(name, {}) for name in (f"{self.top}.utils.import_utils", self.top)]
        texts = [self.archive.read(path).decode() for kinds in files for path in kinds.values()]
        lazy = "".join(re.findall(r"^class _LazyModule.*?(?=^\S|\Z)", texts[0] if texts else "", re.M | re.S))
        ends = set(re.findall(r"\bname\.endswith\(\"(\w+)\"\)", lazy))
        # Modules that are aliases: f"{__name__}.models.{model}.{module}_fast"
        for text in texts[1:] if lazy else ():
            ends |= set(re.findall(r"""f["'].*[})](_[a-z]+)["']""", text))
            ends |= set(re.findall(r"""f["']\{__name__\}\.(\w+)["']""", text))
            table = re.search(r"_ALIASES = \{(.*?)\}", text, re.S)
            ends |= set(re.findall(r"""["'](\w+)["']:""", table[1])) if table else set()
        return " " + ",".join(sorted(ends)) if ends else ""

    def _stars_of(self, module: Module) -> list[str]:
        """The modules whose public names a module has."""
        if not module.scans:
            return module.stars
        below = module.name + (".models." if module.name == self.top else ".")
        scanned = [
            name
            for name in (*self._files, *self._skipped)
            if name.startswith(below)
            and not name.rpartition(".")[2].startswith(("convert_", "modular_"))
            and (other := self.module(name)) is not None
            and not other.is_package
            and other.all is not None
        ]
        return [*module.stars, *scanned]

    def forget(self) -> None:
        """Free what is not needed once the names are read."""
        for known in (self._modules, self._stars, self._exports, self._effects, self._files):
            known.clear()
        self.values, self.cache, self.notes = {}, {}, {}

    def read(self) -> dict[str, str]:
        """All public names and their values."""
        for name in sorted(self._files):
            if not any(part.startswith("_") for part in name.split(".")):
                self._read_module(name)
        while self._queue:
            found = self._queue.pop()
            if found.path not in self.values:
                self._emit(found)
        for module in filter(None, self._modules.values()):
            for key, text in module.notes:
                self.notes.setdefault(key, {})[module.name] = " ".join(text.split())[:_MAX_NOTE]
        # Private modules are only read where something public leads to them.
        for name, files in self._files.items():
            self.values.setdefault(name, "m?")
            if all(kind.startswith("pyi") for kind in files):
                self.values[name] = "?"  # for type checkers, or made by compiled code
        self.values.setdefault(self.top, "m")
        return self.values

    def module(self, name: str) -> Module | None:
        """A module of this package, parsed; None if it is not there or cannot be parsed."""
        if name not in self._modules:
            self._modules[name] = None
            self._modules[name] = self._parse(name)
        return self._modules[name]

    def _parse(self, name: str) -> Module | None:
        files = self._files.get(name, {})
        if name in self._skipped:
            path = self._skipped[name]
            files = {"py/" if path.endswith("/__init__.py") else "py": path}
        kind = next((k for k in ("py/", "py", "pyi/", "pyi") if k in files), None)
        if kind is None:
            return None
        try:
            # A stub beside the file may have been read into the module.
            key = (
                files[kind],
                sum(self.archive.checksum(path) for path in files.values() if "py" in path[-4:]),
            )
            known = self.cache.get(key)
            module = known or Module(name, kind.endswith("/"), self.archive.read(files[kind]), "pyi" in kind)
            self.cache[key] = module
            self.used.add(key)
            if known:
                return known
            attached = "attach_stub" in _text(getattr(module.names.get("__getattr__"), "node", None))
            if module.open or attached:
                self._add_stub(module, attached)
            return module
        except (SyntaxError, ValueError, RecursionError):
            return None

    def _add_stub(self, module: Module, attached: bool = False) -> None:
        """Add the names that a module's .pyi file has, where the .py file alone does not show them."""
        files = self._files[module.name]
        stub = files.get("pyi/", files.get("pyi"))
        if stub and not module.is_stub:
            typed = Module(module.name, module.is_package, self.archive.read(stub), True)
            for key, binding in typed.names.items():
                if attached:
                    module.names.setdefault(key, binding if binding.kind == "from" else Binding("var"))
                elif key not in typed.hidden:
                    # Stubs import names that exist for type checkers alone.
                    is_sure = binding.kind in ("def", "class", "var") and key in (typed.all or [key])
                    module.names.setdefault(key, Binding("var", sure=is_sure))

    def _read_module(self, name: str) -> None:
        module = self.module(name)
        if module is None:
            self.values[name] = "m%" if "compiled" in self._files.get(name, {}) else "m?"
            return
        openness = self._openness(module, set())
        if openness:
            with contextlib.suppress(SyntaxError):
                self._add_stub(module)
        self.values[name] = "m" + openness + (self._ends if module.lazy else "")
        self.refused |= {f"{name}.{child}" for child in self._gone(module) - set(module.names)}
        for child in self.visible(module):
            is_hidden = child.startswith("_") and child not in (module.all or ())
            found = self.find(module, child) if not is_hidden or child in module.names else Found("?")
            # Others derive public classes from private ones.
            if is_hidden and (found.kind != "class" or found.path != f"{name}.{child}"):
                continue
            path = f"{name}.{child}"
            if found.kind in ("def", "class") and found.path == path:
                self._emit(found)
            elif found.kind in ("def", "class", "module") and found.path != path:
                self.values[path] = "=" + found.path
                self._queue.append(found)
            elif found.kind != "module":
                self.values[path] = "?" if found.kind == "?" else "v"

    def _openness(self, module: Module, seen: set[str]) -> str:
        if module.is_stub:
            return "%"
        if module.open:
            stub = any(kind.startswith("pyi") for kind in self._files[module.name])
            is_listed = (stub and not module.forwards) or module.name == self.top == "torch"
            return "%" if is_listed else "?"
        seen.add(module.name)
        levels = []
        for star in self._stars_of(module):
            other = self.module(star)
            if other is None:
                files = self._files.get(star, {}) or star in self._skipped
                is_known = self.top in star and not files
                levels.append("%" if "compiled" in self._files.get(star, {}) else "" if is_known else "?")
            elif other.all is not None and not other.all_of:
                pass  # it gives what is in its __all__, whatever else it has
            elif star not in seen:
                levels.append(self._openness(other, seen))
        return "?" if "?" in levels else "%" if "%" in levels else ""

    def visible(self, module: Module, seen: frozenset[str] = frozenset()) -> set[str]:
        """The names that a module has, with those of star imports."""
        names = {*module.names, *module.maybe} - module.hidden
        names -= self._gone(module) - set(module.names)
        for star in self._stars_of(module):
            other = self.module(star)
            if other is not None and star not in seen:
                names |= self._exported(other, seen | {module.name})
        return names

    def _exported(self, module: Module, seen: frozenset[str]) -> set[str]:
        key = (module.name, seen)
        if key not in self._exports:
            listed = self._listed(module, seen)
            if listed is None:
                listed = {name for name in self.visible(module, seen) if not name.startswith("_")}
            self._exports[key] = listed
        return self._exports[key]

    def _listed(self, module: Module, seen: frozenset[str]) -> set[str] | None:
        """The names in a module's __all__; None if they are not known."""
        names = None if module.all is None else set(module.all)
        for name in module.all_of:
            binding = module.names.get(name, Binding("from", None, module.name, name))
            other = self.module(f"{binding.module}.{binding.name}")
            if names is None or other is None or other.name in seen:
                return None
            listed = self._listed(other, seen | {module.name})
            names |= other.written if listed is None else listed
        return names

    def _may_keep(self, module: Module, name: str) -> bool:
        """Whether a module has an __all__ that is not known, so that it may not export a name of its own."""
        if name in module.written or not (module.all_of or module.all_is_computed):
            return False
        return self._listed(module, frozenset()) is None

    def _gone(self, module: Module) -> set[str]:
        """The names that a module's __getattr__ refuses: the strings of the table that it asks first."""
        names: set[str] = set()
        for source in module.refused:
            for where in (module, self._home(module, source)):
                table = _assigned(source, where.tree, 10**9) if where else None
                if table is None or where is None:
                    continue
                used = {n.id for n in ast.walk(table) if isinstance(n, ast.Name)}
                others = [_assigned(name, where.tree, table.lineno) for name in used]
                for node in (table, *filter(None, others)):
                    names |= {str(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant)}
        return names

    def _home(self, module: Module, name: str) -> Module | None:
        binding = module.names.get(name)
        return self.module(binding.module) if binding and binding.kind == "from" else None

    def find(self, module: Module, name: str) -> Found:
        """What a name of a module leads to."""
        key = (module.name, name)
        if key in self._resolving:
            return Found("?")
        self._resolving.add(key)
        try:
            return self._find(module, name)
        finally:
            self._resolving.discard(key)

    def _find(self, module: Module, name: str) -> Found:
        binding = module.names.get(name)
        if binding is not None:
            if not binding.sure:
                return Found("?")
            if binding.kind in ("def", "class"):
                if module.name in self._skipped or (module.is_stub and binding.kind == "def"):
                    return Found("var")
                return Found(binding.kind, f"{module.name}.{name}", binding.node, module)
            if binding.kind == "module":
                return self._find_module(binding.module)
            if binding.kind == "from":
                return self._find_import(binding, module)
            return Found("var")
        other = self._starred(module).get(name)
        if other is not None and self._may_keep(other, name):
            return Found("?")
        if other is not None:
            return self.find(other, name)
        if f"{module.name}.{name}" in self._files:
            return Found("module", f"{module.name}.{name}")
        return Found("?")

    def _starred(self, module: Module) -> dict[str, Module]:
        """The names that star imports give to a module, and where each is from: the last one counts."""
        if module.name not in self._stars:
            others = [other for star in self._stars_of(module) if (other := self.module(star))]
            seen = frozenset({module.name})
            self._stars[module.name] = {
                name: other for other in others for name in self._exported(other, seen)
            }
        return self._stars[module.name]

    def _find_module(self, name: str) -> Found:
        return Found("module" if name in self._files else "other", name)

    def _find_import(self, binding: Binding, module: Module) -> Found:
        if binding.module != self.top and not binding.module.startswith(self.top + "."):
            return Found("other", f"{binding.module}.{binding.name}")
        source = self.module(binding.module)
        if source is None or (source is module and binding.name not in module.names):
            return self._find_module(f"{binding.module}.{binding.name}") if source else Found("var")
        found = self.find(source, binding.name)
        return Found("var") if found.kind == "?" and not source.names.get(binding.name) else found

    def _emit(self, found: Found) -> None:
        if found.kind == "def" and isinstance(found.node, Function) and found.module:
            self.values[found.path] = self._function(found.node, found.module, drop=0)
        elif found.kind == "class" and isinstance(found.node, ast.ClassDef) and found.module:
            self._emit_class(found.path, found.node, found.module)
        elif found.kind == "module" and found.path not in self.values:
            self._read_module(found.path)

    def _emit_class(self, path: str, node: ast.ClassDef, module: Module) -> None:
        bases, flags = [], set()
        for base in node.bases:
            found = self._find_expression(base, module)
            if found.kind == "class":
                bases.append(found.path)
                self._queue.append(found)
            elif found.kind == "other" and not is_standard(found.path):
                bases.append(found.path)
                flags.add("" if self.other_members(found.path) is not None else "?")
            elif not (found.kind == "other" and is_standard(found.path)):
                flags.add("?")
        if any(k.arg == "metaclass" and _last(k.value) not in ("ABCMeta", "EnumMeta") for k in node.keywords):
            flags.add("?")  # torch.distributed.group.WORLD is a property of its metaclass
        self.values[path] = "c"  # a class can be its own base by a mistake of this reader
        members = self._members(node, module)
        if "__getattr__" in members or "__getattribute__" in members:
            flags.add("!")
        if module.is_stub:
            flags.add("%")
        for name, value in members.items():
            if not name.startswith("_"):
                self.values[f"{path}.{name}"] = value
        init = self._constructor(node, module, members)
        if init is not None:
            self.values[f"{path}.__init__"] = init
        mark = next((flag for flag in "?%!" if flag in flags), "")
        self.values[path] = f"c{mark} {','.join(bases)}".rstrip()

    def _members(self, node: ast.ClassDef, module: Module) -> dict[str, str]:
        members: dict[str, str] = {}
        for item in _flat(node.body):
            if isinstance(item, Function):
                kinds = {_last(decorator) for decorator in item.decorator_list}
                if kinds & {"overload", "setter", "deleter"} and item.name in members:
                    continue
                value = self._function(item, module, drop=int("staticmethod" not in kinds))
                is_plain = any("property" in kind for kind in kinds) or module.is_stub
                members[item.name] = "v" if is_plain and value[0] == "f" else value
                for name in module.attributes.get(item, ()):
                    members.setdefault(name, "v")
            elif isinstance(item, ast.ClassDef):
                members[item.name] = "v"
            elif isinstance(item, (ast.Assign, ast.AnnAssign)):
                for target in item.targets if isinstance(item, ast.Assign) else [item.target]:
                    for part in ast.walk(target):
                        if isinstance(part, ast.Name):
                            members[part.id] = "v"
        return members

    def _constructor(self, node: ast.ClassDef, module: Module, members: dict[str, str]) -> str | None:
        """The value of __init__; None if it is inherited."""
        decorators = {_last(decorator) for decorator in node.decorator_list}
        init = members.get("__init__")
        if module.is_stub:
            return "f |?#"
        if "dataclass" in decorators and init is None:
            init = self._dataclass_init(node, module)
        elif "NamedTuple" in {_last(base) for base in node.bases}:
            init = "f " + ",".join(_field_names(node))
        elif init is None and "__new__" in members:
            init = "f |?#"
        if init is None and not (decorators - _TRANSPARENT):
            return None
        if decorators - _TRANSPARENT or self._makes_instances_differently(node, module, set()):
            return (init or "f ").split("|")[0] + "|?#"
        return init

    def _makes_instances_differently(self, node: ast.ClassDef, module: Module, seen: set[str]) -> bool:
        """Whether a metaclass, __init_subclass__ or __new__ may change the arguments of the class."""
        for keyword in node.keywords:
            if keyword.arg == "metaclass" and _last(keyword.value) not in ("ABCMeta", "EnumMeta"):
                return True
        for item in node.body:
            if isinstance(item, Function) and item.name in ("__init_subclass__", "__new__"):
                open_new = item.name == "__new__" and item.args.kwarg and item.args.vararg
                if not open_new:
                    return True
        for base in node.bases:
            found = self._find_expression(base, module)
            if isinstance(found.node, ast.ClassDef) and found.module and found.path not in seen:
                seen.add(found.path)
                if self._makes_instances_differently(found.node, found.module, seen):
                    return True
        return False

    def _dataclass_init(self, node: ast.ClassDef, module: Module) -> str:
        fields: dict[str, str] = {}
        unknown = not self._add_fields(node, module, fields)
        return "f " + ",".join(fields.values()) + ("|?#" if unknown else "")

    def _add_fields(self, node: ast.ClassDef, module: Module, fields: dict[str, str]) -> bool:
        """Add the fields of a dataclass and its bases; False if a base is not seen."""
        seen_all = True
        for base in reversed(node.bases):
            found = self._find_expression(base, module)
            if isinstance(found.node, ast.ClassDef) and found.module:
                seen_all &= self._add_fields(found.node, found.module, fields)
            elif not (found.kind == "other" and is_standard(found.path)):
                seen_all = False
        if "dataclass" in {_last(decorator) for decorator in node.decorator_list}:
            fields.update(_field_signatures(node))
        return seen_all

    def _find_expression(self, node: ast.expr, module: Module) -> Found:
        """What an expression such as `nn.Module` or `Generic[T]` leads to."""
        if isinstance(node, ast.Subscript):
            return self._find_expression(node.value, module)
        if isinstance(node, ast.Name):
            if node.id in module.names or not hasattr(builtins, node.id):
                return self.find(module, node.id)
            return Found("other", f"builtins.{node.id}")
        if isinstance(node, ast.Attribute):
            owner = self._find_expression(node.value, module)
            if owner.kind == "other":
                return Found("other", f"{owner.path}.{node.attr}")
            if owner.kind == "module" and (inner := self.module(owner.path)):
                return self.find(inner, node.attr)
        return Found("?")

    def _function(self, node: Function, module: Module, drop: int) -> str:
        message = module.messages.get(node)
        if message is not None:
            return "r " + message
        signature, extra = _signature(node.args, drop), set()
        for decorator in node.decorator_list:
            if _last(decorator) not in _TRANSPARENT:
                extra |= self._decorator_effect(decorator, module)
        return f"f {signature}" + ("|" + ",".join(sorted(extra)) if extra else "")

    def _decorator_effect(self, decorator: ast.expr, module: Module) -> set[str]:
        """What a function may take besides its own parameters, because of a decorator."""
        call = decorator if isinstance(decorator, ast.Call) else None
        found = self._find_expression(call.func if call else decorator, module)
        given = {
            str(n.value) for n in ast.walk(decorator) if isinstance(n, ast.Constant) and _is_name(n.value)
        }
        if not isinstance(found.node, Function):
            return given if found.path in _RENAMING else _WARNING.get(found.path, {"?", "#"})
        key = (found.path, call is not None)
        if key not in self._effects:
            self._effects[key] = _wrapper_effect(found.node, call is not None)
        effect, written = self._effects[key]
        if written is None:
            return effect
        return effect | (given | written or {"?"})


def _wrapper_effect(decorator: Function, is_called: bool) -> tuple[set[str], set[str] | None]:
    """What the wrapper of a decorator lets through, and the names in it if it takes some of its keywords away."""
    wrappers = [n for n in ast.walk(decorator) if isinstance(n, Function) and n is not decorator]
    wrappers = [n for n in wrappers if n.args.kwarg and not (is_called and n.name == "decorator")]
    if len(wrappers) != 1:
        return {"?", "#"}, None
    wrapper = wrappers[0]
    own = [*wrapper.args.posonlyargs, *wrapper.args.args][int("self" in _text(wrapper.args)) :]
    text, body = _text(wrapper), "\n".join(map(_text, wrapper.body))
    kwargs = wrapper.args.kwarg.arg if wrapper.args.kwarg else ""
    args = wrapper.args.vararg.arg if wrapper.args.vararg else ""
    effect = set() if args and not re.search(rf"(?<!\*)\b{args}\b", body) else {"#"}
    if own or wrapper.args.kwonlyargs or f"**{kwargs}" not in body:
        return {"?", "#"}, None
    if re.search(rf"\bin {kwargs}\.|\bfor \w+ in {kwargs}\b", text):
        return {"?", "#"}, None
    if re.search(rf"\b{kwargs}\.(pop|clear)\b|\bdel {kwargs}\b", text):
        return effect, {
            str(n.value) for n in ast.walk(decorator) if isinstance(n, ast.Constant) and _is_name(n.value)
        }
    return effect, None


def _tree(data: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(data)


def _assigned(name: str, tree: ast.Module, before: int) -> ast.stmt | None:
    """The last assignment to a name before a line."""
    found = None
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.lineno < before and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if name in map(_text, targets) and (found is None or node.lineno > found.lineno):
                found = node
    return found


def _text(node: ast.AST | None) -> str:
    try:
        return ast.unparse(node) if node is not None else ""
    except (RecursionError, AttributeError):
        return ""


def _last(node: ast.expr) -> str:
    """The last name of `a.b.c` or `a.b.c(…)`."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier()


def _strings(node: ast.expr) -> list[str] | None:
    """The strings of a list of strings; None if it is anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _strings(node.left), _strings(node.right)
        return None if left is None or right is None else left + right
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return None
    if not all(isinstance(item, ast.Constant) for item in node.elts):
        return None
    return [str(item.value) for item in node.elts if isinstance(item, ast.Constant)]


def _flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, with those of its conditions."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _flat(node.body)
            yield from _flat(getattr(node, "orelse", []))
            for handler in getattr(node, "handlers", []):
                yield from _flat(handler.body)
        else:
            yield node


def _both(first: Bindings, second: Bindings) -> Bindings:
    """The names of two alternatives; sure are only those that both bind."""
    joined = _join(first, second)
    for name in set(first) ^ set(second):
        joined[name] = Binding(joined[name].kind, None, sure=False)
    return joined


def _join(first: Bindings, second: Bindings) -> Bindings:
    joined = {**first, **second}
    for name in set(first) & set(second):
        kept = [b for b in (first[name], second[name]) if b.kind != "var"]
        joined[name] = kept[0] if len(kept) == 1 else Binding("var")
        joined[name].sure = first[name].sure and second[name].sure
    return joined


def _bind_some(into: Bindings, names: Bindings) -> None:
    for name, binding in names.items():
        if binding.sure or name not in into:
            into[name] = binding
        else:
            into[name] = Binding("var")


def _signature(args: ast.arguments, drop: int) -> str:
    positional = [*args.posonlyargs, *args.args]
    first_default = len(positional) - len(args.defaults)
    parts = [a.arg + ("=" if i >= first_default else "") for i, a in enumerate(positional)]
    if args.posonlyargs:
        parts.insert(len(args.posonlyargs), "/")
    parts = parts[drop:] if positional else parts
    if args.vararg or args.kwonlyargs:
        parts.append("*args" if args.vararg else "*")
    for argument, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        parts.append(argument.arg + ("" if default is None else "="))
    return ",".join([*parts, *(["**"] if args.kwarg else [])])


def _field_names(node: ast.ClassDef) -> list[str]:
    return [
        item.target.id + ("" if item.value is None else "=")
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]


def _field_signatures(node: ast.ClassDef) -> dict[str, str]:
    fields = {}
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            value = _text(item.value)
            if (
                "ClassVar" not in _text(item.annotation)
                and "init=False" not in value
                and "KW_ONLY" not in _text(item.annotation)
            ):
                has_default = item.value is not None and (
                    not value.startswith(("field(", "dataclasses.field(")) or "default" in value
                )
                fields[item.target.id] = item.target.id + ("=" if has_default else "")
    return fields


def _functions(body: list[ast.stmt]) -> Iterator[Function]:
    """The functions and methods of a block, without those inside of functions."""
    for node in _flat(body):
        if isinstance(node, Function):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body)


def _messages(node: ast.AST) -> Iterator[str]:
    """The texts in a call or a raise, with `{}` for what is filled in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in child.values)
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value


def _message(node: ast.Raise) -> str:
    text = next(_messages(node.exc), "") if isinstance(node.exc, ast.Call) else ""
    return " ".join(text.split())[:_MAX_NOTE]


def _only_raises(node: Function) -> str | None:
    """The message of a function that does nothing but raise; None for any other."""
    body = [item for item in node.body if not isinstance(item, ast.Expr)]
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or body[0].exc is None:
        return None
    if any(_last(decorator) == "abstractmethod" for decorator in node.decorator_list):
        return None
    name = _last(body[0].exc) if isinstance(body[0].exc, (ast.Call, ast.Name, ast.Attribute)) else ""
    return None if name in ("NotImplementedError", "") else _message(body[0])


def is_standard(path: str) -> bool:
    return path.split(".")[0] in sys.stdlib_module_names or path.startswith("builtins.")


def standard_members(path: str) -> set[str]:
    """The members of a class of the standard library."""
    module, _, name = path.rpartition(".")
    try:
        return set(dir(getattr(importlib.import_module(module), name)))
    except (ImportError, AttributeError):
        return set()
