"""O5: evaluation in training mode, with gradients, or training in evaluation mode."""

from dpkb.lint.rules.o5_train_eval_no_grad.gradients import (
    find_evaluating_calls_with_gradients,
    find_evaluation_with_gradients,
    find_inference_with_gradients,
)
from dpkb.lint.rules.o5_train_eval_no_grad.modes import (
    find_dropout_in_evaluation,
    find_evaluation_while_training,
    find_loaded_without_eval,
    find_missing_train,
    find_model_without_eval,
    find_train_in_evaluation,
    find_validation_without_eval,
)
from dpkb.lint.source_file import Findings, SourceFile

LOOKS_FOR = (
    "Dropout that ignores the mode; evaluation without eval(), or with gradients; eval() in a training loop "
    "without train() after it."
)


def check(file: SourceFile) -> Findings:
    yield from find_dropout_in_evaluation(file)
    yield from find_validation_without_eval(file)
    yield from find_missing_train(file)
    yield from find_evaluation_with_gradients(file)
    yield from find_train_in_evaluation(file)
    yield from find_model_without_eval(file)
    yield from find_evaluation_while_training(file)
    yield from find_loaded_without_eval(file)
    yield from find_inference_with_gradients(file)
    yield from find_evaluating_calls_with_gradients(file)
