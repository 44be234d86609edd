// SPDX-License-Identifier: Apache-2.0
#include "operators.h"

#include "errors.h"
#include "reduction.h"

#include <atomic>
#include <cstring>

namespace ringside::nccl {

ncclRedOp_t Operators::create(ncclDataType_t type, const void* factor, ncclScalarResidence_t residence)
{
    // Counted over the process, so that an operator of another communicator is unknown here.
    static std::atomic<int> next = ncclNumOps;
    require(factor != nullptr, "the scalar is null");
    const std::size_t size = elementSize(type);
    Made made{.type = type, .factor = {}};
    if (residence == ncclScalarHostImmediate)
        std::memcpy(made.factor.value.data(), factor, size);
    else if (residence == ncclScalarDevice)
        made.factor.onDevice = factor;
    else
        throw Failure(ncclInvalidArgument, "the scalar's residence is neither device nor host immediate");
    const int op = next++;
    const std::lock_guard lock(m_mutex);
    m_made.emplace(op, made);
    return static_cast<ncclRedOp_t>(op);
}

void Operators::destroy(ncclRedOp_t op)
{
    require(op >= ncclNumOps, "the operator is built in, and not for the program to destroy");
    const std::lock_guard lock(m_mutex);
    require(m_made.erase(op) == 1, "the operator is unknown to this communicator");
}

Factor Operators::find(ncclRedOp_t op, ncclDataType_t type)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_made.find(op);
    require(found != m_made.end(), "the reduction operator is unknown to this communicator");
    require(found->second.type == type, "the operator was made for another data type");
    return found->second.factor;
}

} // namespace ringside::nccl
