# SPDX-License-Identifier: Apache-2.0
"""So much of PyTorch as the jobs of tests/e2e/gpu use, to run them without it. What it computes is nothing; its launches, copies,
collectives and ranges are calls of the machine's CUDA, NCCL and NVTX, through libfake_torch_gpu.so (FAKE_TORCH_LIBRARIES)."""

import contextlib
import ctypes
import os
import pathlib
import subprocess
import sys
import time
import types

LIBRARIES = pathlib.Path(os.environ["FAKE_TORCH_LIBRARIES"])
GPU = ctypes.CDLL(str(LIBRARIES / "libfake_torch_gpu.so"))
for _name in ("gpuAllocate", "gpuStream", "gpuEvent", "gpuCaptured", "ncclBegin"):
    getattr(GPU, _name).restype = ctypes.c_void_p
GPU.gpuElapsedMs.restype, GPU.gpuReached.restype = ctypes.c_double, ctypes.c_bool
GEMM, SPIN = 0, 1
TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 3
FLOAT_BYTES = 4
PAUSES_S = 0.1, 10  # pauses of a job in which clocks may drift: shorter here
__version__ = "2.11.0+fake"
float32, bfloat16, uint8 = types.SimpleNamespace(bytes=4), types.SimpleNamespace(bytes=2), types.SimpleNamespace(bytes=1)
OutOfMemoryError = type("OutOfMemoryError", (RuntimeError,), {"__module__": "torch"})
_pause = time.sleep
time.sleep = lambda seconds: _pause(seconds / 20 if PAUSES_S[0] < seconds < PAUSES_S[1] else seconds)


def module(name, **contents):
    made = types.ModuleType(f"torch.{name}")
    made.__dict__.update(contents, __path__=__path__)
    sys.modules[made.__name__] = made
    return made


class Tensor:
    def __init__(self, count, on_host=False, dtype=float32):
        self.count, self.on_host, self.bytes = count, on_host, count * dtype.bytes
        self.data = GPU.gpuAllocate(ctypes.c_size_t(max(self.bytes, 4)), on_host)
        if self.data is None:
            raise OutOfMemoryError("CUDA out of memory.")

    def to(self, _):
        return self

    def detach(self):
        return self

    def cpu(self):
        return copy_of(self, on_host=True)

    def pin_memory(self):
        return self

    def copy_(self, other, non_blocking=True):
        kind = ON_DEVICE if self.on_host == other.on_host else TO_HOST if self.on_host else TO_DEVICE
        GPU.gpuCopy(ctypes.c_void_p(self.data), ctypes.c_void_p(other.data), ctypes.c_size_t(other.bytes), kind, stream_of())
        return self

    def add_(self, _):
        launch()
        return self

    def __matmul__(self, _):
        launch(GEMM, 1e6)
        return self

    def backward(self):
        for layer in Module.used:
            launch()
            layer.gradients_ready()

    def item(self):
        self.cpu()
        cuda.synchronize()
        return 0.0


def copy_of(tensor, on_host):
    made = Tensor(tensor.bytes, on_host, uint8)
    return made.copy_(tensor)


def launch(kernel=GEMM, ns=1000.0):
    cuda.init()
    GPU.gpuLaunch(kernel, ctypes.c_double(ns), stream_of())


def product(sizes):
    found = 1
    for size in sizes:
        found *= size
    return found


def ones(*sizes, dtype=float32, device=None):
    sizes = sizes[0] if isinstance(sizes[0], tuple) else sizes
    return Tensor(product(sizes), on_host=device is None, dtype=dtype)


def empty(size, dtype=float32, device=None):
    return ones(size, dtype=dtype, device=device)


def empty_like(other):
    return Tensor(other.bytes, other.on_host, uint8)


def randn(*sizes, device=None):
    return ones(*sizes, device=device)


def randint(_, __, sizes, device=None):
    return ones(*sizes, device=device)


def manual_seed(_):
    pass


def device(kind, number=0):
    return types.SimpleNamespace(type=kind, index=number)


@contextlib.contextmanager
def autocast(_, dtype, cache_enabled):
    yield dtype, cache_enabled


def compile(model, backend):  # pylint: disable=redefined-builtin
    """A worker that starts a process, as Inductor does."""
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return model


