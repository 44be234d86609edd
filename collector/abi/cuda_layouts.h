// SPDX-License-Identifier: Apache-2.0
// Checks layouts and constants of the structures that the collector reads or passes by value. Include it
// after our declarations (abi/cuda.h) and, in checks/cuda_signatures.cpp, after the vendor's.
#pragma once
#include <cstddef>

static_assert(sizeof(cudaMemLocation) == 8 && sizeof(cudaExtent) == 24 && sizeof(cudaPitchedPtr) == 32);
static_assert(offsetof(cudaExtent, height) == 8 && offsetof(cudaExtent, depth) == 16);
static_assert(offsetof(cudaMemcpy3DParms, dstArray) == 64 && offsetof(cudaMemcpy3DParms, extent) == 128 &&
              offsetof(cudaMemcpy3DParms, kind) == 152);
static_assert(offsetof(cudaMemcpy3DPeerParms, dstArray) == 72 &&
              offsetof(cudaMemcpy3DPeerParms, extent) == 144);
static_assert(cudaErrorNotReady == 600 && cudaStreamNonBlocking == 1 && cudaStreamCaptureStatusNone == 0 &&
              cudaStreamCaptureModeRelaxed == 2);
