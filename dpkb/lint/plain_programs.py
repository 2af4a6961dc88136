"""Which files are programs of which every part is known, so that nothing in them can tell a rewrite.

A rewrite that is right where it stands may still show: the program catches the error that is gone, prints the
graph, counts operations, replaces a function of torch or reads its own text. A list of all that could never be
complete. So this is a list of what tells nothing, and a program with anything else is not plain.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo
from dpkb.lint.file_users import may_be_used
from dpkb.lint.nodes import Part, called_name

if TYPE_CHECKING:
    from dpkb.lint.source_file import SourceFile

# No try, no with but those of _CONTEXTS, no lambda, yield, global, del, match, async or *args.
_SYNTAX = frozenset(
    """Module Import ImportFrom alias FunctionDef ClassDef arguments arg Return Assign AugAssign AnnAssign For While
    If With withitem Expr Pass Break Continue Assert BoolOp BinOp UnaryOp IfExp Dict Set ListComp SetComp DictComp
    GeneratorExp comprehension Compare Call keyword FormattedValue JoinedStr Constant Attribute Subscript
    Name List Tuple Slice""".split()
)
_CONTEXTS = ("torch.no_grad", "torch.inference_mode")
_MODULES = frozenset(
    """__future__ argparse json math numpy random sys time torch torch.nn torch.nn.functional torch.nn.init
    torch.nn.utils torch.optim torch.optim.lr_scheduler torch.utils.data torch.utils.data.distributed tqdm
    typing""".split()
)
_BUILTINS = frozenset(
    """abs all any bool dict enumerate filter float int isinstance iter len list map max min next object pow print
    range reversed round set sorted str sum super tuple zip __name__""".split()
)
# Attributes, functions of _MODULES and arguments of which none shows graphs, hooks, operations or source.
_WORDS = frozenset(
    """
    Adam AdamW AdaptiveAvgPool2d Any ArgumentParser AvgPool2d BCELoss BCEWithLogitsLoss BatchNorm1d
    BatchNorm2d BatchSampler Conv1d Conv2d Conv3d ConvTranspose2d CosineAnnealingLR CrossEntropyLoss
    DataLoader Dict DistributedSampler Dropout Dropout2d ELU Embedding Flatten GELU GRU GroupNorm Identity
    Iterable Iterator KLDivLoss L1Loss LSTM LayerNorm LeakyReLU Linear List LogSoftmax MSELoss MaxPool2d
    Module ModuleDict ModuleList MultiheadAttention NLLLoss Optional Parameter RMSprop RandomSampler ReLU
    ReLU6 SGD Sequence Sequential SequentialSampler SiLU Sigmoid SmoothL1Loss Softmax StepLR Subset T Tanh
    Tensor TensorDataset Tuple Union WeightedRandomSampler __init__ __iter__ abs action add add_ add_argument
    affine all allclose amax annotations any append arange argmax argmin argsort array asarray baddbmm
    batch_first batch_sampler batch_size bernoulli betas bfloat16 bias binary_cross_entropy
    binary_cross_entropy_with_logits bmm bool cat ceil children choices chunk clamp clamp_ clip_grad_norm_
    clip_grad_value_ contiguous conv1d conv2d copy_ cos count cpu cross_entropy cuda cumsum data dataset ddof
    default desc description device dim dims distributed div div_ double drop_last dropout dtype dumps einsum
    embedding_dim end endswith epochs eps equal eval exit exp exp_ expand extend eye fill_ flatten flip float
    float16 float32 float64 floor flush forward from_numpy full full_like functional gather gelu get
    get_last_lr grad help hidden_size ignore_index in_channels in_features index indices inference_mode init
    inplace input int int32 int64 interpolate is_available isfinite isinf isnan items join kaiming_normal_
    kaiming_uniform_ keepdim keepdims kernel_size key keys kl_div l1_loss label_smoothing layer_norm
    leaky_relu linalg linear linspace log log10 log1p log2 log_softmax logical_and logical_not logsumexp long
    lower lr lr_scheduler manual_seed masked_fill masked_fill_ matmul max max_norm maximum maxval mean median
    min minimum mm momentum mse_loss mul mul_ multinomial named_children named_parameters negative_slope
    nesterov nll_loss nn no_grad norm normal_ normalize num_embeddings num_epochs num_features num_heads
    num_layers num_replicas num_samples num_workers numel numpy ones ones_like optim out_channels out_features
    output_size p pad padding parameters parse_args perf_counter permute persistent_workers pi pin_memory pop
    pow prod rand rand_like randint randn randn_like random random_split randperm rank reciprocal reduction
    relu relu_ repeat replacement requires_grad requires_grad_ reshape retain_graph reverse round rsqrt
    sampler save scatter_ seed select sep set_epoch set_num_threads set_to_none shape shuffle sigmoid sigmoid_
    sign silu sin size sleep smooth_l1_loss softmax softplus sort split sqrt square squeeze stack startswith
    state_dict std step step_size steps stride strip sub sub_ sum t tan tanh tensor tensor_split time to
    tolist topk tqdm train trange transpose tril triu truncate type type_as unbind unsqueeze update upper
    utils values var view weight weight_decay where xavier_normal_ xavier_uniform_ zero_ zero_grad zeros
    zeros_ zeros_like
    """.split()
)
# What the rewrites call, and what tells them that a value is a tensor or the iterator of a loader.
_RELIED_ON = {"backward", "clone", "detach", "item", "next"}


def is_plain_program(file: SourceFile) -> bool:
    """Whether a file only does what cannot observe a rewrite, and no other file is seen to use it."""
    tree, scopes = file.tree, file.scopes
    attributes, names, classes = tree.nodes(ast.Attribute), tree.nodes(ast.Name), tree.nodes(ast.ClassDef)
    stored = [node for node in names if isinstance(node.ctx, ast.Store)]
    bound = Counter(
        [
            *(node.name for node in (*tree.functions, *classes)),
            *(node.id for node in stored),
            *(node.arg for node in tree.nodes(ast.arg)),
        ]
    )
    functions = {node.name for node in (*tree.functions, *classes) if bound[node.name] == 1}
    # The attributes of objects, the variables of classes and the methods.
    members = (
        {node.attr for node in attributes if isinstance(node.ctx, ast.Store)},
        {node.id for node in stored if isinstance(tree.scope_of(node), ast.ClassDef)},
        {node.name for node in tree.functions if isinstance(tree.parents[node], ast.ClassDef)},
    )
    all_members = set[str]().union(*members)
    return not tree.nodes(Part) and (
        all(type(node).__name__ in _SYNTAX for node in tree.subtree(tree.root))
        and all(_is_plain_import(file, node) for node in tree.nodes(ast.Import))
        and all(_is_plain_import(file, node) for node in tree.nodes(ast.ImportFrom))
        and all(
            isinstance(tree.parents[node], ast.Module)
            and bound[node.name] == 1
            and not (node.decorator_list or node.keywords)
            and all(
                file.definitions.find_class(base) or scopes.full_name(base) == library_names.NN_MODULE
                for base in node.bases
            )
            for node in classes
        )
        and all(isinstance(tree.parents[node], (ast.Module, ast.ClassDef)) for node in tree.functions)
        and all(item.optional_vars is None for item in tree.nodes(ast.withitem))
        and all(
            isinstance(node, ast.Call) and scopes.callee(node) in _CONTEXTS
            for node in [
                *(item.context_expr for item in tree.nodes(ast.withitem)),
                *(item for function in tree.functions for item in function.decorator_list),
            ]
        )
        # Each name means one thing: what it is imported for, or one kind of attribute. None hides another.
        and {*dir(builtins), *scopes.imports}.isdisjoint(bound)
        and scopes.imports.keys().isdisjoint(dir(builtins))
        and sum(map(len, members)) == len(all_members)
        and _RELIED_ON.isdisjoint(all_members)
        and not any(name.startswith("__") for name in bound if name != "__init__")
        and not any(name.startswith("_") for name in all_members - {"__init__"})
        # Net.forward(x) would run with any object.
        and all(
            node.id not in file.definitions.classes
            or isinstance(parent := tree.parents[node], (ast.ClassDef, ast.arg))
            or (isinstance(parent, ast.Call) and parent.func is node)
            for node in names
        )
        and {node.id for node in names} <= {*bound, *scopes.imports, *_BUILTINS}
        and all(
            (isinstance(node.ctx, ast.Load) and (node.attr in _WORDS or node.attr in _RELIED_ON))
            or _is_own_attribute(file, node)
            for node in attributes
        )
        # In a worker, errors and what is printed may be lost: a collate function would be the seventh argument.
        and all(len(call.args) < 7 for call in tree.calls)
        and all(
            keyword.arg in _WORDS
            or (
                called_name(call) not in _WORDS
                and called_name(call) in (functions if isinstance(call.func, ast.Name) else members[2])
            )
            for call in tree.calls
            for keyword in call.keywords
        )
        and not (file.project and may_be_used(Path(file.source.name), file.project.folders))
    )


def _is_own_attribute(file: SourceFile, node: ast.Attribute) -> bool:
    """Whether this is self.name, where the class or a base class in the file defines the name."""
    owner = file.definitions.class_of_self(node.value) if isinstance(node.value, ast.Name) else None
    return owner is not None and any(
        isinstance(info, ClassInfo)
        and (node.attr in info.attributes or file.scopes.bindings_in(info.node, node.attr))
        for info in owner.ancestors
    )


def _is_plain_import(file: SourceFile, node: ast.Import | ast.ImportFrom) -> bool:
    """Whether all that an import binds is known, and is what its name means in the whole file."""
    prefix = "" if isinstance(node, ast.Import) else f"{'.' * node.level}{node.module}."
    return file.tree.parents[node] is file.tree.root and all(
        (full in _MODULES or (prefix[:-1] in _MODULES and alias.name in _WORDS))
        and f"{full}.".startswith(f"{file.scopes.imports[alias.asname or alias.name.partition('.')[0]]}.")
        for alias in node.names
        for full in [f"{prefix}{alias.name}"]
    )
