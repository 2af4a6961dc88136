"""Which files are programs of which every part is known, so that nothing in them can tell a rewrite.

A rewrite that is right where it stands may still show: the program catches the error that is gone, prints the
graph, counts operations, replaces a function of torch or reads its own text. A list of all that could never be
complete. So this is a list of what tells nothing, and a program with anything else is not plain.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from typing import TYPE_CHECKING

from dpkb.lint import library_names
from dpkb.lint.nodes import text_of

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
_DECORATORS = ("torch.no_grad()", "torch.inference_mode()")
_MODULES = frozenset(
    """__future__ argparse json math numpy os os.path random sys time torch torch.nn torch.nn.functional torch.nn.init
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
    basename batch_first batch_sampler batch_size bernoulli betas bfloat16 bias binary_cross_entropy
    binary_cross_entropy_with_logits bmm bool cat ceil children choices chunk clamp clamp_ clip_grad_norm_
    clip_grad_value_ contiguous conv1d conv2d copy_ cos count cpu cross_entropy cuda cumsum data dataset ddof
    default desc description device dim dims dirname distributed div div_ double drop_last dropout dtype dumps
    einsum embedding_dim end endswith epochs eps equal eval exist_ok exists exit exp exp_ expand extend eye
    fill_ flatten flip float float16 float32 float64 floor flush forward from_numpy full full_like functional
    gather gelu get get_last_lr grad help hidden_size ignore_index in_channels in_features index indices
    inference_mode init inplace input int int32 int64 interpolate is_available isfinite isinf isnan items join
    kaiming_normal_ kaiming_uniform_ keepdim keepdims kernel_size key keys kl_div l1_loss label_smoothing
    layer_norm leaky_relu linalg linear linspace log log10 log1p log2 log_softmax logical_and logical_not
    logsumexp long lower lr lr_scheduler makedirs manual_seed masked_fill masked_fill_ matmul max max_norm
    maximum maxval mean median min minimum mm momentum mse_loss mul mul_ multinomial named_children
    named_parameters negative_slope nesterov nll_loss nn no_grad norm normal_ normalize num_embeddings
    num_epochs num_features num_heads num_layers num_replicas num_samples num_workers numel numpy ones
    ones_like optim out_channels out_features output_size p pad padding parameters parse_args path
    perf_counter permute persistent_workers pi pin_memory pop pow prod rand rand_like randint randn randn_like
    random random_split randperm rank reciprocal reduction relu relu_ repeat replacement requires_grad
    requires_grad_ reshape retain_graph reverse round rsqrt sampler save scatter_ seed select sep set_epoch
    set_num_threads set_to_none shape shuffle sigmoid sigmoid_ sign silu sin size sleep smooth_l1_loss softmax
    softplus sort split sqrt square squeeze stack startswith state_dict std step step_size steps stride strip
    sub sub_ sum t tan tanh tensor tensor_split time to tolist topk tqdm train trange transpose tril triu
    truncate type type_as unbind unsqueeze update upper utils values var view weight weight_decay where
    xavier_normal_ xavier_uniform_ zero_ zero_grad zeros zeros_ zeros_like
    """.split()
)
# What the rewrites call, and what tells them that a value is a tensor or the iterator of a loader.
_RELIED_ON = {"backward", "clone", "detach", "item", "next"}
_KNOWN = _WORDS | _RELIED_ON


def is_plain_program(file: SourceFile) -> bool:
    """Whether a file only does what cannot observe a rewrite, and no other file is seen to use it."""
    tree, scopes = file.tree, file.scopes
    attributes, names, classes = tree.nodes(ast.Attribute), tree.nodes(ast.Name), tree.nodes(ast.ClassDef)
    imports: list[ast.Import | ast.ImportFrom] = [*tree.nodes(ast.Import), *tree.nodes(ast.ImportFrom)]
    stored = [node for node in names if isinstance(node.ctx, ast.Store)]
    bound = Counter(
        [
            *(node.id for node in stored),
            *(node.arg for node in tree.nodes(ast.arg)),
            *(node.name for node in (*tree.functions, *classes)),
        ]
    )
    members = {
        *(node.attr for node in attributes if isinstance(node.ctx, ast.Store)),
        *(node.id for node in stored if isinstance(scopes.scope_of(node), ast.ClassDef)),
        *(node.name for node in tree.functions if isinstance(tree.parents[node], ast.ClassDef)),
    }
    return (
        all(type(node).__name__ in _SYNTAX for node in tree.subtree(tree.root))
        and all(_is_plain_import(file, node) for node in imports)
        and all(_is_plain_class(file, node) and bound[node.name] == 1 for node in classes)
        and all(
            isinstance(tree.parents[node], (ast.Module, ast.ClassDef))
            and all(text_of(item) in _DECORATORS for item in node.decorator_list)
            for node in tree.functions
        )
        and all(
            item.optional_vars is None
            and isinstance(item.context_expr, ast.Call)
            and scopes.callee(item.context_expr) in _CONTEXTS
            for item in tree.nodes(ast.withitem)
        )
        # What has a name from elsewhere is what has this name there.
        and {*dir(builtins), *scopes.imports}.isdisjoint(bound)
        and members.isdisjoint(_RELIED_ON)
        and not any(name.startswith("__") for name in members.union(bound) - {"__init__"})
        and {node.id for node in names} <= {*bound, *scopes.imports, *_BUILTINS}
        and {node.arg for node in tree.nodes(ast.keyword)} <= _WORDS.union(bound)
        and all(
            node.attr in (_KNOWN if scopes.full_name(node) else _KNOWN | members)
            and (
                isinstance(node.ctx, ast.Load)
                or (
                    isinstance(node.value, ast.Name)
                    and file.definitions.class_of_self(node.value) is not None
                )
            )
            for node in attributes
        )
        # In a worker, errors and what is printed may be lost: a collate function would be the seventh argument.
        and all(len(call.args) < 7 for call in tree.calls)
        and not (file.project and file.project.is_used_elsewhere(file.source.name))
    )


def _is_plain_class(file: SourceFile, node: ast.ClassDef) -> bool:
    """Whether this is a class without magic, and a base class is one of the file or nn.Module."""
    return (
        isinstance(file.tree.parents[node], ast.Module)
        and not node.decorator_list
        and not node.keywords
        and all(
            file.definitions.find_class(base) or file.scopes.full_name(base) == library_names.NN_MODULE
            for base in node.bases
        )
    )


def _is_plain_import(file: SourceFile, node: ast.Import | ast.ImportFrom) -> bool:
    """Whether all that an import binds is known, and is what its name means in the whole file."""
    prefix = "" if isinstance(node, ast.Import) else f"{'.' * node.level}{node.module}."
    return file.tree.parents[node] is file.tree.root and all(
        (f"{prefix}{alias.name}" in _MODULES or (prefix[:-1] in _MODULES and alias.name in _WORDS))
        and f"{prefix}{alias.name}.".startswith(
            f"{file.scopes.imports[alias.asname or alias.name.partition('.')[0]]}."
        )
        for alias in node.names
    )
