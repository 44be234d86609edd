# SPDX-License-Identifier: Apache-2.0
"""Marks steps and phases of a training program in one line, for PyTorch, Lightning and Transformers:

    from ringside import callbacks

    callbacks.watch_training(model, optimizer)                     # a loop of your own in PyTorch
    lightning.Trainer(callbacks=[callbacks.lightning_callback()])
    transformers.Trainer(callbacks=[callbacks.transformers_callback()])

A step goes from one optimizer step's end to the next one's, so that batches whose gradients are accumulated are one step. Without the recorder
all of them do nothing but call empty functions. No package is imported before its function is called.
"""

from __future__ import annotations

import functools
import types
import typing

import ringside

__all__ = ["lightning_callback", "transformers_callback", "watch_training"]

# What the timeline shows; a forward pass in an evaluation is one too.
FORWARD, OPTIMIZER, EVALUATION = "forward", "optimizer", "evaluation"


class _Phase:
    """A range that is begun in one hook and ended in another one, which a framework may leave out after an error."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: ringside.range | None = None

    def begin(self, *_: object, **__: object) -> None:
        self.end()
        self._open = ringside.range(self._name)
        self._open.__enter__()

    def end(self, *_: object, **__: object) -> None:
        if self._open is not None:
            self._open.__exit__()
            self._open = None


class _Steps:
    """Counts optimizer steps. The first step begins with the first call."""

    def __init__(self) -> None:
        self.number: int | None = None

    def begin(self) -> None:
        if self.number is None:
            self.number = 0
            ringside.step_begin(self.number)

    def next(self) -> None:
        self.number = 0 if self.number is None else self.number + 1
        ringside.step_begin(self.number)

    def end(self) -> None:
        if self.number is not None:
            ringside.step_end()


def watch_training(model: typing.Any, optimizer: typing.Any) -> None:
    """Marks the steps of this optimizer and the ranges "forward" and "optimizer". `model` is a torch.nn.Module, wrapped by DDP or not; its inner
    modules are not marked. The step goes to the thread that calls optimizer.step()."""
    steps = _Steps()
    forward = _Phase(FORWARD)

    def before_forward(*_: object) -> None:
        steps.begin()
        forward.begin()

    model.register_forward_pre_hook(before_forward)
    model.register_forward_hook(lambda *_: forward.end())
    original = optimizer.step

    @functools.wraps(original)  # PyTorch has hooks for it from 2.0 on only; a scheduler wraps it likewise
    def step(_: typing.Any, *words: object, **named: object) -> object:
        with ringside.range(OPTIMIZER):
            result = original(*words, **named)
        steps.next()
        return result

    optimizer.step = types.MethodType(step, optimizer)  # schedulers ask the method for its optimizer


def lightning_callback() -> typing.Any:
    """A callback for lightning.Trainer, or for that of pytorch_lightning."""
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        from pytorch_lightning.callbacks import Callback

    class RingsideCallback(Callback):
        def __init__(self) -> None:
            self._steps = _Steps()
            self._validation = _Phase(EVALUATION)
            self._global_step: int | None = None

        def on_train_batch_start(self, trainer: typing.Any, *_: object) -> None:
            if self._global_step is None:
                self._global_step = trainer.global_step  # not 0 after a checkpoint
            self._steps.begin()

        def on_train_batch_end(self, trainer: typing.Any, *_: object) -> None:
            if trainer.global_step != self._global_step:  # else its gradients are only accumulated
                self._global_step = trainer.global_step
                self._steps.next()

        def on_train_end(self, *_: object) -> None:
            self._steps.end()

        def on_validation_start(self, *_: object) -> None:
            self._validation.begin()

        def on_validation_end(self, *_: object) -> None:
            self._validation.end()

    return RingsideCallback()


def transformers_callback() -> typing.Any:
    """A callback for transformers.Trainer."""
    from transformers import TrainerCallback

    class RingsideCallback(TrainerCallback):
        def __init__(self) -> None:
            self._steps = _Steps()

        def on_step_begin(self, *_: object, **__: object) -> None:
            self._steps.begin()

        def on_step_end(self, *_: object, **__: object) -> None:
            self._steps.next()

        def on_train_end(self, *_: object, **__: object) -> None:
            self._steps.end()

    return RingsideCallback()
