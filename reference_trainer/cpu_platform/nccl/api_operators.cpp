// SPDX-License-Identifier: Apache-2.0
// Public functions for operators that programs create.
#include "api.h"
#include "communicator.h"
#include "handle.h"

using namespace ringside::nccl;

RINGSIDE_NCCL_API(ncclResult_t, ncclRedOpCreatePreMulSum, ncclRedOp_t* op, void* scalar,
                  ncclDataType_t datatype, ncclScalarResidence_t residence, ncclComm_t comm)
{
    return guarded([&] {
        require(op != nullptr, "the place for the operator is null");
        *op = communicatorOf(comm)->operators().create(datatype, scalar, residence);
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclRedOpDestroy, ncclRedOp_t op, ncclComm_t comm)
{
    return guarded([&] { communicatorOf(comm)->operators().destroy(op); });
}
