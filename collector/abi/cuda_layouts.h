// SPDX-License-Identifier: Apache-2.0
// What structures that the collector reads or passes by value look like, and numbers that it compares with,
// stated once for our declarations (abi/cuda.h) and once for the vendor's (checks/cuda_signatures.cpp):
// include after either.
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
