"""Models that are evaluated in training mode, or trained in evaluation mode. A part of O5."""

import ast
from collections.abc import Iterator

from dpkb.lint.classes import ClassInfo
from dpkb.lint.edits import add_argument
from dpkb.lint.evaluation import (
    evaluates,
    find_first_mode_call,
    find_mode_calls,
    has_mode_layers,
    is_wrapped_by,
    may_depend_on_mode,
    may_switch_any_model,
)
from dpkb.lint.gradients import (
    NO_GRAD,
    block_switches_gradients,
    graph_is_dropped,
    has_gradients,
    is_without_gradients,
    switches_gradients,
    wants_gradients,
)
from dpkb.lint.models import (
    class_may_be_nn_module,
    find_first_model_call,
    find_model_run_by,
    find_nn_module_classes,
    runs_of,
)
from dpkb.lint.nodes import (
    FUNCTIONS,
    Function,
    as_constant,
    find_argument,
    find_receiver,
    group,
    has_unknown_arguments,
    self_name,
    text_of,
)
from dpkb.lint.phase_names import is_test_file, is_test_function, is_training_name
from dpkb.lint.source_file import Certainty, Edit, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import find_training_blocks, find_training_steps

_MODE_SWITCHES = ("train_mode", "training_mode", "set_mode", "set_training_mode", "Trainer", "Accelerator")
# A file that mentions none of these does not train.
_TRAINING_WORDS = ("backward", "manual_backward", "Trainer", "fit", "optimizer", "optim", "zero_grad")
# A file that mentions none of these reads no weights from disk: it copies them from another of its models.
_LOADING_FUNCTIONS = ("load", "load_file", "load_url", "load_state_dict_from_url", "safe_open")
_DROPOUT_FUNCTIONS = tuple(
    f"torch.nn.functional.{name}"
    for name in ("dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout", "dropout1d")
)
_DROPOUT_LAYERS = tuple(
    f"torch.nn.{name}" for name in ("Dropout", "Dropout2d", "Dropout3d", "AlphaDropout", "Dropout1d")
)


def find_train_in_evaluation(file: SourceFile) -> Findings:
    """model.train() under no_grad(), in a function that has called model.eval()."""
    for call in file.scopes.method_calls("train"):
        function, model = file.tree.function_of(call), text_of(find_receiver(call))
        if call.args or call.keywords or function is None or not is_without_gradients(file, call):
            continue
        loops = [loop for loop in file.tree.loops_around(call) if is_without_gradients(file, loop)]
        switch = file.tree.first(file.scopes.calls_on(model, "eval"), function)
        if (
            loops
            and _last_run(file, loops[0], model) > call.lineno
            and switch is not None
            and switch.lineno < call.lineno
        ):
            yield file.finding(
                "O5",
                call,
                Certainty.LIKELY,
                f"`{text_of(call)}` undoes the eval() before it: `{model}` is evaluated in training mode",
                "leave it out here, and call it after the evaluation",
            )


@once_per_file
def _last_run(file: SourceFile, loop: ast.AST, model: str) -> int:
    """The line of the last model(...) in a loop; 0 for none."""
    calls = file.tree.within(loop, ast.Call)
    return max((call.lineno for call in calls if text_of(call.func) == model), default=0)


def find_validation_without_eval(file: SourceFile) -> Findings:
    """An evaluation that runs the model, in a file that trains and never calls eval()."""
    if _modes_are_unknown(file) or any(
        "eval" in node.attr and "evaluat" not in node.attr and not _is_of_own_model(file, node)
        for node in file.tree.nodes(ast.Attribute)
    ):
        return
    if not has_mode_layers(file) and not any(
        file.tree.loops_around(training.backward) or _is_called_in_loop(file, training.block)
        for training in find_training_steps(file)
    ):
        return
    seen: set[ast.AST] = set()
    for node, place in _evaluations(file):
        model = find_model_run_by(file, node)
        if (
            model is not None
            and seen.isdisjoint([node, *file.tree.parents_of(node)])
            and not find_first_mode_call(file, node, "eval")
            and may_depend_on_mode(file, model)
        ):
            seen.add(node)
            yield file.finding(
                "O5",
                place,
                Certainty.LIKELY,
                f"runs `{text_of(model)}` in training mode, since nothing here calls eval(): dropout is on, and "
                "BatchNorm updates its statistics",
                f"`{text_of(model)}.eval()` before it, `{text_of(model)}.train()` after it",
            )


