"""N4: graphs that are kept alive from step to step."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.classes import type_is_a
from dpkb.lint.edits import insert_after
from dpkb.lint.evaluation import find_mode_calls
from dpkb.lint.gradients import NO_GRAD, has_gradients, is_without_gradients
from dpkb.lint.models import looks_like_model
from dpkb.lint.nodes import (
    FUNCTIONS,
    Function,
    MethodCall,
    find_receiver,
    is_method_call,
    names_in,
    root_name,
    text_of,
)
from dpkb.lint.scopes import Variable
from dpkb.lint.source_file import Certainty, Edit, Finding, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import TrainingStep, find_training_steps

LOOKS_FOR = "total_loss += loss, losses.append(loss), a list of outputs of a model, hooks added in a loop."

# Methods and attributes that return the value of a loss without its graph.
_DETACHING_METHODS = ("item", "detach", "data", "numpy", "tolist")


def check(file: SourceFile) -> Findings:
    yield from _find_kept_losses(file)
    yield from _find_returned_losses(file)
    yield from _find_sums_in_evaluation(file)
    yield from _find_kept_outputs(file)
    yield from _find_hooks_in_loops(file)


def _find_kept_losses(file: SourceFile) -> Findings:
    """A loss on which backward() is called, kept from step to step."""
    for training in find_training_steps(file):
        backward = training.calls("backward")
        losses = {_backward_name(call) for call in backward} - {""}
        receivers, arguments = _texts_of_calls(backward)
        losses |= _terms_of(file, training.block, losses)
        for node in ast.walk(training.block) if losses else ():
            kept, total = _value_kept_by_meter(file, node) or _kept_value(node)
            loss = _name_with_graph(kept)
            if (
                loss is not None
                and loss.id in losses
                and total
                and not (
                    total in losses
                    or total in receivers
                    or total in arguments
                    or _is_reset_in_loop(file, training.block, total, always=True)
                    or is_without_gradients(file, node)
                    or loss.id in _detached_names(file, training.block)
                )
            ):
                # detach() and not item(): it stays a tensor, so that the code that reads the sum still works.
                edit = insert_after(loss, ".detach()") if kept is loss else None
                is_reset = _is_reset_in_loop(file, training.block, total)
                yield _kept_loss_finding(file, node, loss.id, total, is_reset, edit)


def _kept_loss_finding(
    file: SourceFile, node: ast.AST, loss: str, total: str, is_reset: bool, edit: Edit | None
) -> Finding:
    does = (
        "keeps the graph of every step in"
        if isinstance(node, ast.Call)
        else "adds the graph of every step to"
    )
    until = " until it starts again at zero" if is_reset else ""
    return file.finding(
        "N4",
        node,
        Certainty.HINT if is_reset else Certainty.CERTAIN,
        f"`{text_of(node)}` {does} `{total}`, so memory grows{until}",
        f"`{loss}.item()`, or `{loss}.detach()` to stay on the device",
        [edit],
    )


def _name_with_graph(value: ast.expr | None) -> ast.Name | None:
    """The name whose graph an expression keeps: loss in `loss * n`, `loss / n`, `loss.mean()`."""
    while value is not None and not isinstance(value, ast.Name):
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div)):
            # batch_size * loss
            is_right = (
                isinstance(value.op, ast.Mult)
                and "loss" in text_of(value.right).lower()
                and ("loss" not in text_of(value.left).lower())
            )
            value = value.right if is_right else value.left
        elif is_method_call(value, "mean", "sum", "cpu", "clone", "squeeze", "view"):
            value = value.func.value
        else:
            return None
    return value


def _terms_of(file: SourceFile, loop: ast.AST, losses: set[str]) -> set[str]:
    """The losses whose sum backward() is called on: loss = ce_loss + 0.1 * kl_loss."""
    return {
        name.id
        for assign in file.tree.within(loop, ast.Assign)
        if isinstance(assign.value, ast.BinOp)
        and any(isinstance(target, ast.Name) and target.id in losses for target in assign.targets)
        for name in file.tree.within(assign.value, ast.Name)
        if "loss" in name.id.lower()
    }


def _find_returned_losses(file: SourceFile) -> Findings:
    """total += train_step(batch), if train_step calls backward() and returns the loss with its graph."""
    for training in find_training_steps(file):
        function = training.block
        if isinstance(function, FUNCTIONS):
            for index in _returned_loss_places(file, training, function):
                for call in file.definitions.find_calls_of(function):
                    yield from _find_kept_results(file, call, index)


def _returned_loss_places(
    file: SourceFile, training: TrainingStep, function: Function
) -> Iterator[int | None]:
    """The index of each loss that a function returns with its graph in a tuple; None for the loss alone."""
    losses = {_backward_name(call) for call in training.calls("backward")}
    for node in file.tree.within(function, ast.Return):
        items = enumerate(node.value.elts) if isinstance(node.value, ast.Tuple) else [(None, node.value)]
        for index, item in items:
            loss = _name_with_graph(item)
            if loss is not None and loss.id in losses and loss.id not in _detached_names(file, function):
                yield index


def _find_kept_results(file: SourceFile, call: ast.Call, index: int | None) -> Findings:
    """The places in the loop around a call that keep its result, or the item of it at this index."""
    loops = file.tree.loops_around(call)
    statement = file.tree.statement_of(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
    if index is not None:
        items = target.elts if isinstance(target, ast.Tuple) else []
        target = items[index] if index < len(items) else None
    for node in file.tree.within(loops[0], ast.AugAssign, ast.Assign, ast.Call) if loops else []:
        kept, total = _kept_value(node)
        value = _name_with_graph(kept)
        same = isinstance(target, ast.Name) and value is not None and value.id == target.id
        if (
            (same or (kept is call and index is None))
            and total
            and not (
                _is_reset_in_loop(file, loops[0], total)
                or is_without_gradients(file, node)
                or (same and text_of(target) in _detached_names(file, loops[0]))
            )
        ):
            yield file.finding(
                "N4",
                node,
                Certainty.LIKELY,
                f"`{text_of(call.func)}` returns the loss with its graph, and `{total}` keeps every graph",
                "return loss.item(), or loss.detach() to stay on the device",
            )


def _find_sums_in_evaluation(file: SourceFile) -> Findings:
    """model.eval(), then total += loss in a loop, with gradients on."""
    if not file.scopes.method_calls("eval"):
        return
    receivers, arguments = _texts_of_calls(file.scopes.method_calls("backward"))
    for node in [*file.tree.nodes(ast.AugAssign), *file.tree.nodes(ast.Assign)]:
        kept, target = _kept_value(node)
        value = _name_with_graph(kept)
        loops = file.tree.loops_around(node)
        if (
            value is None
            or not loops
            or file.tree.mentions(loops[0], *NO_GRAD, "backward", "grad", "autograd")
        ):
            continue
        by_node = _values_by_node(file, file.scopes.bindings(value))
        values = [by_node[item] for item in file.tree.select(list(by_node), loops[0])]
        scope = file.tree.block_of(node)
        if (
            values
            and all(_is_loss_of_model(file, item) for item in values)
            and all(has_gradients(file, item) for item in values if isinstance(item, ast.Call))
            and not _is_reset_in_loop(file, loops[0], target)
            and target not in receivers
            and target not in arguments
            and not (isinstance(scope, FUNCTIONS) and file.tree.mentions(scope, *NO_GRAD, "grad"))
            and any(
                switch.lineno < node.lineno and file.tree.block_of(switch) is scope
                for _, switch in find_mode_calls(file, scope, "eval")
            )
        ):
            yield file.finding(
                "N4",
                node,
                Certainty.LIKELY,
                f"`{text_of(node)}` keeps the graph of every batch",
                "evaluate under torch.no_grad(), or add loss.item()",
            )


@once_per_file
def _values_by_node(file: SourceFile, variable: Variable) -> dict[ast.AST, ast.expr | None]:
    """Where a variable gets its values, in the order of the text."""
    values = {binding.node: binding.value for binding in variable}
    return {node: values[node] for node in file.tree.sort(values)}


def _is_loss_of_model(file: SourceFile, value: ast.expr | None) -> bool:
    """Whether a value is a loss of the output of a model: `criterion(model(x), y)`."""
    return (
        isinstance(value, ast.Call)
        and (
            "loss" in text_of(value.func).lower()
            or "criteri" in text_of(value.func).lower()
            or file.scopes.callee(value).startswith("torch.nn.functional.")
        )
        and any(_calls_model(file, origin) for item in value.args for origin in file.values.origins(item))
    )


def _find_kept_outputs(file: SourceFile) -> Findings:
    """Outputs of a model that are appended to a list, with their graphs."""
    for call in file.scopes.method_calls("append"):
        loops = file.tree.loops_around(call)
        owner = file.definitions.class_of(call)
        if (
            not loops
            or len(call.args) != 1
            or is_without_gradients(file, call)
            or any(_is_reset_in_loop(file, loop, text_of(find_receiver(call))) for loop in loops)
            # In a module, forward() may collect outputs that it returns.
            or (owner is not None and owner.is_a(library_names.NN_MODULE))
        ):
            continue
        value = call.args[0]
        if _is_output_of_step(file, call, value, loops[0]):
            yield file.finding(
                "N4",
                call,
                Certainty.LIKELY,
                f"`{text_of(call)}` keeps the graph of every step",
                f"append `{text_of(value)}.detach()`",
                [insert_after(value, ".detach()")],
            )
        elif _is_output(file, value) and not file.tree.mentions(
            file.tree.scope_of(call), "no_grad", "inference_mode", "backward", "set_grad_enabled", "grad"
        ):
            yield file.finding(
                "N4",
                call,
                Certainty.LIKELY,
                f"`{text_of(call)}` keeps the graph and the activations of every step",
                "evaluate under torch.no_grad(), or append value.detach() or value.item()",
            )


def _is_output_of_step(file: SourceFile, call: ast.Call, value: ast.expr, loop: ast.AST) -> bool:
    """Whether a value is an output of the model that a loop trains, and the list that gets it only grows."""
    training = next((training for training in find_training_steps(file) if training.block is loop), None)
    target = find_receiver(call)
    if (
        training is None
        or not isinstance(value, ast.Name)
        or not isinstance(target, (ast.Name, ast.Attribute))
        or value.id == _backward_name(training.backward)
    ):
        return False
    bindings = file.scopes.bindings(value)
    if not bindings or not all(
        file.tree.is_inside(item.node, loop) and _calls_model(file, item.value) for item in bindings
    ):
        return False
    uses = [
        node for node in file.tree.within(loop, ast.Name, ast.Attribute) if text_of(node) == text_of(target)
    ]
    return len(uses) == 1 and not any(
        isinstance(node, (ast.If, ast.With))
        for node in file.tree.parents_of(call)
        if file.tree.is_inside(node, loop)
    )


def _calls_model(file: SourceFile, value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and looks_like_model(file, value.func)


def _is_output(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value is the output of a model, also after methods that keep its graph."""
    while isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and not file.scopes.full_name(value.func):
            if value.func.attr in ("item", "detach", "tolist", "numpy", "argmax", "predict"):
                return False
            value = value.func.value
        else:
            kinds = file.values.types(value.func)
            if any((kind if isinstance(kind, str) else kind.name).endswith("Loss") for kind in kinds):
                return any(
                    _is_output(file, origin) for item in value.args for origin in file.values.origins(item)
                )
            # Only the class counts: an object with a call of eval() may be the model that is trained here.
            return any(type_is_a(kind, library_names.NN_MODULE) for kind in kinds)
    return False


