"""N4: graphs that are kept alive from step to step."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.edits import insert_after
from dpkb.lint.evaluation import NO_GRAD, directly_in, has_gradients, mode_calls
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module, type_is_a
from dpkb.lint.syntax import FUNCTIONS, receiver, root_name, text_of
from dpkb.lint.training import training_steps, without_gradients


def check(module: Module) -> Iterator[Finding]:
    """total_loss += loss, losses.append(loss), appended outputs of a model, hooks added in a loop."""
    yield from _losses(module)
    yield from _returned_losses(module)
    yield from _evaluation_sums(module)
    yield from _outputs(module)
    yield from _hooks(module)


def _losses(module: Module) -> Iterator[Finding]:
    """What backward() is called on, kept from step to step."""
    for training in training_steps(module):
        losses = {_backward_name(module, call) for call in training.calls("backward")} - {""}
        if not losses:
            continue
        parts = _parts_of(module, training.block, losses)
        for node in ast.walk(training.block):
            kept, target = _kept_by_meter(module, node) or _kept(node)
            value = _with_graph(kept)
            if value is None or value.id not in losses | parts or not target:
                continue
            if target in losses | parts or _is_backwarded(training.calls("backward"), target):
                continue
            if _reset_in_loop(training.block, target, always=True):
                continue
            if without_gradients(module, node):
                continue
            if _detached_before(module, training.block, node, value.id):
                continue
            # With detach() it stays a tensor: what reads the sum later still works.
            edit = insert_after(value, ".detach()") if isinstance(kept, ast.Name) else None
            what = (
                "adds the graph of every step" if not isinstance(node, ast.Call)
                else "keeps the graph of every step")
            assert isinstance(node, (ast.stmt, ast.expr))
            for_good = not _reset_in_loop(training.block, target)
            yield module.finding(
                "N4", node, Certainty.CERTAIN if for_good else Certainty.LIKELY,
                f"`{text_of(node)}` {what} to `{target}`, so memory grows" + (
                    "" if for_good else " until it starts again at zero"),
                f"`{value.id}.item()`, or `{value.id}.detach()` to stay on the device", [edit])


def _with_graph(value: ast.expr | None) -> ast.Name | None:
    """loss in loss, loss * n, loss / n, loss.mean(): what keeps its graph."""
    while value is not None and not isinstance(value, ast.Name):
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div)):
            # batch_size * loss
            is_right = isinstance(value.op, ast.Mult) and "loss" in text_of(value.right).lower() and (
                "loss" not in text_of(value.left).lower())
            value = value.right if is_right else value.left
        elif (
            isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
            and value.func.attr in ("mean", "sum", "cpu", "clone", "squeeze", "view")):
            value = value.func.value
        else:
            return None
    return value


def _parts_of(module: Module, loop: ast.AST, losses: set[str]) -> set[str]:
    """The losses that are added up to the one of backward(): loss = ce_loss + 0.1 * kl_loss."""
    found: set[str] = set()
    for assign in module.within(loop, ast.Assign):
        if isinstance(assign.value, ast.BinOp) and any(
            isinstance(target, ast.Name) and target.id in losses for target in assign.targets):
            found |= {name.id for name in module.within(assign.value, ast.Name) if "loss" in name.id.lower()}
    return found - losses


def _returned_losses(module: Module) -> Iterator[Finding]:
    """total += train_step(batch), where train_step calls backward() and returns the loss as it is."""
    for step in training_steps(module):
        function = step.block
        if not isinstance(function, FUNCTIONS):
            continue
        losses = {_backward_name(module, call) for call in step.calls("backward")} - {""}
        for node in module.within(function, ast.Return):
            items = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for index, item in enumerate(items):
                value = _with_graph(item)
                if value is None or value.id not in losses or _detached_before(
                        module, function, node, value.id):
                    continue
                at = index if isinstance(node.value, ast.Tuple) else None
                for call in module.calls_by_name.get(function.name, ()):
                    if module.function_named(call.func) is function:
                        yield from _kept_results(module, call, at)


def _kept_results(module: Module, call: ast.Call, index: int | None) -> Iterator[Finding]:
    """The places in the loop around a call that keep its result, or this item of it."""
    loops = module.loops_around(call)
    statement = module.statement_of(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
    if index is not None:
        items = target.elts if isinstance(target, ast.Tuple) else []
        target = items[index] if index < len(items) else None
    for node in module.within(loops[0], ast.AugAssign, ast.Assign, ast.Call) if loops else []:
        kept, total = _kept(node)
        value = _with_graph(kept)
        same = isinstance(target, ast.Name) and value is not None and value.id == target.id
        if (same or (kept is call and index is None)) and total and not (
                _reset_in_loop(loops[0], total) or without_gradients(module, node)
                or (same and _detached_before(module, loops[0], node, text_of(target)))):
            yield module.finding(
                "N4", node, Certainty.LIKELY,
                f"`{text_of(call.func)}` returns the loss with its graph, and `{total}` keeps each one",
                "return loss.item(), or loss.detach() to stay on the device")


def _evaluation_sums(module: Module) -> Iterator[Finding]:
    """model.eval(), then total += loss in a loop, with gradients on."""
    if not any(True for _ in module.method_calls("eval")):
        return
    for node in [*module.nodes(ast.AugAssign), *module.nodes(ast.Assign)]:
        kept, target = _kept(node)
        value = _with_graph(kept)
        loops = module.loops_around(node)
        if value is None or not loops or module.mentions(loops[0], *NO_GRAD, "backward", "grad", "autograd"):
            continue
        values = [item.value for item in module.bindings(value) if module.inside(item.node, loops[0])]
        scope = module.function_of(node) or module.source.tree
        if (
            values and all(_is_loss_of_model(module, item) for item in values)
            and all(has_gradients(module, item) for item in values if isinstance(item, ast.Call))
            and not _reset_in_loop(loops[0], target)
            and not _is_backwarded(list(module.method_calls("backward")), target)
            and not (isinstance(scope, FUNCTIONS) and module.mentions(scope, *NO_GRAD, "grad"))
            and any(switch.lineno < node.lineno and directly_in(module, switch, scope)
                    for _, switch in mode_calls(module, scope, "eval"))):
            yield module.finding(
                "N4", node, Certainty.LIKELY, f"`{text_of(node)}` keeps the graph of every batch",
                "evaluate under torch.no_grad(), or add loss.item()")


def _is_loss_of_model(module: Module, value: ast.expr | None) -> bool:
    """criterion(model(x), y), also with the output under a name."""
    return isinstance(value, ast.Call) and ("loss" in text_of(value.func).lower() or "criteri" in text_of(
        value.func).lower() or module.called(value).startswith("torch.nn.functional.")) and any(
        _calls_model(module, origin) for item in value.args for origin in module.origins(item))


def _outputs(module: Module) -> Iterator[Finding]:
    """Outputs of a model in a list, in a function that evaluates without no_grad."""
    for call in module.method_calls("append"):
        loops = module.loops_around(call)
        if not loops or len(call.args) != 1 or without_gradients(module, call):
            continue
        if any(_reset_in_loop(loop, text_of(receiver(call))) for loop in loops):
            continue
        owner = module.class_of(call)
        if owner is not None and owner.is_a(names.MODULE):
            continue  # its forward() collects what it returns
        value = call.args[0]
        if _is_output_of_step(module, call, value, loops[0]):
            yield module.finding(
                "N4", call, Certainty.LIKELY, f"`{text_of(call)}` keeps the graph of every step",
                f"append `{text_of(value)}.detach()`", [insert_after(value, ".detach()")])
        elif _is_output(module, value) and not module.mentions(
            module.scope_of(call), "no_grad", "inference_mode", "backward", "set_grad_enabled", "grad"):
            yield module.finding(
                "N4", call, Certainty.LIKELY,
                f"`{text_of(call)}` keeps the graph and the activations of every step",
                "evaluate under torch.no_grad(), or append value.detach() or value.item()")


def _is_output_of_step(module: Module, call: ast.Call, value: ast.expr, loop: ast.AST) -> bool:
    """An output of the model that the loop trains, kept in a list that only grows."""
    step = next((step for step in training_steps(module) if step.block is loop), None)
    target = receiver(call)
    if (
        step is None or not isinstance(value, ast.Name) or not isinstance(target, (ast.Name, ast.Attribute))
        or value.id == _backward_name(module, step.backward)):
        return False
    bindings = module.bindings(value)
    if not bindings or not all(module.inside(item.node, loop) and _calls_model(module, item.value)
                               for item in bindings):
        return False
    uses = [node for node in module.within(loop, ast.Name, ast.Attribute) if text_of(node) == text_of(target)]
    return len(uses) == 1 and not any(
        isinstance(node, (ast.If, ast.With)) for node in module.parents_of(call) if module.inside(node, loop))


def _calls_model(module: Module, value: ast.expr | None) -> bool:
    if not isinstance(value, ast.Call):
        return False
    kinds = module.types(value.func)
    if any((kind if isinstance(kind, str) else kind.name).endswith("Loss") for kind in kinds):
        return False
    return text_of(value.func) in ("model", "net", "self.model", "self.net") or any(
        type_is_a(kind, names.MODULE) for kind in kinds)


def _is_output(module: Module, value: ast.expr) -> bool:
    """model(x), or tensor methods of it, but no number."""
    while isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and not module.qualified(value.func):
            if value.func.attr in ("item", "detach", "tolist", "numpy", "argmax", "predict"):
                return False
            value = value.func.value
        else:
            kinds = module.types(value.func)
            if any((kind if isinstance(kind, str) else kind.name).endswith("Loss") for kind in kinds):
                return any(
                    _is_output(module, origin) for item in value.args for origin in module.origins(item))
            return any(type_is_a(kind, names.MODULE) for kind in kinds)
    return False


def _hooks(module: Module) -> Iterator[Finding]:
    """register_forward_hook in a loop over steps or epochs, on the same module each time."""
    for call in module.method_calls(
        "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
        "register_backward_hook"):
        loops = module.loops_around(call)
        if (
            not loops or not isinstance(module.parents.get(call), ast.Expr)
            or not isinstance(loops[0], ast.For)):
            continue
        targets = {
            node.id for loop in loops if isinstance(loop, ast.For) for node in ast.walk(loop.target)
            if isinstance(node, ast.Name)}
        bound = [
            binding.node for name in [node for node in ast.walk(call.func) if isinstance(node, ast.Name)]
            for binding in module.bindings(name)]
        if root_name(call.func) in targets or any(module.inside(node, loops[0]) for node in bound):
            continue
        if text_of(loops[0].iter).startswith("range("):
            yield module.finding(
                "N4", call, Certainty.LIKELY, "adds one more hook in each iteration; none is removed",
                "keep the handle, and call handle.remove() at the end of the iteration")


def _backward_name(module: Module, call: ast.Call) -> str:
    value = receiver(call)
    if isinstance(value, ast.Name) and not call.args:
        return value.id
    if call.args and isinstance(call.args[0], ast.Name):  # accelerator.backward(loss), engine.backward(loss)
        return call.args[0].id
    if (
        # scaler.scale(loss)
        isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Name)):
        return value.args[0].id
    return ""


def _kept(node: ast.AST) -> tuple[ast.expr | None, str]:
    """What is added to which name: total += loss, total = total + loss, losses.append(loss)."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        value = node.value
        is_item = isinstance(value, ast.List) and len(value.elts) == 1  # losses += [loss]
        return value.elts[0] if is_item else value, text_of(node.target)  # type: ignore[attr-defined]
    if (
        isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Add)):
        target = text_of(node.targets[0])
        if text_of(node.value.left) == target:
            return node.value.right, target
        if text_of(node.value.right) == target:
            return node.value.left, target
    if (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"
        and len(node.args) == 1 and isinstance(node.func.value, (ast.Name, ast.Attribute, ast.Subscript))):
        return node.args[0], text_of(node.func.value)
    return None, ""