def _is_of_own_model(file: SourceFile, node: ast.Attribute) -> bool:
    """Whether a function of another file puts a model that it creates itself into evaluation mode."""
    return (
        file.tree.part_of(node) is not None
        and isinstance(node.value, ast.Name)
        and not any(isinstance(binding.node, ast.arg) for binding in file.scopes.bindings(node.value))
    )


def _is_called_in_loop(file: SourceFile, block: ast.AST) -> bool:
    """Whether a function is called in a loop, or in a function that is."""
    calls = file.scopes.calls_by_name.get(getattr(block, "name", ""), ())
    return any(file.tree.loops_around(call) for call in calls)


def _evaluations(file: SourceFile) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Functions and loops over data that evaluate by their names, each with the place to report."""
    for function in file.tree.functions:
        if (
            not _is_in_model(file, function)
            and evaluates(file, function)
            and (switches_gradients(file, function) or _only_reads(file, function))
        ):
            yield function, _no_grad_node(file, function) or function
    training_blocks: set[ast.AST] = {*find_training_blocks(file)}
    around_training = {parent for block in training_blocks for parent in file.tree.parents_of(block)}
    for loop in file.tree.nodes(ast.For):
        if (
            not _is_in_model(file, loop)
            and is_training_name(text_of(loop.iter)) is False
            and loop not in around_training
            and (
                training_blocks.isdisjoint([loop, *file.tree.parents_of(loop)])
                or file.tree.mentions(loop, *NO_GRAD)
            )
        ):
            with_block = file.tree.enclosing(loop, ast.With)
            is_under_no_grad = (
                with_block and block_switches_gradients(with_block) and is_without_gradients(file, loop)
            )
            yield loop, with_block if with_block and is_under_no_grad else loop


def _only_reads(file: SourceFile, function: Function) -> bool:
    """Whether a function only reads the output of a model with dropout or BatchNorm, outside of training."""
    call = find_first_model_call(file, function, into_helpers=False)
    if (
        call is None
        or wants_gradients(file, function)
        or not graph_is_dropped(file, function, call, strict=True)
    ):
        return False
    kinds = [kind for kind in file.values.types(call.func) if isinstance(kind, ClassInfo)]
    return any(has_mode_layers(kind.file) for kind in kinds) and not any(
        file.tree.mentions(file.tree.block_of(other), "backward") and file.tree.function_of(other) is not None
        for other in file.scopes.calls_by_name.get(function.name, ())
    )


def _modes_are_unknown(file: SourceFile) -> bool:
    """Whether models may change their mode in another way than model.eval(): a helper, train(False) ..."""
    return (
        may_switch_any_model(file)
        or file.tree.mentions(file.tree.root, *_MODE_SWITCHES)
        or any(
            as_constant(find_argument(call, "mode", 0)) is False for call in file.scopes.method_calls("train")
        )
    )


def _is_in_model(file: SourceFile, node: ast.AST) -> bool:
    """Whether a node is in a method of a model, or of a class of a library: the code that uses it sets the mode."""
    owner = file.definitions.class_of(node)
    return owner is not None and (owner.has_unknown_base or class_may_be_nn_module(owner))


def _no_grad_node(file: SourceFile, function: Function) -> ast.AST | None:
    """The first `with torch.no_grad()`, or the loop that it is in."""
    for node in file.tree.within(function, ast.With):
        if block_switches_gradients(node):
            return next(iter(file.tree.loops_around(node)[::-1]), node)
    return None


def find_model_without_eval(file: SourceFile) -> Findings:
    """A function that calls a.eval(), and also runs b, which is still in training mode."""
    if _modes_are_unknown(file):
        return
    switched = {name for name, _ in find_mode_calls(file, file.tree.root, "eval")}
    trained = {name for name, _ in find_mode_calls(file, file.tree.root, "train")}
    names = group(
        (parent, name)
        for name in sorted(trained - switched)
        for parent in {p for call in runs_of(file, file.tree.root, name) for p in file.tree.parents_of(call)}
    )
    for function in file.tree.functions:
        switch = find_first_mode_call(file, function, "eval")
        if (
            switch is None
            or find_first_mode_call(file, function, "train")
            or file.tree.mentions(function, "backward")
        ):
            continue
        for name in names[function]:
            run = next((call for call in runs_of(file, function, name) if call.lineno > switch.lineno), None)
            if run and not is_wrapped_by(file, name, switched) and may_depend_on_mode(file, run.func):
                model = text_of(find_receiver(switch))
                yield file.finding(
                    "O5",
                    run,
                    Certainty.LIKELY,
                    f"`{name}` is still in training mode here: only `{model}.eval()` is called",
                    f"`{name}.eval()` beside `{model}.eval()`",
                )


def find_evaluation_while_training(file: SourceFile) -> Findings:
    """A training loop calls a function that evaluates, and neither of them calls eval()."""
    if _modes_are_unknown(file):
        return
    if not find_first_mode_call(file, file.tree.root, "eval"):
        return  # find_validation_without_eval() reports such a file
    for function in file.tree.functions:
        if not evaluates(file, function) or "step" in function.name or _is_in_model(file, function):
            continue
        model = find_model_run_by(file, function, into_helpers=False) or _parameter_run_by(file, function)
        callers = {
            file.tree.block_of(call)
            for call in file.definitions.find_calls_of(function)
            if not file.tree.is_inside(call, function)
        }
        if (
            model is not None
            and callers
            and all(_trains(file, caller) and not _may_switch(file, caller) for caller in callers)
            and may_depend_on_mode(file, model)
            and not any(
                _may_switch(file, tree)
                for tree in (function, *file.definitions.find_called_functions(function))
            )
        ):
            yield file.finding(
                "O5",
                function,
                Certainty.LIKELY,
                f"`{function.name}` runs `{text_of(model)}` in the mode of the training that calls it",
                f"`{text_of(model)}.eval()` at its start, `{text_of(model)}.train()` after it",
            )


def _parameter_run_by(file: SourceFile, function: Function) -> ast.expr | None:
    """A parameter that the function runs, and for which the file calls eval() or train() somewhere."""
    return next(
        (
            call.func
            for name in sorted(parameter.arg for parameter in file.scopes.parameters(function))
            if any(find_first_mode_call(file, file.tree.root, switch, name) for switch in ("eval", "train"))
            for call in file.tree.within(function, ast.Call)
            if text_of(call.func) == name or text_of(find_receiver(call)) == name
        ),
        None,
    )


def _trains(file: SourceFile, tree: ast.AST) -> bool:
    """Whether this code puts a model into training mode and computes gradients."""
    return file.tree.mentions(tree, "backward") and bool(find_first_mode_call(file, tree, "train"))


@once_per_file
def _may_switch(file: SourceFile, tree: ast.AST) -> bool:
    return any(
        "eval" in word.lower() and "evaluat" not in word.lower() and word.lower() != "evals"
        for word in (node.attr for node in file.tree.within(tree, ast.Attribute))
    )


def find_loaded_without_eval(file: SourceFile) -> Findings:
    """A program that never trains loads weights and predicts, without a call of eval() on the model."""
    tree = file.tree.root
    if (
        _modes_are_unknown(file)
        or is_test_file(file)
        or file.tree.mentions(tree, *_TRAINING_WORDS)
        or not file.tree.mentions(tree, *_LOADING_FUNCTIONS)
    ):
        return
    switched = {name for name, _ in find_mode_calls(file, tree, "eval")}
    trained = dict(find_mode_calls(file, tree, "train"))
    if not switched and _may_switch(file, tree):
        return
    for call in file.scopes.method_calls("load_state_dict"):
        model, block = find_receiver(call), file.tree.block_of(call)
        name, origins = text_of(model), frozenset(file.values.origins(model))
        if (
            isinstance(model, (ast.Name, ast.Attribute))
            and may_depend_on_mode(file, model)
            and not _may_be_switched(file, call, model, switched)
            and not (isinstance(block, FUNCTIONS) and is_test_function(file, block))
            # Otherwise dropout is on purpose.
            and (not trained or (name in trained and "dropout" not in text_of(block).lower()))
            and _is_used(file, name, block, file.definitions.class_of(model), origins)
        ):
            yield file.finding(
                "O5",
                trained.get(name, call),
                Certainty.LIKELY,
                f"`{name}` predicts in training mode, since nothing calls eval() after loading: dropout is "
                "on, and BatchNorm uses the statistics of the batch",
                f"`{name}.eval()` " + ("instead" if trained else "after this line"),
            )


def _may_be_switched(file: SourceFile, call: ast.Call, model: ast.expr, switched: set[str]) -> bool:
    """Whether eval() may be called on the loaded model, on a model around it, or in the file of its class."""
    name, owner = text_of(model), file.definitions.class_of(call)
    return (
        name == "self"
        or name in switched
        or is_wrapped_by(file, name, switched)
        or (owner is not None and (class_may_be_nn_module(owner) or bool(switched)))
        or any(
            kind.file.scopes.method_calls("eval")
            for kind in file.values.types(model)
            if isinstance(kind, ClassInfo)
        )
    )


@once_per_file
def _is_used(
    file: SourceFile, name: str, block: ast.AST, owner: ClassInfo | None, origins: frozenset[ast.expr]
) -> bool:
    """Whether the loaded model predicts: in this block, in the same class, or in a function that gets it."""
    by_text, by_origin = _runs_by_model(file)
    runs = [
        call
        for call, model in by_text[name]
        if file.tree.block_of(call) is block
        or (isinstance(model, ast.Attribute) and file.definitions.class_of(call) is owner)
    ]
    runs += [call for origin in origins for call in by_origin[origin]]
    return any(
        not has_gradients(file, call) or graph_is_dropped(file, file.tree.block_of(call), call, strict=False)
        for call in runs
    )


@once_per_file
def _runs_by_model(
    file: SourceFile,
) -> tuple[dict[str, list[tuple[ast.Call, ast.expr]]], dict[ast.expr, list[ast.Call]]]:
    """The text of what is run -> the calls, each with the model; and the origin of a name -> its calls."""
    runs: list[tuple[ast.Call, ast.expr]] = []
    for call in file.tree.calls:
        model = find_receiver(call)
        is_method = model is not None and runs_of(file, call, text_of(model))[:1] == [call]
        runs.append((call, model if model is not None and is_method else call.func))
    by_origin = group(
        (origin, call)
        for call, model in runs
        if isinstance(model, ast.Name)
        for origin in file.values.origins(model)
    )
    named = [run for run in runs if isinstance(run[0].func, (ast.Name, ast.Attribute))]
    return group((text_of(model), (call, model)) for call, model in named), by_origin


def find_missing_train(file: SourceFile) -> Findings:
    """eval() in the training loop, or in a function that it calls, but train() only before the loop."""
    for training in find_training_steps(file):
        loops = [training.block, *file.tree.loops_around(training.block)]
        if len(loops) < 2 and not isinstance(training.block, ast.For):
            continue
        for call in _evals_reached_from(file, loops[-1]):
            model = find_receiver(call)
            name = text_of(model)
            # The innermost of the loops that evaluates: train() has to be called in the same loop.
            loop, place = next(
                ((loop, place) for loop in loops if (place := _place_in_loop(file, call, loop)) is not None),
                (None, None),
            )
            trains, functions = _trains_of(file, name)
            function = file.tree.function_of(call)
            if (
                loop is not None
                and place is not None
                and not call.args
                and isinstance(model, (ast.Name, ast.Attribute))
                and may_depend_on_mode(file, model)
                and not _leaves(file, place, loop)
                and _passes_on(file, training.block, name)
                and not file.tree.first(trains, loop)
                and functions.isdisjoint(_functions_called_in(file, loop))
                # Unless the evaluation and train() are in one function, and the training is in another.
                and (function not in functions or function is file.tree.function_of(training.block))
            ):
                yield file.finding(
                    "O5",
                    place,
                    Certainty.LIKELY,
                    f"nothing calls `{name}.train()` again in the loop, so training goes on in eval "
                    "mode after the first evaluation",
                    f"`{name}.train()` after it",
                )


@once_per_file
def _functions_called_in(file: SourceFile, loop: ast.AST) -> dict[Function, ast.Call]:
    """Each function of the file that a loop calls -> its first call there."""
    calls = [
        call for call in file.tree.within(loop, ast.Call) if isinstance(call.func, (ast.Name, ast.Attribute))
    ]
    functions = ((file.definitions.find_function(call.func), call) for call in reversed(calls))
    return {function: call for function, call in functions if function is not None}


def _evals_reached_from(file: SourceFile, loop: ast.AST) -> list[ast.Call]:
    """The calls of eval() in a loop, and in the functions that it calls."""
    calls = file.scopes.calls_by_name.get("eval", [])
    return [
        *file.tree.select(calls, loop),
        *(
            call
            for function in _functions_called_in(file, loop)
            for call in file.tree.select(calls, function)
            if file.tree.function_of(call) is function and not file.tree.is_inside(call, loop)
        ),
    ]


@once_per_file
def _passes_on(file: SourceFile, block: ast.AST, model: str) -> bool:
    """Whether a block calls a model, or gives it to a function."""
    parents = ((node, file.tree.parents[node]) for node in file.tree.named(model, block))
    return any(
        isinstance(call, ast.Call) and (call.func is node or node in call.args) for node, call in parents
    )


@once_per_file
def _trains_of(file: SourceFile, model: str) -> tuple[list[ast.Call], set[Function | None]]:
    """The calls of model.train(), and the functions around them."""
    calls = _trains_by_model(file)[model]
    return calls, {file.tree.function_of(call) for call in calls}


@once_per_file
def _trains_by_model(file: SourceFile) -> dict[str, list[ast.Call]]:
    """The text of a model -> its calls of train(), also those of model.to(device).train()."""
    return group((_without_moves(find_receiver(call)), call) for call in file.scopes.method_calls("train"))


def _without_moves(node: ast.expr | None) -> str:
    """The text of a model without the methods called on it: `model` for `model.to(device)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return text_of(node)


def _leaves(file: SourceFile, place: ast.AST, loop: ast.AST) -> bool:
    """Whether the loop ends after the evaluation."""
    for node in (place, *file.tree.parents_of(place)):
        if node is loop:
            return False
        if any(
            isinstance(statement, (ast.Break, ast.Return, ast.Raise)) or "exit(" in text_of(statement)
            for statement in [node, *file.tree.statements_around(node)[1]]
        ):
            return True
    return False


def _place_in_loop(file: SourceFile, call: ast.Call, loop: ast.AST) -> ast.AST | None:
    """The place in a loop at which a call happens: the call itself, or a call of its function."""
    if file.tree.is_inside(call, loop):
        return call
    function = file.tree.function_of(call)
    return _functions_called_in(file, loop).get(function) if function else None


def find_dropout_in_evaluation(file: SourceFile) -> Findings:
    """Dropout that stays on when the model is evaluated."""
    for info in find_nn_module_classes(file):
        methods = [
            method
            for name, method in info.methods.items()
            if not method.decorator_list and name != "__init__" and not is_training_name(name)
        ]
        for call in (call for method in methods for call in file.tree.within(method, ast.Call)):
            callee = file.scopes.callee(call)
            if any("training" in text_of(test.test) for test, _ in file.tree.guards(call)):
                continue
            if (
                callee in _DROPOUT_FUNCTIONS
                and find_argument(call, "training", 2) is None
                and "always" not in file.line_of(call)  # a comment: it is meant to stay on
                and (not has_unknown_arguments(call))
            ):
                yield file.finding(
                    "O5",
                    call,
                    Certainty.LIKELY,
                    f"`{text_of(call.func)}` drops values in eval mode as well: training=True is its default",
                    f"pass training=self.training to `{text_of(call.func)}`",
                    [_add_training(file, call)],
                )  # to estimate how sure a model is, some programs keep dropout on
            elif isinstance(call.func, ast.Call) and file.scopes.callee(call.func) in _DROPOUT_LAYERS:
                yield file.finding(
                    "O5",
                    call,
                    Certainty.CERTAIN,
                    "a Dropout created here is always in training mode: eval() never reaches it",
                    "create the layer in __init__",
                )
            elif callee == "torch.nn.functional.scaled_dot_product_attention":
                probability = find_argument(call, "dropout_p", 4)
                if isinstance(probability, ast.Constant) and probability.value:
                    yield file.finding(
                        "O5",
                        call,
                        Certainty.CERTAIN,
                        "dropout_p also applies in eval mode",
                        "pass `dropout_p=self.dropout if self.training else 0.0`",
                    )


def _add_training(file: SourceFile, call: ast.Call) -> Edit | None:
    """The edit that adds training=self.training; None in a nested function, whose `self` may be another."""
    method = file.tree.scope_of(call)
    if not isinstance(method, FUNCTIONS) or file.definitions.class_of_method(method) is None:
        return None
    name = self_name(method)
    return (
        add_argument(file, call, f"training={name}.training")
        if len(file.scopes.bindings_in(method, name)) == 1
        else None
    )