def _find_hooks_in_loops(file: SourceFile) -> Findings:
    """register_forward_hook in a loop over steps or epochs, on the same module each time."""
    for call in file.scopes.method_calls(
        "register_forward_hook",
        "register_forward_pre_hook",
        "register_full_backward_hook",
        "register_backward_hook",
    ):
        loops = file.tree.loops_around(call)
        targets = {name for loop in loops if isinstance(loop, ast.For) for name in names_in(loop.target)}
        if (
            loops
            and isinstance(file.tree.parents.get(call), ast.Expr)
            and isinstance(loops[0], ast.For)
            and text_of(loops[0].iter).startswith("range(")
            and root_name(call.func) not in targets
            and not any(
                file.tree.is_inside(binding.node, loops[0])
                for name in file.tree.within(call.func, ast.Name)
                for binding in file.scopes.bindings(name)
            )
        ):
            yield file.finding(
                "N4",
                call,
                Certainty.LIKELY,
                "adds one more hook in each iteration; none is removed",
                "keep the handle, and call handle.remove() at the end of the iteration",
            )


def _backward_name(call: ast.Call) -> str:
    """ "loss" in loss.backward(), accelerator.backward(loss) and scaler.scale(loss).backward()."""
    value = find_receiver(call)
    if isinstance(value, ast.Name) and not call.args:
        return value.id
    if call.args and isinstance(call.args[0], ast.Name):
        return call.args[0].id
    if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Name):
        return value.args[0].id
    return ""