def _kept_by_meter(module: Module, node: ast.AST) -> tuple[ast.expr | None, str] | None:
    """meter.update(loss, n), where a class of the files adds up what update() is given."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or (
            node.func.attr not in ("update", "add")):
        return None
    for kind in module.types(node.func.value):
        method = None if isinstance(kind, str) else kind.method(node.func.attr)
        if method is None or any(
                (isinstance(inner, ast.Attribute) and inner.attr in ("item", "detach", "data"))
                or (isinstance(inner, ast.Name) and inner.id == "float") for inner in ast.walk(method)):
            continue
        for value, parameter in zip(node.args, method.args.args[1:], strict=False):
            sums = [_with_graph(inner.value) for inner in ast.walk(method)
                    if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Attribute)]
            if any(name is not None and name.id == parameter.arg for name in sums):
                return value, text_of(node.func.value)
    return None


def _is_backwarded(calls: list[ast.Call], target: str) -> bool:
    """Whether backward() is called on the sum itself."""
    return any(
        target in (text_of(receiver(call)), *(text_of(argument) for argument in call.args))
        or target in text_of(receiver(call)) for call in calls)


def _reset_in_loop(loop: ast.AST, target: str, always: bool = False) -> bool:
    """The sum starts again at zero in each iteration; without always, also only in some of them."""
    todo: list[ast.AST] = [loop]
    for node in todo:
        if (isinstance(node, ast.Assign) and any(text_of(item) == target for item in node.targets)
                and target not in {text_of(inner) for inner in ast.walk(node.value)}):
            return True
        if not (always and isinstance(node, ast.If)):
            todo += ast.iter_child_nodes(node)
    return False


def _detached_before(module: Module, loop: ast.AST, node: ast.AST, name: str) -> bool:
    """loss = loss.item() or loss.detach() somewhere in the loop."""
    for assign in module.within(loop, ast.Assign):
        if any(isinstance(target, ast.Name) and target.id == name for target in assign.targets):
            words = {inner.attr for inner in ast.walk(assign.value) if isinstance(inner, ast.Attribute)}
            if (
                words & {"item", "detach", "data", "numpy", "tolist"}
                and root_name(assign.value) == name):
                return True
    return False
