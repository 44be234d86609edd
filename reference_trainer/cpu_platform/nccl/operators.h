// SPDX-License-Identifier: Apache-2.0
// The operators a program has made on one communicator: sums of inputs that each rank multiplies by a scalar
// of its own first (ncclRedOpCreatePreMulSum).
#pragma once
#include <nccl.h>

#include <array>
#include <cstddef>
#include <map>
#include <mutex>

namespace ringside::nccl {

/// A factor of the operation's data type: its bytes, or where the device finds them when the kernel runs.
struct Factor {
    std::array<std::byte, 8> value{};
    const void* onDevice = nullptr;
    [[nodiscard]] const void* data() const { return onDevice != nullptr ? onDevice : value.data(); }
};

class Operators final {
public:
    ncclRedOp_t create(ncclDataType_t type, const void* factor, ncclScalarResidence_t residence);
    /// Failure(ncclInvalidArgument) for operators that create() did not make. What is queued keeps its
    /// factor.
    void destroy(ncclRedOp_t op);
    /// Failure(ncclInvalidArgument) for unknown operators and those of another data type.
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
