// SPDX-License-Identifier: Apache-2.0
// A named range of the host's time, for whatever tool listens.
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

    /// Of all ranges; before the first one and before there are threads.
    static void setPushed(bool pushed) { s_pushed = pushed; }

private:
    inline static bool s_pushed = true;
};

} // namespace ringside::trainer
