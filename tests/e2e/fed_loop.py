# SPDX-License-Identifier: Apache-2.0
"""A training loop of one process on the emulated GPU, fed by PyTorch's DataLoader: fed_loop.py MILLISECONDS_A_BATCH_TAKES.
Debian's PyTorch has no GPU, so the loop's work is a matrix product asked of cuBLAS; pytorch_test.py records it."""

import ctypes
import sys
import time

import ringside
from torch.utils.data import DataLoader, Dataset

STEPS = 20
SIZE = 256  # of the matrices


class Batches(Dataset):
    def __len__(self):
        return STEPS

    def __getitem__(self, index):
        time.sleep(float(sys.argv[1]) / 1e3)
        return index


def succeed(code):
    if code != 0:
        sys.exit(f"CUDA answers {code}")


def main():
    runtime, blas = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcublas.so.13")
    handle, matrix, one = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.byref(ctypes.c_float(1))
    succeed(runtime.cudaMalloc(ctypes.byref(matrix), ctypes.c_size_t(SIZE * SIZE * 4)))
    succeed(blas.cublasCreate_v2(ctypes.byref(handle)))
    ringside.set_rank(0, 1)
    for _ in ringside.steps(ringside.watch(DataLoader(Batches()))):
        succeed(blas.cublasSgemm_v2(handle, 0, 0, SIZE, SIZE, SIZE, one, matrix, SIZE, matrix, SIZE, one, matrix, SIZE))
        succeed(runtime.cudaDeviceSynchronize())


if __name__ == "__main__":
    main()
