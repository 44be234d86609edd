// SPDX-License-Identifier: Apache-2.0
// Operators that a program has created on one communicator: sums of inputs, each multiplied by a scalar of
// its rank first (ncclRedOpCreatePreMulSum).
#pragma once
#include <nccl.h>

#include <array>
#include <cstddef>
#include <map>
#include <mutex>

namespace ringside::nccl {

/// A factor of the operation's data type: its bytes, or its address on the device, which is read when the
/// kernel runs.
struct Factor {
    std::array<std::byte, 8> value{};
    const void* onDevice = nullptr;
    [[nodiscard]] const void* data() const { return onDevice != nullptr ? onDevice : value.data(); }
};

class Operators final {
public:
    ncclRedOp_t create(ncclDataType_t type, const void* factor, ncclScalarResidence_t residence);
    /// Throws Failure(ncclInvalidArgument) for operators that create() did not return. Queued work keeps its
    /// factor.
    void destroy(ncclRedOp_t op);
    /// Throws Failure(ncclInvalidArgument) for unknown operators and those of another data type.
    [[nodiscard]] Factor find(ncclRedOp_t op, ncclDataType_t type);

private:
    struct Made {
        ncclDataType_t type = ncclFloat32;
        Factor factor = {};
    };
    std::mutex m_mutex;
    std::map<int, Made> m_made;
};

} // namespace ringside::nccl
