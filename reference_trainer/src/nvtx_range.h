// SPDX-License-Identifier: Apache-2.0
// A named range of the host's time, for whatever tool listens.
#pragma once
#include <nvtx3/nvToolsExt.h>

namespace ringside::trainer {

class NvtxRange final {
public:
    explicit NvtxRange(const char* name) { nvtxRangePushA(name); }
    ~NvtxRange() { nvtxRangePop(); }
    NvtxRange(const NvtxRange&) = delete;
    NvtxRange& operator=(const NvtxRange&) = delete;
};

} // namespace ringside::trainer