def _kept_value(node: ast.AST) -> tuple[ast.expr | None, str]:
    """The kept value, and the name of what keeps it: total += loss, losses.append(loss) ..."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        value = node.value
        is_item = isinstance(value, ast.List) and len(value.elts) == 1  # losses += [loss]
        return value.elts[0] if is_item else value, text_of(node.target)  # type: ignore[attr-defined]
    if (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Add)
    ):
        target = text_of(node.targets[0])
        if text_of(node.value.left) == target:
            return node.value.right, target
        if text_of(node.value.right) == target:
            return node.value.left, target
    if (
        is_method_call(node, "append")
        and len(node.args) == 1
        and isinstance(node.func.value, (ast.Name, ast.Attribute, ast.Subscript))
    ):
        return node.args[0], text_of(node.func.value)
    return None, ""


def _value_kept_by_meter(file: SourceFile, node: ast.AST) -> tuple[ast.expr | None, str] | None:
    """The kept loss in meter.update(loss, n), if update() of its class adds up the loss; else None."""
    if not is_method_call(node, "update", "add"):
        return None
    for kind in file.values.types(node.func.value):
        method = None if isinstance(kind, str) else kind.method(node.func.attr)
        if method is None or any(
            (isinstance(inner, ast.Attribute) and inner.attr in ("item", "detach", "data"))
            or (isinstance(inner, ast.Name) and inner.id == "float")
            for inner in ast.walk(method)
        ):
            continue
        for value, parameter in zip(node.args, method.args.args[1:], strict=False):
            sums = [
                _name_with_graph(inner.value)
                for inner in ast.walk(method)
                if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Attribute)
            ]
            if any(name is not None and name.id == parameter.arg for name in sums):
                return value, text_of(node.func.value)
    return None


def _texts_of_calls(calls: list[MethodCall]) -> tuple[str, set[str]]:
    """What backward() is called on, as one text, and all its arguments: a sum may be among them."""
    arguments = {text_of(argument) for call in calls for argument in call.args}
    return "\n".join(text_of(find_receiver(call)) for call in calls), arguments


def _is_reset_in_loop(file: SourceFile, loop: ast.AST, target: str, always: bool = False) -> bool:
    """Whether a loop sets a sum to its start value. always: in every iteration, not only under an if."""
    return target in _reset_in_loop(file, loop, always)


@once_per_file
def _reset_in_loop(file: SourceFile, loop: ast.AST, always: bool) -> set[str]:
    found: set[str] = set()
    todo: list[ast.AST] = [loop]
    for node in todo:
        if isinstance(node, ast.Assign):
            found |= {*map(text_of, node.targets)} - {text_of(inner) for inner in ast.walk(node.value)}
        if not (always and isinstance(node, ast.If)):
            todo += ast.iter_child_nodes(node)
    return found


@once_per_file
def _detached_names(file: SourceFile, loop: ast.AST) -> set[str]:
    """The losses that a loop replaces by their value: `loss = loss.item()` or `loss.detach()`."""
    return {
        target.id
        for assign in file.tree.within(loop, ast.Assign)
        for target in assign.targets
        if isinstance(target, ast.Name)
        and root_name(assign.value) == target.id
        and any(inner.attr in _DETACHING_METHODS for inner in file.tree.within(assign.value, ast.Attribute))
    }
