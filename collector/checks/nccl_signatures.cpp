// SPDX-License-Identifier: Apache-2.0
// Declares every intercepted NCCL function once more beside the vendor's header: a row that differs does not
// compile.
#include <nccl.h>

#define RS_API(result, name, parameters, arguments, what) extern "C" result name parameters;
#include "api/nccl_api.def"
#undef RS_API

static_assert(sizeof(ncclUniqueId) == 128 && ncclInvalidUsage == 5 && ncclInProgress == 7 &&
              ncclFloat32 == 7);
