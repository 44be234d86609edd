// SPDX-License-Identifier: Apache-2.0
// Copies and sets as work for a stream or a graph: boxes of rows in slices; a plain range of bytes is one
// row.
#pragma once
#include "memory.h"
#include "platform.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace ringside::platform {

/// Bytes of a row, rows of a slice, number of slices.
struct Extent {
    std::size_t width = 0;
    std::size_t rows = 1;
    std::size_t slices = 1;
    [[nodiscard]] std::size_t bytes() const { return width * rows * slices; }
};

/// Distance between two rows and between two slices, in bytes. Unused for a single row or slice.
struct Pitch {
    std::size_t row = 0;
    std::size_t slice = 0;
};

struct Copy {
    void* destination = nullptr;
    const void* source = nullptr;
    Extent extent = {};
    Pitch destinationPitch = {};
    Pitch sourcePitch = {};
    cudaMemcpyKind kind = cudaMemcpyDefault;
    MemoryType from = MemoryType::Pageable; ///< filled in by checkCopy
    MemoryType to = MemoryType::Pageable;
    Peers peers = {};
};

/// Resolves cudaMemcpyDefault. Rejects directions that contradict the pointers, and rows that overlap.
[[nodiscard]] cudaError_t checkCopy(Copy& copy);
/// Converts the parameters of a copy in three dimensions. Returns cudaErrorNotSupported for CUDA arrays.
[[nodiscard]] cudaError_t boxCopy(const cudaMemcpy3DParms& parameters, Copy& copy);
/// Returns the work of a checked copy. `staged`: the source is read now and need not outlive the call.
[[nodiscard]] Work copyWork(const Copy& copy, bool staged);

struct Set {
    void* pointer = nullptr;
    std::uint32_t value = 0;
    unsigned elementSize = 1; ///< 1, 2 or 4
    Extent extent = {};
    Pitch pitch = {};
};
[[nodiscard]] cudaError_t checkSet(const Set& set);
[[nodiscard]] Work setWork(const Set& set);

} // namespace ringside::platform
