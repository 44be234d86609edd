# SPDX-License-Identifier: Apache-2.0
"""Loads the GPU libraries of this machine and tells as JSON: path, version, exported names, and the size of CUPTI's records by kind.
Without PyTorch the libraries are those that the loader finds."""

import ctypes
import importlib.util
import json
import pathlib
import re

import elf

SONAMES = {"cuda": "libcuda.so.1", "cudart": "libcudart.so.13", "cupti": "libcupti.so.13", "nccl": "libnccl.so.2",
           "nvml": "libnvidia-ml.so.1"}
VERSIONS = {"cuda": "cuDriverGetVersion", "cudart": "cudaRuntimeGetVersion", "cupti": "cuptiGetVersion", "nccl": "ncclGetVersion"}
KINDS = {1: "copy", 2: "set", 5: "runtime call", 10: "kernel"}
BUFFER_BYTES = 1 << 20


def version(library, name):
    found = ctypes.c_int()
    function = getattr(library, name, None)
    return found.value if function is not None and function(ctypes.byref(found)) == 0 else None


def record_sizes(cupti, work):
    """{kind: bytes}: how far apart two records are in a buffer that CUPTI filled while `work` ran."""
    Bytes, Size = ctypes.POINTER(ctypes.c_uint8), ctypes.c_size_t
    buffers, found = [], {}

    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(Size), ctypes.POINTER(Size))
    def request(buffer, size, most):
        buffers.append(ctypes.create_string_buffer(BUFFER_BYTES))
        buffer[0], size[0], most[0] = (ctypes.addressof(buffers[-1]) + 7) & ~7, BUFFER_BYTES - 8, 0

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, Bytes, Size, Size)
    def complete(_, __, buffer, ___, valid):
        record, before = ctypes.c_void_p(), None
        while cupti.cuptiActivityGetNextRecord(buffer, Size(valid), ctypes.byref(record)) == 0:
            if before is not None:
                found[KINDS.get(before[1], str(before[1]))] = record.value - before[0]
            before = record.value, ctypes.c_uint32.from_address(record.value).value

    cupti.cuptiActivityRegisterCallbacks(request, complete)
    for kind in KINDS:
        cupti.cuptiActivityEnable(kind)
    work()
    for kind in KINDS:
        cupti.cuptiActivityDisable(kind)
    cupti.cuptiActivityFlushAll(1)
    return found


def torch_work():
    import torch
    for _ in range(4):
        torch.ones(1 << 16, device="cuda").add_(1).cpu()
    torch.cuda.synchronize()


def loaded():
    """{soname without version: path} of this process."""
    paths = re.findall(r"(/\S+)$", pathlib.Path("/proc/self/maps").read_text(), re.MULTILINE)
    return {pathlib.Path(path).name.split(".so")[0]: path for path in paths if ".so" in path}


def main():
    if importlib.util.find_spec("torch"):
        torch_work()
    found, libraries, sizes = {}, {}, {}
    for name, soname in SONAMES.items():
        try:
            libraries[name] = ctypes.CDLL(loaded().get(soname.split(".so")[0], soname))
        except OSError as error:
            found[name] = {"missing": str(error)}
            continue
        path = loaded().get(soname.split(".so")[0], soname)
        found[name] = {"path": path, "version": version(libraries[name], VERSIONS[name]) if name in VERSIONS else None,
                       "exports": elf.exports(path)}
    if "cupti" in libraries and importlib.util.find_spec("torch"):
        sizes = record_sizes(libraries["cupti"], torch_work)
    print(json.dumps({"libraries": found, "record_bytes": sizes}), flush=True)


main()
