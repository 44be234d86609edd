# SPDX-License-Identifier: Apache-2.0
"""Marks of a recorded Python program: its steps, its waiting for data, and moments to find again in the timeline.

    import ringside

    for batch in ringside.steps(ringside.watch(loader)):
        train(batch)

These functions call the collector that `ringside record` preloads. Without the collector they do nothing. This folder needs no other
module and no build: put it where Python finds it. Safe in forked workers, which the collector does not record.

`ringside.open("run.ringside")` reads a run into data frames.
"""
import contextlib
import ctypes

__all__ = ["annotate", "open", "pause", "range", "resume", "set_rank", "step", "step_begin", "step_end", "steps", "watch"]

# PyDLL: the calls are shorter than giving the interpreter lock away and taking it again.
_process = ctypes.PyDLL(None)
DATA_LOADING = "data loading"  # the name by which the report knows time spent waiting for a batch


def _function(name, *arguments):
    """The collector's function, or None where it is not preloaded."""
    function = getattr(_process, name, None)
    if function is not None:
        function.argtypes = arguments
        function.restype = None
    return function


_step_begin = _function("ringside_step_begin", ctypes.c_int64)
_step_end = _function("ringside_step_end")
_annotate = _function("ringside_annotate", ctypes.c_char_p)
_range_push = _function("ringside_range_push", ctypes.c_char_p)
_range_pop = _function("ringside_range_pop")
_pause = _function("ringside_pause")
_resume = _function("ringside_resume")
_set_rank = _function("ringside_set_rank", ctypes.c_int32, ctypes.c_int32)


def step_begin(number):
    """Begins a step on the calling thread; ends the thread's step before it, if that one is still open."""
    if _step_begin is not None:
        _step_begin(number)


def step_end():
    """Ends the calling thread's step."""
    if _step_end is not None:
        _step_end()


class step:
    """with ringside.step(number): one training step."""

    __slots__ = ("_number",)

    def __init__(self, number):
        self._number = number

    def __enter__(self):
        step_begin(self._number)
        return self

    def __exit__(self, *_):
        step_end()


def steps(iterable, start=0):
    """Yields what the iterable has, each item as a step of its own: from the moment the item is there until the next one is, so that
    waiting for the next batch belongs to the step that waits for it."""
    try:
        for number, item in enumerate(iterable, start):
            step_begin(number)
            yield item
    finally:
        step_end()


def annotate(text):
    """Marks this moment."""
    if _annotate is not None:
        _annotate(text.encode(errors="replace"))


class range:
    """with ringside.range(text): what the calling thread is about meanwhile."""

    __slots__ = ("_text",)

    def __init__(self, text):
        self._text = text.encode(errors="replace")

    def __enter__(self):
        if _range_push is not None:
            _range_push(self._text)
        return self

    def __exit__(self, *_):
        if _range_pop is not None:
            _range_pop()


class watch:
    """Any iterable, torch.utils.data.DataLoader above all, with the waiting for each of its items recorded as a range "data loading". All
    else of it is reached as before: watch(loader).sampler, len(watch(loader))."""

    def __init__(self, iterable):
        self._iterable = iterable

    def __getattr__(self, name):
        if name == "_iterable":  # of an object that is being copied and has nothing yet
            raise AttributeError(name)
        return getattr(self._iterable, name)

    def __len__(self):
        return len(self._iterable)

    def __iter__(self):
        return iter(self._iterable) if _range_push is None else self._waits()

    def _waits(self):
        waiting = range(DATA_LOADING)
        with waiting:
            items = iter(self._iterable)  # a DataLoader starts its workers here
        with contextlib.suppress(StopIteration):
            while True:
                with waiting:
                    item = next(items)
                yield item


def open(*paths):
    """Reads a run, or traces of another tool, by the program `ringside`. Returns a ringside.runs.Run; raises ringside.runs.RingsideError."""
    from . import runs  # what a recorded program never needs

    return runs.Run(*paths)


def pause():
    """Stops recording until resume(): for an evaluation or a checkpoint that is not to be analyzed."""
    if _pause is not None:
        _pause()


def resume():
    """Goes on recording."""
    if _resume is not None:
        _resume()


def set_rank(rank, world_size):
    """Which rank of how many this process is, where no launcher's variable tells or it tells wrong."""
    if _set_rank is not None:
        _set_rank(rank, world_size)
