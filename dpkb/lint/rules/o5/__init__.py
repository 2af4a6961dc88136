"""O5: evaluation in training mode, with gradients, or training in evaluation mode."""

from collections.abc import Iterator

from dpkb.lint.finding import Finding
from dpkb.lint.module import Module
from dpkb.lint.rules.o5.dropout import dropout
from dpkb.lint.rules.o5.gradients import (
    evaluating_call_with_gradients,
    evaluation_with_gradients,
    inference_with_gradients,
)
from dpkb.lint.rules.o5.modes import (
    evaluated_while_training,
    loaded_without_eval,
    never_back_to_train,
    one_of_two_models,
    train_in_evaluation,
    validation_without_eval,
)

LOOKS_FOR = "Dropout that ignores the mode, validation without eval(), and eval() that nothing takes back."


def check(module: Module) -> Iterator[Finding]:
    yield from dropout(module)
    yield from validation_without_eval(module)
    yield from never_back_to_train(module)
    yield from evaluation_with_gradients(module)
    yield from train_in_evaluation(module)
    yield from one_of_two_models(module)
    yield from evaluated_while_training(module)
    yield from loaded_without_eval(module)
    yield from inference_with_gradients(module)
    yield from evaluating_call_with_gradients(module)
