// SPDX-License-Identifier: Apache-2.0
// A named NVTX range of the host's time, for any attached tool.
#pragma once
#include <nvtx3/nvToolsExt.h>

namespace ringside::trainer {

class NvtxRange final {
public:
    explicit NvtxRange(const char* name)
    {
        if (s_pushed) {
            nvtxRangePushA(name);
        }
    }
    ~NvtxRange()
    {
        if (s_pushed) {
            nvtxRangePop();
        }
    }
    NvtxRange(const NvtxRange&) = delete;
    NvtxRange& operator=(const NvtxRange&) = delete;

    /// Applies to all ranges. Call it before the first range and before threads are started.
    static void setPushed(bool pushed) { s_pushed = pushed; }

private:
    inline static bool s_pushed = true;
};

} // namespace ringside::trainer
