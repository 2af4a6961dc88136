"""What a file imports from files beside it: the functions and classes that train are read as a part of the file."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from dpkb.lint.nodes import FUNCTIONS, Definition, Part
from dpkb.lint.syntax_tree import SyntaxTree
from dpkb.source_code.parsed_code import ParsedCode

# What a definition says if a rule may need it beside the code that uses it. A model is looked up by its class.
_TRAINS = re.compile(
    r"backward\(|\.step\(|zero_grad|\.(eval|train)\(|no_grad|inference_mode|DataLoader\(|Sampler\(|set_epoch"
    r"|imread\(|torch\.(save|load)\(|state_dict\(|barrier\(|all_(reduce|gather)|broadcast|requires_grad|Loss\("
    r"|\boptim\b|lr_scheduler|rank *[=!]="
)
# What a file says if it runs a training, or prepares its data, with what it imports.
_RUNS = re.compile(r"epoch|backward\(|[Ll]oader|optim|\.(eval|train)\(|Dataset\b|__main__|\brank\b")
_REFERENCE = re.compile(r"\b([A-Za-z_]\w*)(\.[A-Za-z_]\w*)?")
# So many lines of other files are read with a file, and one more for two of its own: the work stays in proportion.
_MAX_LINES = 300
# The imports that these names stand for in most programs that get them by `from utils import *`.
_USUAL_IMPORTS = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "dist": "torch.distributed",
    "np": "numpy",
    "DataLoader": "torch.utils.data.DataLoader",
    "Dataset": "torch.utils.data.Dataset",
    "Variable": "torch.autograd.Variable",
}


_LIBRARIES = {
    "torch",
    "torchvision",
    "torchaudio",
    "numpy",
    "transformers",
    "lightning",
    "pytorch_lightning",
    "timm",
    "os",
    "sys",
    "typing",
    "collections",
    "math",
    "random",
    "tqdm",
    "cv2",
    "PIL",
    "argparse",
}


class Outline:
    """What the top level of a file defines and imports."""

    def __init__(self, code: ParsedCode) -> None:
        self.code = code
        statements = list(code.tree.body)
        for node in statements:
            if isinstance(node, (ast.If, ast.Try)):
                statements += node.body
        self.definitions: dict[str, Definition] = {
            node.name: node for node in statements if isinstance(node, (*FUNCTIONS, ast.ClassDef))
        }
        self.import_statements = [
            node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        self.imports = read_imports(self.import_statements, self.definitions)
        # The modules of `from module import *`.
        self._modules_of_all = [
            node.module
            for node in self.import_statements
            if isinstance(node, ast.ImportFrom)
            and node.module
            and node.names[0].name == "*"
            and not is_library(node.module)
        ]
        self._trains: dict[str, bool] = {}
        self._needed: dict[Definition, list[Definition]] = {}

    def trains(self, name: str) -> bool:
        """Whether a definition has code of a training, and not only layers."""
        if name not in self._trains:
            self._trains[name] = _TRAINS.search(self.text_of(self.definitions[name])) is not None
        return self._trains[name]

    def text_of(self, node: Definition) -> str:
        """The source of a definition."""
        return "\n".join(self._lines[node.lineno - 1 : node.end_lineno])

    @cached_property
    def _lines(self) -> list[str]:
        return self.code.text.split("\n")

    def needed_by(self, node: Definition) -> list[Definition]:
        """A definition, and those of the same file with code of a training that it uses."""
        if node not in self._needed:
            needed = self._needed[node] = [node]
            for item in needed:
                for name, _ in _REFERENCE.findall(self.text_of(item)):
                    other = self.definitions.get(name)
                    if other and other not in needed and self.trains(name):
                        needed.append(other)
        return self._needed[node]

    def references_in(self, text: str) -> Iterator[tuple[str, str]]:
        """The names, and `module.name`, in a part of this file that other files may define, each with its full name."""
        for root, member in dict.fromkeys(_REFERENCE.findall(text)):
            full = self.imports.get(root)
            if full and not is_library(full):
                yield root, full
                if member:
                    yield root + member, full + member
            elif not full and root not in self.definitions:
                yield from ((root, f"{module}.{root}") for module in self._modules_of_all)


# Finds what a dotted name stands for in the code of a file: the outline of the file that defines it, and its name.
Find = Callable[[str, str], "tuple[Outline, str] | None"]


def link(tree: SyntaxTree, outline: Outline, find: Find) -> dict[str, Definition]:
    """Add the parts of other files that a file uses to its tree; what its own names stand for in them."""
    own_names: dict[str, Definition] = {}
    if not _RUNS.search(outline.code.text):
        return own_names
    parts: dict[str, Part] = {}
    todo = [(own_names, outline, outline.code.text)]
    length, limit = 0, _MAX_LINES + outline.code.text.count("\n") // 2
    for names, user, text in todo:
        for reference, full in user.references_in(text):
            found = find(full, user.code.name)
            if found is None or found[0] is outline or not found[0].trains(found[1]):
                continue
            source, node = found[0], found[0].definitions[found[1]]
            if source.code.name not in parts:
                parts[source.code.name] = Part(source.code.name, source.imports, source.import_statements)
            part = parts[source.code.name]
            for needed in source.needed_by(node) if node not in part.body else ():
                text = source.text_of(needed)
                if length < limit and needed not in part.body:
                    length += text.count("\n")
                    part.body.append(needed)
                    todo.append((part.names, source, text))
            if node in part.body:
                names[reference] = node
    for part in parts.values():
        tree.append(part)
    return own_names


def is_library(dotted: str) -> bool:
    """Whether a name is imported from a library that no file beside this one replaces."""
    return dotted.partition(".")[0] in _LIBRARIES


def read_imports(statements: Iterable[ast.Import | ast.ImportFrom], defined: Iterable[str]) -> dict[str, str]:
    """Each name that import statements bind -> its dotted name."""
    found = {}
    for node in statements:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                found[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}".lstrip(".")
            else:
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = alias.name if alias.asname else name
    if "*" in found:
        found = {name: full for name, full in _USUAL_IMPORTS.items() if name not in set(defined)} | found
    return found