class Stream:
    def __init__(self, handle=None):
        self.handle = handle if handle is not None else GPU.gpuStream()

    def wait_stream(self, other):
        event = Event()
        event.record(other)
        GPU.gpuWait(ctypes.c_void_p(self.handle), ctypes.c_void_p(event.handle))


class Event:
    def __init__(self, enable_timing=False):
        self.handle = GPU.gpuEvent(enable_timing)

    def record(self, stream=None):
        GPU.gpuRecord(ctypes.c_void_p(self.handle), ctypes.c_void_p((stream or cuda.current_stream()).handle))

    def elapsed_time(self, end):
        return GPU.gpuElapsedMs(ctypes.c_void_p(self.handle), ctypes.c_void_p(end.handle))


class CUDAGraph:
    handle = None

    def replay(self):
        GPU.gpuReplay(ctypes.c_void_p(self.handle), stream_of())


STREAMS = [Stream(0)]


def stream_of():
    return ctypes.c_void_p(STREAMS[-1].handle)


@contextlib.contextmanager
def on_stream(stream):
    STREAMS.append(stream)
    try:
        yield
    finally:
        STREAMS.pop()


@contextlib.contextmanager
def capture(graph):
    with on_stream(Stream()):
        GPU.gpuCapture(stream_of())
        yield
        graph.handle = GPU.gpuCaptured(stream_of())


def memory():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    GPU.gpuMemory(ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def device_name(_=0):
    name = ctypes.create_string_buffer(256)
    GPU.gpuName(name, len(name))
    return name.value.decode()


def begin_device(number=0):
    GPU.gpuBegin(getattr(number, "index", number))


nvtx = module("cuda.nvtx", range_push=lambda name: GPU.rangePush(name.encode()), range_pop=GPU.rangePop)
cuda = module("cuda", init=begin_device, set_device=begin_device, is_available=lambda: True, synchronize=GPU.gpuSynchronize,
              Stream=Stream, Event=Event, CUDAGraph=CUDAGraph, current_stream=lambda: STREAMS[-1], stream=on_stream, graph=capture,
              mem_get_info=memory, get_device_name=device_name, _sleep=lambda cycles: launch(SPIN, cycles / 2), nvtx=nvtx,
              nccl=types.SimpleNamespace(version=lambda: GPU.ncclVersion()))
version = types.SimpleNamespace(cuda="13.0")


class Module:
    """A model: its layers launch kernels, and tell who listens that their gradients are ready."""
    used = []

    def __init__(self, *layers):
        self.layers, self.listeners = layers, []

    def __call__(self, values):
        Module.used = [] if self.layers else Module.used
        for layer in self.layers:
            layer(values)
        if not self.layers:
            launch()
            Module.used.append(self)
        return values

    def __iter__(self):
        return iter(self.layers)

    def gradients_ready(self):
        for listener in self.listeners:
            listener()

    def to(self, _):
        return self

    def parameters(self):
        return [layer.weights for layer in self.layers if isinstance(layer, Linear)]


class Linear(Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weights = Tensor(min(inputs * outputs, 1 << 16))


class DistributedDataParallel(Module):
    def __init__(self, model, bucket_cap_mb):
        super().__init__(*model.layers)
        linear = [layer for layer in model.layers if isinstance(layer, Linear)]
        for layer in linear:
            distributed.broadcast(layer.weights)
        linear[-1].listeners.append(lambda: distributed.all_reduce(linear[-1].weights))


def fully_shard(layer):
    for each in [each for each in (layer.layers or [layer]) if isinstance(each, Linear)]:
        each.listeners.append(lambda each=each: distributed.all_reduce(each.weights))


class SGD:
    def __init__(self, parameters, lr):
        self.parameters, self.rate = parameters, lr

    def zero_grad(self, set_to_none):
        pass

    def step(self):
        launch()


LOSSES = []


def cross_entropy(_, __):
    launch()
    LOSSES[:] = LOSSES or [Tensor(1)]
    return LOSSES[0]


functional = module("nn.functional", cross_entropy=cross_entropy)
nn = module("nn", Linear=Linear, ReLU=Module, Sequential=Module, functional=functional,
            parallel=module("nn.parallel", DistributedDataParallel=DistributedDataParallel))
optim = module("optim", SGD=SGD)
from torch import distributed, profiler  # noqa: E402  pylint: disable=wrong-import-position
